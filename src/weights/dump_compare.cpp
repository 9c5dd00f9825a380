#include "weights/dump_compare.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "base/json.h"
#include "weights/report.h"

namespace starbridge::weights {
namespace {

using base::Error;
using base::Json;
using base::Result;
using base::Status;
using base::text;

constexpr std::size_t kThreadsMax = 64;

struct Pair {
  const DumpEntry* left = nullptr;
  const DumpEntry* right = nullptr;
};

const Tensor* tensor_in(const Checkpoint& file, const DumpEntry& entry) { return file.find(entry.tensor); }

Status compare_pair(const Pair& pair, const Rule& rule, DumpResult& result) {
  SB_TRY(Checkpoint left_file, open_checkpoint(pair.left->path));
  SB_TRY(Checkpoint right_file, open_checkpoint(pair.right->path));
  const Tensor *left = tensor_in(left_file, *pair.left), *right = tensor_in(right_file, *pair.right);
  if (left == nullptr || right == nullptr) {
    return Error("weights.malformed", text("the file changed while it was read", "文件在读取过程中被改动"))
        .at(left == nullptr ? pair.left->path : pair.right->path);
  }
  SB_TRY_VOID(compare_tensors(left_file, *left, right_file, *right, rule, result.result));
  result.left = std::make_shared<Tensor>(*left);
  result.right = std::make_shared<Tensor>(*right);
  result.result.left = result.left.get();
  result.result.right = result.right.get();
  return {};
}

// Left order; what only the right side has comes where its own order puts it: behind what it follows there.
std::vector<Pair> pair_up(const DumpFolder& left, const DumpFolder& right) {
  std::unordered_map<std::string_view, const DumpEntry*> on_right;
  for (const DumpEntry& entry : right.entries) on_right.emplace(entry.key, &entry);
  std::unordered_map<std::string_view, std::size_t> at;
  std::vector<Pair> pairs;
  for (const DumpEntry& entry : left.entries) {
    auto found = on_right.find(entry.key);
    at.emplace(entry.key, pairs.size());
    pairs.push_back({&entry, found == on_right.end() ? nullptr : found->second});
  }
  std::vector<std::pair<std::size_t, Pair>> missing;  // the place behind which it belongs
  std::size_t place = 0;
  for (const DumpEntry& entry : right.entries) {
    auto found = at.find(entry.key);
    if (found != at.end()) {
      place = found->second + 1;
    } else {
      missing.push_back({place, {nullptr, &entry}});
    }
  }
  std::stable_sort(missing.begin(), missing.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Pair> merged;
  std::size_t next = 0;
  for (std::size_t index = 0; index <= pairs.size(); ++index) {
    for (; next < missing.size() && missing[next].first == index; ++next) merged.push_back(missing[next].second);
    if (index < pairs.size()) merged.push_back(pairs[index]);
  }
  return merged;
}

Status run_all(const std::vector<Pair>& pairs, const CompareOptions& options, DumpComparison& comparison) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::optional<Error> failure;
  auto run = [&] {
    for (std::size_t index = next++; index < pairs.size(); index = next++) {
      if (pairs[index].left == nullptr || pairs[index].right == nullptr) continue;
      Status done = compare_pair(pairs[index], options.rule, comparison.tensors[index]);
      if (done.ok()) continue;
      std::lock_guard<std::mutex> lock(mutex);
      if (!failure) failure = std::move(done).error();
      next = pairs.size();
    }
  };
  std::size_t wanted = options.thread_count > 0 ? options.thread_count : std::thread::hardware_concurrency();
  std::size_t count = std::clamp<std::size_t>(wanted, 1, std::min(kThreadsMax, std::max<std::size_t>(pairs.size(), 1)));
  std::vector<std::thread> threads;
  for (std::size_t index = 1; index < count; ++index) threads.emplace_back(run);
  run();
  for (std::thread& thread : threads) thread.join();
  if (failure) return std::move(*failure);
  return {};
}

void judge_operator(const std::vector<DumpResult>& tensors, OperatorResult& op) {
  bool has_input = false, input_differs = false;
  for (std::size_t index : op.tensors) {
    const DumpResult& tensor = tensors[index];
    op.agrees = op.agrees && tensor.result.agrees;
    if (tensor.entry.role == Role::kOutput) continue;
    has_input = true;
    input_differs = input_differs || !tensor.result.agrees;
  }
  op.cause = input_differs ? Cause::kInput : has_input ? Cause::kOperator : Cause::kUnknown;
}

bool has_new_nan(const Tally& tally) { return tally.nan_right > tally.nan_left || tally.infinite_right > tally.infinite_left; }

}  // namespace

std::string_view to_string(Cause cause) {
  return cause == Cause::kOperator ? "operator" : cause == Cause::kInput ? "input" : "unknown";
}

Rule dump_rule() {
  Rule rule;
  constexpr double kRelative = 5e-3, kAbsolute = 1e-3;
  for (const DTypeInfo& row : all_dtypes()) {
    if (row.kind != Kind::kFloat && row.kind != Kind::kComplex) continue;
    rule.limits[row.dtype] = {std::max(row.relative_tolerance, kRelative), std::max(row.absolute_tolerance, kAbsolute)};
  }
  rule.cosine_min = 0.99;
  return rule;
}

Result<DumpComparison> compare_dumps(const DumpFolder& left, const DumpFolder& right, const CompareOptions& options) {
  DumpComparison comparison;
  comparison.order = left.order;
  std::vector<Pair> pairs = pair_up(left, right);
  std::size_t common = 0;
  for (const Pair& pair : pairs) {
    DumpResult result;
    result.entry = pair.left != nullptr ? *pair.left : *pair.right;
    result.result.name = result.entry.key;
    if (pair.left == nullptr || pair.right == nullptr) {
      result.result.outcome = pair.right == nullptr ? Outcome::kOnlyLeft : Outcome::kOnlyRight;
      result.result.agrees = options.rule.ignores_missing;
    } else {
      ++common;
    }
    comparison.tensors.push_back(std::move(result));
  }
  if (common == 0) {
    return Error("weights.nothing_to_compare",
                 text("no dump of the {} and {} has the same name on both sides", "两侧分别有 {} 与 {} 个转储，但没有同名的",
                      left.entries.size(), right.entries.size()));
  }
  SB_TRY_VOID(run_all(pairs, options, comparison));
  std::unordered_map<std::string, std::size_t> by_name;
  for (std::size_t index = 0; index < comparison.tensors.size(); ++index) {
    const DumpResult& tensor = comparison.tensors[index];
    auto [found, is_new] = by_name.emplace(tensor.entry.op, comparison.operators.size());
    if (is_new) comparison.operators.push_back({tensor.entry.op, {}, true, Cause::kUnknown});
    comparison.operators[found->second].tensors.push_back(index);
    if (!comparison.first_nan && has_new_nan(tensor.result.tally)) comparison.first_nan = index;
  }
  for (std::size_t index = 0; index < comparison.operators.size(); ++index) {
    OperatorResult& op = comparison.operators[index];
    judge_operator(comparison.tensors, op);
    if (op.agrees) continue;
    comparison.agrees = false;
    if (!comparison.first_diverging) comparison.first_diverging = index;
    if (!comparison.first_made_here && op.cause == Cause::kOperator) comparison.first_made_here = index;
  }
  return comparison;
}

Json to_json(const DumpComparison& comparison) {
  auto operator_json = [&](const std::optional<std::size_t>& index) -> Json {
    if (!index) return nullptr;
    const OperatorResult& op = comparison.operators[*index];
    return {{"operator", op.name}, {"cause", std::string(to_string(op.cause))}};
  };
  Json json = {
      {"agrees", comparison.agrees},
      {"order", std::string(to_string(comparison.order))},
      {"first_diverging", operator_json(comparison.first_diverging)},
      {"first_made_here", operator_json(comparison.first_made_here)},
      {"first_not_finite", comparison.first_nan ? Json(comparison.tensors[*comparison.first_nan].result.name) : Json(nullptr)},
      {"operators", Json::array()}};
  for (const OperatorResult& op : comparison.operators) {
    Json row = {{"name", op.name}, {"agrees", op.agrees}, {"tensors", Json::array()}};
    if (!op.agrees) row["cause"] = std::string(to_string(op.cause));
    for (std::size_t index : op.tensors) {
      Json tensor = to_json(comparison.tensors[index].result);
      tensor["role"] = std::string(to_string(comparison.tensors[index].entry.role));
      row["tensors"].push_back(std::move(tensor));
    }
    json["operators"].push_back(std::move(row));
  }
  return json;
}

}  // namespace starbridge::weights
