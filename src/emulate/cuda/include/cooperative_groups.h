// Cooperative groups: the block, tiles of a warp or of several warps, coalesced threads, the grid.
#pragma once

#include <type_traits>

#include "cuda_runtime.h"
#include "starbridge/phase_barrier.h"

namespace cooperative_groups {

class grid_group;
namespace details {
// Wide values travel in pieces of eight bytes.
template <class T> SB_DEVICE T exchange(unsigned int mask, T value, int source) {
  unsigned long long words[(sizeof(T) + 7) / 8] = {};
  __builtin_memcpy(words, &value, sizeof value);
  for (unsigned i = 0; i < (sizeof(T) + 7) / 8; ++i) words[i] = __sb_shuffle(mask, words[i], source);
  __builtin_memcpy(&value, words, sizeof value);
  return value;
}
// The n-th set bit of a mask.
SB_DEVICE int nth_lane(unsigned int mask, unsigned int n) {
  for (; n > 0 && mask != 0; --n) mask &= mask - 1;
  return mask == 0 ? -1 : __builtin_ctz(mask);
}
}  // namespace details

class thread_block {
 public:
  SB_MEMBER void sync() const { __syncthreads(); }
  SB_MEMBER unsigned int thread_rank() const { return __sb_thread_rank(); }
  SB_MEMBER unsigned int size() const { return blockDim.x * blockDim.y * blockDim.z; }
  SB_MEMBER unsigned int num_threads() const { return size(); }
  SB_MEMBER dim3 group_index() const { return dim3(blockIdx); }
  SB_MEMBER dim3 thread_index() const { return dim3(threadIdx); }
  SB_MEMBER dim3 group_dim() const { return blockDim; }
  SB_MEMBER dim3 dim_threads() const { return blockDim; }
  SB_MEMBER bool is_valid() const { return true; }
  struct arrival_token {};
  SB_MEMBER arrival_token barrier_arrive() const { return {}; }
  SB_MEMBER void barrier_wait(arrival_token) const { __syncthreads(); }
};
SB_DEVICE thread_block this_thread_block() { return thread_block(); }

class grid_group {
 public:
  SB_MEMBER void sync() const { __sb_grid_sync(); }
  SB_MEMBER bool is_valid() const { return __sb_is_cooperative() != 0; }
  SB_MEMBER unsigned long long block_rank() const { return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z); }
  SB_MEMBER unsigned long long num_blocks() const { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
  SB_MEMBER unsigned long long thread_rank() const { return block_rank() * (blockDim.x * blockDim.y * blockDim.z) + __sb_thread_rank(); }
  SB_MEMBER unsigned long long size() const { return num_blocks() * (blockDim.x * blockDim.y * blockDim.z); }
  SB_MEMBER unsigned long long num_threads() const { return size(); }
  SB_MEMBER dim3 group_dim() const { return gridDim; }
  SB_MEMBER dim3 dim_blocks() const { return gridDim; }
  SB_MEMBER dim3 block_index() const { return dim3(blockIdx); }
};
SB_DEVICE grid_group this_grid() { return grid_group(); }

// Some lanes of one warp.
class coalesced_group {
 public:
  SB_MEMBER explicit coalesced_group(unsigned int mask) : mask_(mask) {}
  SB_MEMBER coalesced_group(unsigned int mask, unsigned int meta_rank, unsigned int meta_size) : mask_(mask), meta_rank_(meta_rank), meta_size_(meta_size) {}
  SB_MEMBER void sync() const { __sb_sync_warp(mask_); }
  SB_MEMBER unsigned int size() const { return __builtin_popcount(mask_); }
  SB_MEMBER unsigned int num_threads() const { return size(); }
  SB_MEMBER unsigned int thread_rank() const { return __builtin_popcount(mask_ & ((1u << __sb_lane()) - 1)); }
  SB_MEMBER unsigned int meta_group_rank() const { return meta_rank_; }
  SB_MEMBER unsigned int meta_group_size() const { return meta_size_; }
  template <class T> SB_MEMBER T shfl(T value, int rank) const { return details::exchange(mask_, value, details::nth_lane(mask_, rank)); }
  template <class T> SB_MEMBER T shfl_down(T value, unsigned int delta) const {
    unsigned int rank = thread_rank() + delta;
    return details::exchange(mask_, value, rank < size() ? details::nth_lane(mask_, rank) : (int)__sb_lane());
  }
  template <class T> SB_MEMBER T shfl_up(T value, unsigned int delta) const {
    unsigned int rank = thread_rank();
    return details::exchange(mask_, value, rank >= delta ? details::nth_lane(mask_, rank - delta) : (int)__sb_lane());
  }
  template <class T> SB_MEMBER T shfl_xor(T value, unsigned int bits) const {
    unsigned int rank = thread_rank() ^ bits;
    return details::exchange(mask_, value, rank < size() ? details::nth_lane(mask_, rank) : (int)__sb_lane());
  }
  SB_MEMBER int any(int predicate) const { return __sb_ballot(mask_, predicate) != 0; }
  SB_MEMBER int all(int predicate) const { return __sb_ballot(mask_, predicate == 0) == 0; }
  SB_MEMBER unsigned int ballot(int predicate) const { return packed(__sb_ballot(mask_, predicate)); }
  template <class T> SB_MEMBER unsigned int match_any(T value) const { return packed(__match_any_sync(mask_, value)); }
  template <class T> SB_MEMBER unsigned int match_all(T value, int& all) const {
    unsigned int same = __match_any_sync(mask_, value);
    all = same == mask_;
    return all ? packed(same) : 0;
  }
  SB_MEMBER unsigned int sb_mask() const { return mask_; }

