// TensorReader: the elements of one tensor in their logical order, piece by piece, as little-endian bytes, whatever its strides,
// byte order, and conjugate or negative bits. One thread per reader; several readers of one checkpoint may run side by side.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.h"
#include "weights/checkpoint.h"

namespace starbridge::weights {

class TensorReader {
 public:
  // Both must outlive the reader. The tensor must have a storage.
  TensorReader(const Checkpoint& checkpoint, const Tensor& tensor);

  std::uint64_t byte_count() const { return total_; }
  std::uint64_t position() const { return position_; }
  // Fills `out` with the next bytes. `out` must not reach beyond the end and must hold whole elements.
  // Errors: those of ByteSource::read, with the tensor's name.
  base::Status read(std::span<std::byte> out);
  // Starts again.
  void rewind();

 private:
  struct Axis {
    std::uint64_t size;
    std::uint64_t stride;      // in the storage, elements
    std::uint64_t out_stride;  // in the slab, elements
  };
  base::Status read_in_order(std::span<std::byte> out);
  base::Status read_strided(std::span<std::byte> out);
  base::Status fill_slab();
  base::Status gather(std::vector<Axis> axes, std::uint64_t source_element);
  void finish(std::span<std::byte> out) const;

  const Storage* storage_;
  const Tensor* tensor_;
  std::size_t item_bytes_;
  std::uint64_t total_;
  std::uint64_t position_ = 0;
  std::uint64_t prefetched_ = 0;
  bool is_in_order_;
  // Strided tensors are gathered in slabs: all elements below one index range of one axis, so that a transposed matrix is read in
  // runs and not element by element.
  std::size_t slab_axis_ = 0;
  std::uint64_t slab_rows_ = 0;       // indices of slab_axis_ in one slab
  std::uint64_t row_elements_ = 0;    // elements below one index of slab_axis_
  std::vector<std::uint64_t> outer_;  // index of the axes before slab_axis_, and of slab_axis_ itself
  std::vector<std::byte> slab_;
  std::vector<std::byte> run_;
  std::size_t slab_used_ = 0;
};

}  // namespace starbridge::weights
