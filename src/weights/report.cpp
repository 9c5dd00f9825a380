#include "weights/report.h"

#include <cmath>
#include <map>
#include <tuple>

#include "base/json.h"
#include "weights/natural_order.h"

namespace starbridge::weights {

using base::Json;

Json number_json(double value) {
  if (std::isnan(value)) return nullptr;
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

std::vector<std::size_t> tied_to(const Checkpoint& checkpoint) {
  std::vector<std::size_t> tied(checkpoint.tensors.size(), SIZE_MAX);
  std::map<std::tuple<std::size_t, std::uint64_t, std::vector<std::uint64_t>, std::vector<std::uint64_t>>, std::size_t> first;
  for (std::size_t index = 0; index < checkpoint.tensors.size(); ++index) {
    const Tensor& tensor = checkpoint.tensors[index];
    if (tensor.storage == kNoStorage) continue;
    auto [found, is_new] = first.try_emplace({tensor.storage, tensor.offset, tensor.shape, tensor.strides}, index);
    if (!is_new) tied[index] = found->second;
  }
  return tied;
}

Json to_json(const Checkpoint& checkpoint, base::Language language) {
  Json json = {{"format", std::string(to_string(checkpoint.format))},
               {"files", checkpoint.files},
               {"file_bytes", checkpoint.file_bytes},
               {"order_is_kept", checkpoint.has_model_order},
               {"tensors", Json::array()},
               {"metadata", checkpoint.metadata},
               {"closed_objects", checkpoint.closed_objects},
               {"dangerous", checkpoint.dangerous},
               {"other_value_count", checkpoint.other_value_count},
               {"other_values", checkpoint.other_values},
               {"remarks", Json::array()}};
  for (const base::Text& remark : checkpoint.remarks) json["remarks"].push_back(remark.in(language));
  std::vector<std::size_t> tied = tied_to(checkpoint);
  for (std::size_t index = 0; index < checkpoint.tensors.size(); ++index) {
    const Tensor& tensor = checkpoint.tensors[index];
    Json row = {{"name", tensor.name},
                {"dtype", std::string(info(tensor.dtype).name)},
                {"shape", tensor.shape},
                {"strides", tensor.strides},
                {"offset", tensor.offset},
                {"device", tensor.device},
                {"bytes", tensor.storage == kNoStorage ? 0 : byte_count(tensor)},
                {"is_contiguous", is_contiguous(tensor)},
                {"requires_grad", tensor.requires_grad},
                {"is_parameter", tensor.is_parameter},
                {"file", tensor.shard}};
    if (tensor.storage != kNoStorage) {
      row["storage"] = tensor.storage;
      row["storage_bytes"] = checkpoint.storages[tensor.storage].bytes;
    }
    if (tied[index] != SIZE_MAX) row["tied_to"] = checkpoint.tensors[tied[index]].name;
    if (tensor.is_conjugated) row["is_conjugated"] = true;
    if (tensor.is_negated) row["is_negated"] = true;
    json["tensors"].push_back(std::move(row));
  }
  return json;
}

Json to_json(const TensorResult& result) {
  Json json = {{"name", result.name}, {"outcome", std::string(to_string(result.outcome))}, {"agrees", result.agrees}};
  for (const auto& [side, tensor, hash] :
       {std::tuple("first", result.left, &result.left_hash), {"second", result.right, &result.right_hash}}) {
    if (tensor == nullptr) continue;
    json[side] = {{"dtype", std::string(info(tensor->dtype).name)}, {"shape", tensor->shape}};
    if (!hash->empty()) json[side]["xxh64"] = *hash;
  }
  if (result.first_unequal) json["first_unequal"] = *result.first_unequal;
  if (!result.has_figures) return json;
  const Tally& tally = result.tally;
  json["absolute_max"] = number_json(tally.absolute_max);
  json["relative_max"] = number_json(tally.relative_max);
  json["relative_to_peak"] = number_json(tally.left_peak > 0 ? tally.absolute_max / tally.left_peak : std::nan(""));
  json["cosine"] = number_json(result.cosine);
  if (result.has_ulp) json["ulp_max"] = std::to_string(tally.ulp_max);  // may pass 2^53
  json["worst_index"] = tally.worst_index;
  json["element_count"] = tally.count;
  json["unequal_count"] = tally.unequal;
  json["beyond_count"] = tally.beyond;
  json["beyond_1_permille_count"] = tally.beyond_1_permille;
  json["beyond_5_permille_count"] = tally.beyond_5_permille;
  json["nan"] = {{"first", tally.nan_left}, {"second", tally.nan_right}, {"mismatch", tally.nan_mismatch}};
  json["infinite"] = {{"first", tally.infinite_left}, {"second", tally.infinite_right}};
  json["tolerance"] = {{"relative", result.limits.relative}, {"absolute", result.limits.absolute}};
  return json;
}

Json to_json(const Comparison& comparison) {
  Json json = {{"agrees", comparison.agrees},
               {"order", std::string(to_string(comparison.order_source))},
               {"compared_bytes", comparison.compared_bytes},
               {"first_diverging", nullptr},
               {"counts", Json::object()},
               {"tensors", Json::array()}};
  if (comparison.first_diverging) {
    const std::string& name = comparison.tensors[*comparison.first_diverging].name;
    json["first_diverging"] = {{"tensor", name}, {"layer", std::string(layer_of(name))}};
  }
  std::map<std::string, std::size_t> counts;
  for (const TensorResult& result : comparison.tensors) {
    ++counts[std::string(to_string(result.outcome))];
    json["tensors"].push_back(to_json(result));
  }
  json["counts"] = counts;
  return json;
}

}  // namespace starbridge::weights
