#include "weights/compare.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <unordered_map>

#include "weights/natural_order.h"

namespace starbridge::weights {
namespace {

using base::Error;
using base::Result;
using base::Status;
using base::text;

constexpr std::size_t kThreadsMax = 64;

using Names = std::unordered_map<std::string, const Tensor*>;

std::string plain_name(std::string_view name, const std::vector<std::string>& prefixes) {
  for (bool is_shorter = true; is_shorter;) {
    is_shorter = false;
    for (const std::string& prefix : prefixes) {
      if (!prefix.empty() && name.size() > prefix.size() && name.substr(0, prefix.size()) == prefix) {
        name.remove_prefix(prefix.size());
        is_shorter = true;
      }
    }
  }
  return std::string(name);
}

Result<Names> names_of(const Checkpoint& checkpoint, const std::vector<std::string>& prefixes, std::vector<std::string>& order) {
  Names names;
  for (const Tensor& tensor : checkpoint.tensors) {
    std::string name = plain_name(tensor.name, prefixes);
    auto [found, is_new] = names.emplace(name, &tensor);
    if (!is_new) {
      return Error("weights.ambiguous_names", text("without their prefixes, {} and {} have one name", "去掉前缀后，{} 与 {} 同名",
                                                   found->second->name, tensor.name))
          .at(checkpoint.path);
    }
    order.push_back(std::move(name));
  }
  return names;
}

// All names of both sides, in the order of the model.
std::vector<std::string> model_order(const Checkpoint& left, const Checkpoint& right, const CompareOptions& options,
                                     const std::vector<std::string>& left_order, const std::vector<std::string>& right_order,
                                     OrderSource& source) {
  std::vector<std::string> order;
  std::set<std::string_view> seen;
  auto take = [&](const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      if (seen.insert(name).second) order.push_back(name);
    }
  };
  if (!options.order.empty()) {
    source = OrderSource::kGiven;
    std::set<std::string_view> known(left_order.begin(), left_order.end());
    known.insert(right_order.begin(), right_order.end());
    for (const std::string& name : options.order) {
      if (known.count(name) > 0 && seen.insert(name).second) order.push_back(name);
    }
    take(left_order);
    take(right_order);
    return order;
  }
  if (left.has_model_order) {
    source = OrderSource::kLeftFile;
    take(left_order);
    take(right_order);
  } else if (right.has_model_order) {
    source = OrderSource::kRightFile;
    take(right_order);
    take(left_order);
  } else {
    source = OrderSource::kNames;
    take(left_order);
    take(right_order);
    sort_in_model_order(order);
  }
  return order;
}

// When no name is on both sides, a prefix is the usual reason.
Error nothing_in_common(const std::vector<std::string>& left, const std::vector<std::string>& right) {
  Error error("weights.nothing_to_compare", text("no tensor of the {} and {} has the same name on both sides",
                                                 "两侧分别有 {} 与 {} 个张量，但没有同名的", left.size(), right.size()));
  if (left.empty() || right.empty()) return error;
  for (const auto& [longer, name] : {std::pair(&left, right.back()), std::pair(&right, left.back())}) {
    for (const std::string& candidate : *longer) {
      bool ends_with_name =
          candidate.size() > name.size() + 1 && candidate.compare(candidate.size() - name.size(), name.size(), name) == 0;
      if (!ends_with_name || candidate[candidate.size() - name.size() - 1] != '.') continue;
      std::string prefix = candidate.substr(0, candidate.size() - name.size());
      return std::move(error).next(text("try --ignore-prefix {}", "可尝试 --ignore-prefix {}", prefix));
    }
  }
  return error;
}

struct Work {
  TensorResult* result;
  std::uint64_t bytes;
};

// The largest first, so that no thread is left alone with a large one at the end.
Status run_all(const Checkpoint& left, const Checkpoint& right, const CompareOptions& options, std::vector<Work> work) {
  std::stable_sort(work.begin(), work.end(), [](const Work& a, const Work& b) { return a.bytes > b.bytes; });
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::optional<Error> failure;
  auto run = [&] {
    for (std::size_t index = next++; index < work.size(); index = next++) {
      TensorResult& result = *work[index].result;
      Status done = compare_tensors(left, *result.left, right, *result.right, options.rule, result);
      if (done.ok()) continue;
      std::lock_guard<std::mutex> lock(mutex);
      if (!failure) failure = std::move(done).error();
      next = work.size();
    }
  };
  std::size_t wanted = options.thread_count > 0 ? options.thread_count : std::thread::hardware_concurrency();
  std::size_t count = std::clamp<std::size_t>(wanted, 1, std::min(kThreadsMax, std::max<std::size_t>(work.size(), 1)));
  std::vector<std::thread> threads;
  for (std::size_t index = 1; index < count; ++index) threads.emplace_back(run);
  run();
  for (std::thread& thread : threads) thread.join();
  if (failure) return std::move(*failure);
  return {};
}

}  // namespace

std::string_view to_string(OrderSource source) {
  switch (source) {
    case OrderSource::kGiven:
      return "given";
    case OrderSource::kLeftFile:
      return "first_file";
    case OrderSource::kRightFile:
      return "second_file";
    case OrderSource::kNames:
      return "names";
  }
  return "";
}

Result<Comparison> compare(const Checkpoint& left, const Checkpoint& right, const CompareOptions& options) {
  std::vector<std::string> left_order, right_order;
  SB_TRY(Names left_names, names_of(left, options.ignored_prefixes, left_order));
  SB_TRY(Names right_names, names_of(right, options.ignored_prefixes, right_order));
  Comparison comparison;
  std::size_t common = 0;
  for (std::string& name : model_order(left, right, options, left_order, right_order, comparison.order_source)) {
    TensorResult result;
    auto on_left = left_names.find(name), on_right = right_names.find(name);
    if (on_left != left_names.end()) result.left = on_left->second;
    if (on_right != right_names.end()) result.right = on_right->second;
    result.name = std::move(name);
    if (result.left == nullptr || result.right == nullptr) {
      result.outcome = result.right == nullptr ? Outcome::kOnlyLeft : Outcome::kOnlyRight;
      result.agrees = options.rule.ignores_missing;
    } else {
      ++common;
    }
    comparison.tensors.push_back(std::move(result));
  }
  if (common == 0) return nothing_in_common(left_order, right_order);
  std::vector<Work> work;
  for (TensorResult& result : comparison.tensors) {
    if (result.left == nullptr || result.right == nullptr) continue;
    bool has_bytes = result.left->storage != kNoStorage && result.right->storage != kNoStorage;
    std::uint64_t bytes =
        has_bytes && result.left->shape == result.right->shape ? byte_count(*result.left) + byte_count(*result.right) : 0;
    work.push_back({&result, bytes});
    comparison.compared_bytes += bytes;
  }
  SB_TRY_VOID(run_all(left, right, options, std::move(work)));
  for (std::size_t index = 0; index < comparison.tensors.size(); ++index) {
    if (comparison.tensors[index].agrees) continue;
    comparison.agrees = false;
    if (!comparison.first_diverging) comparison.first_diverging = index;
  }
  return comparison;
}

}  // namespace starbridge::weights
