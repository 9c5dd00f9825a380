// Result<T>: a value or an Error; cannot be ignored. Plain values; any thread.
#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/error.h"

namespace starbridge::base {

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  const T& value() const& { return checked(); }
  T& value() & { return const_cast<T&>(checked()); }
  T&& value() && { return std::move(const_cast<T&>(checked())); }
  const Error& error() const& {
    SB_CHECK(!ok());
    return *std::get_if<1>(&state_);
  }
  Error&& error() && {
    SB_CHECK(!ok());
    return std::move(*std::get_if<1>(&state_));
  }
  const T* operator->() const { return &checked(); }
  const T& operator*() const { return checked(); }

 private:
  const T& checked() const {
    if (!ok()) check_failed("Result holds a value", __FILE__, __LINE__, std::get_if<1>(&state_)->render(Language::kEnglish));
    return *std::get_if<0>(&state_);
  }
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)
  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const& {
    SB_CHECK(!ok());
    return *error_;
  }
  Error&& error() && {
    SB_CHECK(!ok());
    return std::move(*error_);
  }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace starbridge::base

#define SB_CONCAT_(a, b) a##b
#define SB_CONCAT(a, b) SB_CONCAT_(a, b)

// SB_TRY(int count, parse_count(text)): declares `count` with the value, or returns the error to the caller.
#define SB_TRY(declaration, expression) SB_TRY_(declaration, expression, SB_CONCAT(sb_result_, __COUNTER__))
#define SB_TRY_(declaration, expression, temporary)         \
  auto temporary = (expression);                            \
  if (!temporary.ok()) return std::move(temporary).error(); \
  declaration = std::move(temporary).value()

// SB_TRY_VOID(write_file(...)): returns the error of a Status to the caller.
#define SB_TRY_VOID(expression) SB_TRY_VOID_(expression, SB_CONCAT(sb_status_, __COUNTER__))
#define SB_TRY_VOID_(expression, temporary)                   \
  do {                                                        \
    auto temporary = (expression);                            \
    if (!temporary.ok()) return std::move(temporary).error(); \
  } while (false)
