// Checkpoint: what a file of weights holds, whatever its format: tensors by name, where their bytes lie, and what else was found.
// Opening reads headers only and runs nothing that a file asks for. A checkpoint may be read from several threads at once.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "weights/byte_source.h"
#include "weights/dtype.h"

namespace starbridge::weights {

enum class Format : std::uint8_t {
  kSafetensors,
  kTorchZip,     // torch.save since PyTorch 1.6; also TorchScript archives
  kTorchLegacy,  // torch.save before it
  kPickle,       // a plain pickle with numpy arrays
  kNumpy,        // .npy
};
std::string_view to_string(Format format);

constexpr std::size_t kNoStorage = SIZE_MAX;
constexpr std::size_t kDimensionsMax = 64;
constexpr std::size_t kTensorsMax = 1'000'000;
// A tensor may repeat the bytes it stands on (strides of 0), but not turn a small file into endless work.
constexpr std::uint64_t kRepetitionMax = 64;
constexpr std::uint64_t kRepetitionFloorBytes = 1U << 30;

struct Storage {
  std::string key;
  std::string device;  // as written: "cpu", "cuda:0"
  const ByteSource* source = nullptr;
  std::uint64_t offset = 0;  // in the source
  std::uint64_t bytes = 0;
  bool is_big_endian = false;
};

struct Tensor {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<std::uint64_t> shape;
  std::vector<std::uint64_t> strides;  // in elements
  std::uint64_t offset = 0;            // in elements of the storage
  std::size_t storage = kNoStorage;    // kNoStorage: a tensor on "meta", which has no bytes
  std::string device;
  bool requires_grad = false;
  bool is_parameter = false;
  bool is_conjugated = false;
  bool is_negated = false;
  std::size_t shard = 0;  // index in Checkpoint::files
};

std::uint64_t element_count(const Tensor& tensor);
// Bytes of all elements laid one after the other.
std::uint64_t byte_count(const Tensor& tensor);
// True when the elements lie one after the other in the storage, in order.
bool is_contiguous(const Tensor& tensor);
std::vector<std::uint64_t> contiguous_strides(const std::vector<std::uint64_t>& shape);
// "[2, 3]"
std::string shape_text(const std::vector<std::uint64_t>& shape);
// Errors: weights.tensor_out_of_range when an element lies outside the storage, weights.limit on sizes beyond reason.
base::Status check_layout(const Tensor& tensor, std::uint64_t storage_bytes);

struct Checkpoint {
  std::string path;  // as given
  Format format = Format::kSafetensors;
  std::vector<std::string> files;  // the file, or the shards in order
  std::uint64_t file_bytes = 0;    // of all files
  std::vector<std::unique_ptr<ByteSource>> sources;
  std::vector<Storage> storages;
  std::vector<Tensor> tensors;  // in the order of the file
  // torch keeps the order in which a model registers its tensors; safetensors sorts them.
  bool has_model_order = false;
  std::map<std::string, std::string> metadata;
  // What only Python could make sense of, by name, with counts. None of it was called.
  std::map<std::string, std::size_t> closed_objects;
  // Of these, what no file of weights needs and an ordinary unpickler would run: "posix.system".
  std::vector<std::string> dangerous;
  std::vector<std::string> other_values;  // names of values that are no tensors ("epoch", "optimizer.param_groups.0.lr")
  std::size_t other_value_count = 0;      // the list keeps the first ones
  std::vector<base::Text> remarks;

  const Tensor* find(std::string_view name) const;
};

// Opens a file by its content (not its suffix), an index of shards (*.index.json) or a folder of shards.
// Errors: base.file_not_found, base.not_a_file, base.no_permission, weights.unknown_format, weights.malformed, weights.limit,
// weights.tensor_out_of_range, weights.unsafe_name, weights.unsupported.
base::Result<Checkpoint> open_checkpoint(const std::string& path);

}  // namespace starbridge::weights