 private:
  // The group's own numbering of lanes.
  SB_MEMBER unsigned int packed(unsigned int lanes) const {
    unsigned int result = 0, rank = 0;
    for (unsigned int rest = mask_; rest != 0; rest &= rest - 1, ++rank)
      if ((lanes & (rest & -rest)) != 0) result |= 1u << rank;
    return result;
  }
  unsigned int mask_ = 0, meta_rank_ = 0, meta_size_ = 1;
};
SB_DEVICE coalesced_group coalesced_threads() { return coalesced_group(__sb_active_mask()); }

template <unsigned int Size, class Parent = void> class thread_block_tile;

// Tiles of up to a warp; larger ones meet at numbered barriers.
template <unsigned int Size> class tile_base {
 public:
  SB_MEMBER unsigned int thread_rank() const { return __sb_thread_rank() % Size; }
  SB_MEMBER static constexpr unsigned int size() { return Size; }
  SB_MEMBER static constexpr unsigned int num_threads() { return Size; }
  SB_MEMBER unsigned int meta_group_rank() const { return __sb_thread_rank() / Size % meta_size_; }
  SB_MEMBER unsigned int meta_group_size() const { return meta_size_; }
  SB_MEMBER unsigned int sb_mask() const { return Size >= 32 ? ~0u : ((1u << (Size % 32)) - 1) << (__sb_lane() / Size * Size); }
  SB_MEMBER void sync() const {
    if (Size <= 32) __sb_sync_warp(sb_mask());
    else __sb_named_barrier(0x100 + __sb_thread_rank() / Size, Size);
  }
  template <class T> SB_MEMBER T shfl(T value, int rank) const {
    static_assert(Size <= 32, "tiles larger than a warp do not shuffle");
    return details::exchange(sb_mask(), value, (int)(__sb_lane() / Size * Size) + (rank & (int)(Size - 1)));
  }
  template <class T> SB_MEMBER T shfl_down(T value, unsigned int delta) const {
    return details::exchange(sb_mask(), value, (int)(thread_rank() + delta < Size ? __sb_lane() + delta : __sb_lane()));
  }
  template <class T> SB_MEMBER T shfl_up(T value, unsigned int delta) const {
    return details::exchange(sb_mask(), value, (int)(thread_rank() >= delta ? __sb_lane() - delta : __sb_lane()));
  }
  template <class T> SB_MEMBER T shfl_xor(T value, unsigned int bits) const {
    return details::exchange(sb_mask(), value, (int)((thread_rank() ^ bits) < Size ? __sb_lane() ^ bits : __sb_lane()));
  }
  SB_MEMBER int any(int predicate) const { return __sb_ballot(sb_mask(), predicate) != 0; }
  SB_MEMBER int all(int predicate) const { return __sb_ballot(sb_mask(), predicate == 0) == 0; }
  SB_MEMBER unsigned int ballot(int predicate) const { return __sb_ballot(sb_mask(), predicate) >> (__sb_lane() / Size * Size); }
  template <class T> SB_MEMBER unsigned int match_any(T value) const { return __match_any_sync(sb_mask(), value) >> (__sb_lane() / Size * Size); }

 protected:
  SB_MEMBER explicit tile_base(unsigned int meta_size) : meta_size_(meta_size) {}
  unsigned int meta_size_;
};
template <unsigned int Size> class thread_block_tile<Size, void> : public tile_base<Size> {
 public:
  SB_MEMBER explicit thread_block_tile(unsigned int meta_size) : tile_base<Size>(meta_size) {}
  template <class P> SB_MEMBER thread_block_tile(const thread_block_tile<Size, P>& other) : tile_base<Size>(other.meta_group_size()) {}
};
template <unsigned int Size, class Parent> class thread_block_tile : public tile_base<Size> {
 public:
  SB_MEMBER explicit thread_block_tile(unsigned int meta_size) : tile_base<Size>(meta_size) {}
  SB_MEMBER operator thread_block_tile<Size, void>() const { return thread_block_tile<Size, void>(this->meta_size_); }
};

template <unsigned int Size> SB_DEVICE thread_block_tile<Size, thread_block> tiled_partition(const thread_block& parent) {
  return thread_block_tile<Size, thread_block>((parent.size() + Size - 1) / Size);
}
template <unsigned int Size, unsigned int Outer, class P>
SB_DEVICE thread_block_tile<Size, thread_block_tile<Outer, P>> tiled_partition(const thread_block_tile<Outer, P>&) {
  return thread_block_tile<Size, thread_block_tile<Outer, P>>(Outer / Size);
}
template <unsigned int Size> SB_DEVICE coalesced_group tiled_partition(const coalesced_group& parent) {
  unsigned int part = parent.thread_rank() / Size, mask = 0, rank = 0;
  for (unsigned int rest = parent.sb_mask(); rest != 0; rest &= rest - 1, ++rank)
    if (rank / Size == part) mask |= rest & -rest;
  return coalesced_group(mask, part, (parent.size() + Size - 1) / Size);
}
// Size known at run time only: at most a warp.
SB_DEVICE coalesced_group tiled_partition(const thread_block& parent, unsigned int size) {
  unsigned int first = __sb_lane() / size * size;
  unsigned int mask = size >= 32 ? ~0u : ((1u << size) - 1) << first;
  return coalesced_group(mask, __sb_thread_rank() / size, (parent.size() + size - 1) / size);
}
template <class Group, class Label> SB_DEVICE coalesced_group labeled_partition(const Group& group, Label label) {
  return coalesced_group(__match_any_sync(group.sb_mask(), label));
}
template <class Group> SB_DEVICE coalesced_group binary_partition(const Group& group, bool side) {
  unsigned int yes = __sb_ballot(group.sb_mask(), side);
  return coalesced_group(side ? yes : group.sb_mask() & ~yes);
}

template <class Group> SB_DEVICE void sync(const Group& group) { group.sync(); }
template <class Group> SB_DEVICE unsigned int thread_rank(const Group& group) { return group.thread_rank(); }
template <class Group> SB_DEVICE unsigned int group_size(const Group& group) { return group.size(); }
template <class Group, class F> SB_DEVICE void invoke_one(const Group& group, F&& function) { if (group.thread_rank() == 0) function(); }

template <class T> struct plus { SB_MEMBER T operator()(const T& a, const T& b) const { return a + b; } };
template <class T> struct less { SB_MEMBER T operator()(const T& a, const T& b) const { return b < a ? b : a; } };
template <class T> struct greater { SB_MEMBER T operator()(const T& a, const T& b) const { return a < b ? b : a; } };
template <class T> struct bit_and { SB_MEMBER T operator()(const T& a, const T& b) const { return a & b; } };
template <class T> struct bit_or { SB_MEMBER T operator()(const T& a, const T& b) const { return a | b; } };
template <class T> struct bit_xor { SB_MEMBER T operator()(const T& a, const T& b) const { return a ^ b; } };

// The same tree as the card's: halves folded onto each other, so that every lane ends with the whole.
template <class Group, class T, class Operation> SB_DEVICE T reduce(const Group& group, T value, Operation operation) {
  const unsigned int size = group.size();
  if ((size & (size - 1)) == 0) {
    for (unsigned int step = size / 2; step > 0; step /= 2) value = operation(value, group.shfl_xor(value, step));
    return value;
  }
  T result = group.shfl(value, 0);
  for (unsigned int rank = 1; rank < size; ++rank) result = operation(result, group.shfl(value, (int)rank));
  return result;
}
template <class Group, class T, class Operation> SB_DEVICE T inclusive_scan(const Group& group, T value, Operation operation) {
  for (unsigned int step = 1; step < group.size(); step *= 2) {
    T below = group.shfl_up(value, step);
    if (group.thread_rank() >= step) value = operation(below, value);
  }
  return value;
}
template <class Group, class T> SB_DEVICE T inclusive_scan(const Group& group, T value) { return inclusive_scan(group, value, plus<T>()); }
template <class Group, class T, class Operation> SB_DEVICE T exclusive_scan(const Group& group, T value, Operation operation) {
  T below = group.shfl_up(inclusive_scan(group, value, operation), 1);
  return group.thread_rank() == 0 ? T() : below;
}
template <class Group, class T> SB_DEVICE T exclusive_scan(const Group& group, T value) { return exclusive_scan(group, value, plus<T>()); }

// Copies are finished when the call returns; waiting is the group's barrier.
template <class Group, class To, class From, class Bytes> SB_DEVICE void memcpy_async(const Group& group, To* to, const From* from, Bytes bytes) {
  sb::copy_together(to, from, (size_t)bytes, group.thread_rank(), group.size());
}
template <class Group> SB_DEVICE void wait(const Group& group) { group.sync(); }
template <unsigned int Stages, class Group> SB_DEVICE void wait_prior(const Group& group) { group.sync(); }

}  // namespace cooperative_groups
