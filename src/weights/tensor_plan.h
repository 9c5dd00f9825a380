// TensorPlan: what a conversion writes: tensors in order, each with its source and its new type, cut into shards. Internal to the
// room.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "weights/convert.h"
#include "weights/output.h"

namespace starbridge::weights {

struct PlannedTensor {
  const Tensor* source;
  DType dtype;
  std::string device;  // new tag
  std::uint64_t bytes;
};

// Reads the tensor, converts it and hands it on in pieces.
using PieceSink = std::function<base::Status(std::span<const std::byte>)>;
base::Status stream_tensor(const Checkpoint& checkpoint, const PlannedTensor& planned, ConversionCounts& counts,
                           const PieceSink& sink);

// Writers of one file; `tensors` in the order of the model.
base::Status write_safetensors(const Checkpoint& checkpoint, const std::vector<PlannedTensor>& tensors,
                               const std::map<std::string, std::string>& metadata, OutputFile& file, ConvertReport& report);
base::Status write_torch(const Checkpoint& checkpoint, const std::vector<PlannedTensor>& tensors, OutputFile& file,
                         ConvertReport& report);

// A torch file again, with tags and types changed inside its own pickle and everything else kept. False: the file is of no such
// kind, and a new one must be made from its tensors.
base::Result<bool> rewrite_torch(const std::string& from, const std::string& to, const ConvertOptions& options,
                                 ConvertReport& report);

// Fails when whole numbers were lost, or floats while the options refuse that.
base::Status check_overflow(const ConvertOptions& options, const ConvertReport& report);

}  // namespace starbridge::weights
