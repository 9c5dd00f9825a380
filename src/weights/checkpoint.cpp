#include "weights/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "weights/bytes.h"

namespace starbridge::weights {

using base::Error;
using base::Status;
using base::text;

std::string_view to_string(Format format) {
  switch (format) {
    case Format::kSafetensors:
      return "safetensors";
    case Format::kTorchZip:
      return "torch";
    case Format::kTorchLegacy:
      return "torch-legacy";
    case Format::kPickle:
      return "pickle";
    case Format::kNumpy:
      return "numpy";
  }
  return "";
}

std::uint64_t element_count(const Tensor& tensor) {
  std::uint64_t count = 1;
  for (std::uint64_t size : tensor.shape) count *= size;  // checked by check_layout
  return count;
}

std::uint64_t byte_count(const Tensor& tensor) {
  std::uint64_t bytes = 0;
  SB_CHECK(bytes_of(tensor.dtype, element_count(tensor), bytes));
  return bytes;
}

bool is_contiguous(const Tensor& tensor) {
  std::uint64_t expected = 1;
  for (std::size_t dimension = tensor.shape.size(); dimension-- > 0;) {
    if (tensor.shape[dimension] == 0) return true;
    if (tensor.shape[dimension] != 1 && tensor.strides[dimension] != expected) return false;
    expected *= tensor.shape[dimension];
  }
  return true;
}

std::vector<std::uint64_t> contiguous_strides(const std::vector<std::uint64_t>& shape) {
  std::vector<std::uint64_t> strides(shape.size());
  std::uint64_t stride = 1;
  for (std::size_t dimension = shape.size(); dimension-- > 0;) {
    strides[dimension] = stride;
    stride *= std::max<std::uint64_t>(shape[dimension], 1);  // wraps only for shapes that check_layout refuses
  }
  return strides;
}

std::string shape_text(const std::vector<std::uint64_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

Status check_layout(const Tensor& tensor, std::uint64_t storage_bytes) {
  SB_CHECK(tensor.shape.size() == tensor.strides.size());
  std::string name = base::sanitize_utf8(tensor.name);
  if (tensor.shape.size() > kDimensionsMax) {
    return Error("weights.limit", text("the tensor has {} dimensions, more than the limit of {}", "张量有 {} 维，超过上限 {}",
                                       tensor.shape.size(), kDimensionsMax))
        .in_field(name);
  }
  std::uint64_t count = 1, bytes = 0, last = tensor.offset;
  bool is_empty = std::find(tensor.shape.begin(), tensor.shape.end(), 0U) != tensor.shape.end();
  bool fits = true;
  for (std::size_t dimension = 0; dimension < tensor.shape.size(); ++dimension) {
    std::uint64_t reach = 0;
    fits = fits && multiply(count, std::max<std::uint64_t>(tensor.shape[dimension], 1), count);
    if (is_empty) continue;
    fits = fits && multiply(tensor.shape[dimension] - 1, tensor.strides[dimension], reach) && add(last, reach, last);
  }
  fits = fits && bytes_of(tensor.dtype, count, bytes);
  if (is_empty && fits) return {};
  std::uint64_t end_bytes = 0;
  if (!fits || last == UINT64_MAX || !bytes_of(tensor.dtype, last + 1, end_bytes) || end_bytes > storage_bytes) {
    return Error("weights.tensor_out_of_range",
                 text("the tensor {} with strides {} from element {} needs more than the {} bytes of its storage",
                      "张量 {} 步长 {} 起始元素 {} 超出其存储的 {} 字节", shape_text(tensor.shape), shape_text(tensor.strides),
                      tensor.offset, storage_bytes))
        .in_field(name);
  }
  if (bytes > kRepetitionFloorBytes && bytes / kRepetitionMax > storage_bytes) {
    return Error("weights.limit", text("the tensor repeats a storage of {} bytes to {} bytes",
                                       "张量把 {} 字节的存储重复展开为 {} 字节", storage_bytes, bytes))
        .in_field(name);
  }
  return {};
}

const Tensor* Checkpoint::find(std::string_view name) const {
  for (const Tensor& tensor : tensors) {
    if (tensor.name == name) return &tensor;
  }
  return nullptr;
}

}  // namespace starbridge::weights
