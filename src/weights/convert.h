// Conversion of checkpoints: format, element types, device tags, shards. What is written is whole or not there. Blocking.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "weights/checkpoint.h"
#include "weights/device_map.h"
#include "weights/number.h"

namespace starbridge::weights {

struct ConvertOptions {
  std::map<DType, DType> dtypes;  // what is not named stays
  DeviceMap devices;
  std::uint64_t shard_bytes = 0;         // 0: one file
  Format format = Format::kSafetensors;  // or kTorchZip
  bool replaces = false;                 // an existing file
  bool refuses_overflow = false;         // nothing is written when a finite number would become infinite
  bool drops_tied = false;  // safetensors: a tensor that is another one is named in the metadata and not written again
};

struct ConvertReport {
  std::vector<std::string> files;
  std::size_t tensor_count = 0;
  std::uint64_t bytes = 0;  // of all files
  std::map<std::pair<DType, DType>, ConversionCounts> conversions;
  std::map<std::pair<std::string, std::string>, std::size_t> devices;  // old tag, new tag: tensors
  std::vector<std::string> dropped_values;                             // that were no tensors and have no place in the new file
  std::size_t dropped_value_count = 0;
  bool is_rewritten = false;  // a torch file whose other content was kept as it is
  std::vector<base::Text> remarks;
};

// "bf16": every float64, float32 and float16 (and complex numbers of their parts where the target has such).
// "float64=float32,int64=int32". Error: base.usage.
base::Result<std::map<DType, DType>> parse_dtypes(const std::string& word);
// "5GB", "500MB", "2GiB", "1000000". Error: base.usage.
base::Result<std::uint64_t> parse_size(const std::string& word);

// Errors: those of open_checkpoint and of OutputFile, weights.unsupported, weights.lossy_conversion.
base::Result<ConvertReport> convert(const std::string& from, const std::string& to, const ConvertOptions& options);

}  // namespace starbridge::weights
