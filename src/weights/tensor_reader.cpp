#include "weights/tensor_reader.h"

#include <algorithm>
#include <cstring>

#include "weights/bytes.h"

namespace starbridge::weights {

using base::Status;
using base::text;

namespace {

constexpr std::uint64_t kSlabBytes = 4U << 20;
// Asked for in long runs: two files on two threads are four streams, and a disk that jumps between them every few MiB gives half
// its speed (measured: 8 MiB 0.55, 64 MiB 0.87 of reading one file after the other).
constexpr std::uint64_t kPrefetchBytes = 64U << 20;
// Elements further apart than this are read one by one, nearer ones with what lies between.
constexpr std::uint64_t kGapBytesMax = 512;

// The sign bits of `width`-byte floats, every `step` bytes from `first`.
void flip_signs(std::span<std::byte> bytes, std::size_t width, std::size_t first, std::size_t step) {
  for (std::size_t at = first + width - 1; at < bytes.size(); at += step) bytes[at] ^= std::byte{0x80};
}

}  // namespace

TensorReader::TensorReader(const Checkpoint& checkpoint, const Tensor& tensor)
    : tensor_(&tensor), item_bytes_(item_bytes(tensor.dtype)), total_(weights::byte_count(tensor)) {
  SB_CHECK(tensor.storage != kNoStorage);
  storage_ = &checkpoint.storages[tensor.storage];
  is_in_order_ = is_contiguous(tensor);
  if (is_in_order_ || total_ == 0) {
    is_in_order_ = true;
    return;
  }
  row_elements_ = 1;
  slab_axis_ = tensor.shape.size() - 1;
  std::uint64_t slab_elements = std::max<std::uint64_t>(kSlabBytes / item_bytes_, 1);
  while (slab_axis_ > 0 && row_elements_ * tensor.shape[slab_axis_] <= slab_elements) {
    row_elements_ *= tensor.shape[slab_axis_];
    --slab_axis_;
  }
  slab_rows_ = std::clamp<std::uint64_t>(slab_elements / row_elements_, 1, tensor.shape[slab_axis_]);
  outer_.assign(slab_axis_ + 1, 0);
}

void TensorReader::rewind() {
  position_ = 0;
  prefetched_ = 0;
  slab_.clear();
  slab_used_ = 0;
  std::fill(outer_.begin(), outer_.end(), 0);
}

Status TensorReader::read(std::span<std::byte> out) {
  SB_CHECK(out.size() <= total_ - position_);
  Status done = is_in_order_ ? read_in_order(out) : read_strided(out);
  if (!done.ok()) {
    return std::move(done).error().while_doing(text("reading the tensor {}", "读取张量 {}", tensor_->name));
  }
  finish(out);
  return {};
}

Status TensorReader::read_in_order(std::span<std::byte> out) {
  std::uint64_t begin = storage_->offset + tensor_->offset * item_bytes_ + position_;
  position_ += out.size();
  if (position_ < total_ && position_ + kPrefetchBytes / 2 > prefetched_) {
    std::uint64_t from = std::max(prefetched_, position_);
    std::uint64_t until = std::min(total_, position_ + kPrefetchBytes);
    storage_->source->prefetch(begin - (position_ - out.size()) + from, until - from);
    prefetched_ = until;
  }
  return storage_->source->read(begin, out);
}

Status TensorReader::read_strided(std::span<std::byte> out) {
  while (!out.empty()) {
    if (slab_used_ == slab_.size()) SB_TRY_VOID(fill_slab());
    std::size_t piece = std::min(out.size(), slab_.size() - slab_used_);
    std::memcpy(out.data(), slab_.data() + slab_used_, piece);
    slab_used_ += piece;
    position_ += piece;
    out = out.subspan(piece);
  }
  return {};
}

Status TensorReader::fill_slab() {
  const std::vector<std::uint64_t>& shape = tensor_->shape;
  std::uint64_t rows = std::min(slab_rows_, shape[slab_axis_] - outer_[slab_axis_]);
  slab_.resize(static_cast<std::size_t>(rows * row_elements_ * item_bytes_));
  slab_used_ = 0;
  std::uint64_t element = tensor_->offset;
  for (std::size_t axis = 0; axis <= slab_axis_; ++axis) element += outer_[axis] * tensor_->strides[axis];
  std::vector<Axis> axes;
  std::uint64_t out_stride = row_elements_;
  axes.push_back({rows, tensor_->strides[slab_axis_], out_stride});
  for (std::size_t axis = slab_axis_ + 1; axis < shape.size(); ++axis) {
    out_stride /= shape[axis];
    if (shape[axis] > 1) axes.push_back({shape[axis], tensor_->strides[axis], out_stride});
  }
  // The nearest elements last, so that they are read in one run; repeated ones (stride 0) first, they cost no reading ahead.
  std::sort(axes.begin(), axes.end(), [](const Axis& left, const Axis& right) {
    return (left.stride == 0 ? UINT64_MAX : left.stride) > (right.stride == 0 ? UINT64_MAX : right.stride);
  });
  SB_TRY_VOID(gather(std::move(axes), element));
  outer_[slab_axis_] += rows;
  for (std::size_t axis = slab_axis_; axis > 0 && outer_[axis] == shape[axis]; --axis) {
    outer_[axis] = 0;
    ++outer_[axis - 1];
  }
  return {};
}

Status TensorReader::gather(std::vector<Axis> axes, std::uint64_t source_element) {
  const Axis run = axes.back();
  axes.pop_back();
  std::vector<std::uint64_t> index(axes.size(), 0);
  bool is_one_run = run.stride == 0 || (run.stride - 1) * item_bytes_ <= kGapBytesMax;
  std::uint64_t run_elements = (run.size - 1) * run.stride + 1;
  run_.resize(static_cast<std::size_t>((is_one_run ? run_elements : 1) * item_bytes_));
  for (;;) {
    std::uint64_t from = source_element, to = 0;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      from += index[axis] * axes[axis].stride;
      to += index[axis] * axes[axis].out_stride;
    }
    for (std::uint64_t at = 0; at < run.size; ++at) {
      if (at == 0 || !is_one_run) {
        std::uint64_t element = from + (is_one_run ? 0 : at * run.stride);
        SB_TRY_VOID(storage_->source->read(storage_->offset + element * item_bytes_, run_));
      }
      std::memcpy(slab_.data() + (to + at * run.out_stride) * item_bytes_,
                  run_.data() + (is_one_run ? at * run.stride * item_bytes_ : 0), item_bytes_);
    }
    std::size_t axis = axes.size();
    while (axis > 0 && ++index[axis - 1] == axes[axis - 1].size) index[--axis] = 0;
    if (axis == 0) return {};
  }
}

void TensorReader::finish(std::span<std::byte> out) const {
  std::size_t width = item_bytes(info(tensor_->dtype).component);
  if (storage_->is_big_endian && width > 1) swap_bytes(reinterpret_cast<char*>(out.data()), out.size(), width);
  bool is_complex = info(tensor_->dtype).kind == Kind::kComplex;
  if (tensor_->is_conjugated && is_complex) flip_signs(out, width, width, 2 * width);
  if (tensor_->is_negated) flip_signs(out, width, 0, width);
}

}  // namespace starbridge::weights
