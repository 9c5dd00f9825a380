// The JSON of what was found in checkpoints. Field names are stable. Pure; any thread.
#pragma once

#include "base/json_fwd.h"
#include "weights/checkpoint.h"
#include "weights/compare.h"

namespace starbridge::weights {

// {format, files[], file_bytes, order_is_kept, tensors[{name, dtype, shape[], strides[], offset, device, bytes, storage, ...}],
// ...}
base::Json to_json(const Checkpoint& checkpoint, base::Language language);
// {agrees, order, first_diverging{tensor, layer}, tensors[{name, outcome, agrees, absolute_max, relative_max, ulp_max, cosine,
// ...}]}
base::Json to_json(const Comparison& comparison);
base::Json to_json(const TensorResult& result);

// Finite numbers as they are, infinity as the text "inf" or "-inf", NaN as null.
base::Json number_json(double value);

// Tensors that are the same elements of the same storage as an earlier one, by index: tied weights. SIZE_MAX: the tensor is no
// such.
std::vector<std::size_t> tied_to(const Checkpoint& checkpoint);

}  // namespace starbridge::weights
