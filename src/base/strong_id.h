// StrongId: ids of different things are different types. Plain values; any thread.
//   using JobId = StrongId<struct JobTag>;
#pragma once

#include <compare>
#include <functional>
#include <string>
#include <utility>

namespace starbridge::base {

template <class Tag>
class StrongId {
 public:
  StrongId() = default;
  explicit StrongId(std::string value) : value_(std::move(value)) {}
  const std::string& str() const { return value_; }
  bool empty() const { return value_.empty(); }
  auto operator<=>(const StrongId&) const = default;

 private:
  std::string value_;
};

}  // namespace starbridge::base

template <class Tag>
struct std::hash<starbridge::base::StrongId<Tag>> {
  std::size_t operator()(const starbridge::base::StrongId<Tag>& id) const { return std::hash<std::string>{}(id.str()); }
};
