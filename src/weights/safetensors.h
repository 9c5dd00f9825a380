// Reads a safetensors file: eight bytes of length, a JSON header, the data. Blocking; any thread.
#pragma once

#include <string>

#include "base/result.h"
#include "weights/checkpoint.h"

namespace starbridge::weights {

// The format's own limit on the header.
constexpr std::uint64_t kSafetensorsHeaderBytesMax = 100'000'000;

// Refuses what the format's specification refuses: headers beyond the limit, names that come twice, unknown types, tensors that
// overlap, leave holes, or end before or after the end of the file.
// Errors: those of FileSource::open, weights.malformed, weights.limit, weights.tensor_out_of_range.
base::Result<Checkpoint> read_safetensors(const std::string& path);

// True when the first bytes of a file can be the start of a safetensors file of `file_bytes`.
bool looks_like_safetensors(std::string_view first_bytes, std::uint64_t file_bytes);

}  // namespace starbridge::weights
