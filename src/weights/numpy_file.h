// Reads .npy files (versions 1 to 3) and .npz archives of them. Blocking; any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "weights/checkpoint.h"

namespace starbridge::weights {

// Errors: those of FileSource::open and ZipReader::open, weights.malformed, weights.unsupported (objects, records, unknown
// types).
base::Result<Checkpoint> read_npy(const std::string& path);
base::Result<Checkpoint> read_npz(const std::string& path);

struct NpyHeader {
  DType dtype = DType::kF32;
  bool is_big_endian = false;
  bool is_fortran = false;
  std::vector<std::uint64_t> shape;
};
// The Python literal in a header: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }. Nothing is evaluated.
base::Result<NpyHeader> parse_npy_header(std::string_view text);

}  // namespace starbridge::weights
