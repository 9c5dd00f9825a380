// Reductions: of a whole tensor, per repeat, per block of 32 bytes, per pair.
#pragma once

namespace AscendC {

template <typename T>
SB_DEVICE sb_reduce sb_make_reduce(const char* name, int what, int scope, const LocalTensor<T>& dst, const LocalTensor<T>& src) {
  sb_reduce call = {};
  call.name = name;
  call.what = what;
  call.scope = scope;
  call.type = sb_code<T>::value;
  call.dst = dst.sb_address;
  call.src = src.sb_address;
  call.order = SB_ONLY_VALUE;
  call.src_blk = 1;
  call.src_rep = 8;
  call.dst_rep = 1;
  return call;
}
template <bool isSetMask>
SB_DEVICE void sb_reduce_slice(sb_reduce& call, sb_word low, sb_word high, int bits, int repeat, int dst_rep, int src_blk, int src_rep) {
  call.form = isSetMask ? SB_BY_MASK : SB_BY_STATE;
  call.count = bits ? -1 : static_cast<sb_long>(low);
  call.mask[0] = low;
  call.mask[1] = high;
  call.repeat = repeat;
  call.dst_rep = dst_rep;
  call.src_blk = src_blk;
  call.src_rep = src_rep;
  __sb_asc_reduce(&call);
}

// --- of a whole tensor ----------------------------------------------------------------------------------------------------------
#define SB_REDUCE(Name, what)                                                                                                                        \
  template <typename T, bool isSetMask = true>                                                                                                       \
  SB_DEVICE void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& scratch, const int32_t count, bool index = false) {\
    sb_reduce call = sb_make_reduce(#Name, what, SB_WHOLE, dst, src);                                                                                \
    call.scratch = scratch.sb_address;                                                                                                               \
    call.has_index = index;                                                                                                                          \
    call.order = index ? SB_VALUE_INDEX : SB_ONLY_VALUE;                                                                                             \
    call.count = count;                                                                                                                              \
    __sb_asc_reduce(&call);                                                                                                                          \
  }                                                                                                                                                  \
  template <typename T>                                                                                                                              \
  SB_DEVICE void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& scratch, const int32_t mask, const int32_t repeat, const int32_t src_rep, bool index = false) { \
    sb_reduce call = sb_make_reduce(#Name, what, SB_WHOLE, dst, src);                                                                                \
    call.scratch = scratch.sb_address;                                                                                                               \
    call.has_index = index;                                                                                                                          \
    call.order = index ? SB_VALUE_INDEX : SB_ONLY_VALUE;                                                                                             \
    sb_reduce_slice<true>(call, static_cast<sb_word>(mask), 0, 0, repeat, 1, 1, src_rep);                                                            \
  }                                                                                                                                                  \
  template <typename T>                                                                                                                              \
  SB_DEVICE void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& scratch, const uint64_t mask[], const int32_t repeat, const int32_t src_rep, bool index = false) { \
    sb_reduce call = sb_make_reduce(#Name, what, SB_WHOLE, dst, src);                                                                                \
    call.scratch = scratch.sb_address;                                                                                                               \
    call.has_index = index;                                                                                                                          \
    call.order = index ? SB_VALUE_INDEX : SB_ONLY_VALUE;                                                                                             \
    sb_reduce_slice<true>(call, mask[0], sizeof(T) == 2 ? mask[1] : 0, 1, repeat, 1, 1, src_rep);                                                    \
  }
SB_REDUCE(ReduceSum, SB_REDUCE_SUM) SB_REDUCE(ReduceMax, SB_REDUCE_MAX) SB_REDUCE(ReduceMin, SB_REDUCE_MIN)
#undef SB_REDUCE

// --- per repeat, with the place of the result --------------------------------------------------------------------------------------
#define SB_WHOLE_REDUCE(Name, what)                                                                                                                  \
  template <typename T, bool isSetMask = true>                                                                                                       \
  SB_DEVICE void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t mask, const int32_t repeat, const int32_t dst_rep, const int32_t src_blk, const int32_t src_rep, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX) { \
    sb_reduce call = sb_make_reduce(#Name, what, SB_PER_REPEAT, dst, src);                                                                           \
    call.order = static_cast<int>(order);                                                                                                            \
    call.has_index = order != ReduceOrder::ORDER_ONLY_VALUE;                                                                                         \
    sb_reduce_slice<isSetMask>(call, static_cast<sb_word>(mask), 0, 0, repeat, dst_rep, src_blk, src_rep);                                           \
  }                                                                                                                                                  \
  template <typename T, bool isSetMask = true>                                                                                                       \
  SB_DEVICE void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[], const int32_t repeat, const int32_t dst_rep, const int32_t src_blk, const int32_t src_rep, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX) { \
    sb_reduce call = sb_make_reduce(#Name, what, SB_PER_REPEAT, dst, src);                                                                           \
    call.order = static_cast<int>(order);                                                                                                            \
    call.has_index = order != ReduceOrder::ORDER_ONLY_VALUE;                                                                                         \
    sb_reduce_slice<isSetMask>(call, mask[0], sizeof(T) == 2 ? mask[1] : 0, 1, repeat, dst_rep, src_blk, src_rep);                                   \
  }
SB_WHOLE_REDUCE(WholeReduceMax, SB_REDUCE_MAX) SB_WHOLE_REDUCE(WholeReduceMin, SB_REDUCE_MIN)
#undef SB_WHOLE_REDUCE

// --- per repeat, block or pair, the value alone: blocks and pairs take the number of repeats before the mask -----------------
#define SB_PART_REDUCE(Name, what, scope)                                                                                                            \
  template <typename T, bool isSetMask = true>                                                                                                       \
  SB_DEVICE void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t mask, const int32_t repeat, const int32_t dst_rep, const int32_t src_blk, const int32_t src_rep) { \
    sb_reduce call = sb_make_reduce(#Name, what, scope, dst, src);                                                                                   \
    sb_reduce_slice<isSetMask>(call, static_cast<sb_word>(mask), 0, 0, repeat, dst_rep, src_blk, src_rep);                                           \
  }                                                                                                                                                  \
  template <typename T, bool isSetMask = true>                                                                                                       \
  SB_DEVICE void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[], const int32_t repeat, const int32_t dst_rep, const int32_t src_blk, const int32_t src_rep) { \
    sb_reduce call = sb_make_reduce(#Name, what, scope, dst, src);                                                                                   \
    sb_reduce_slice<isSetMask>(call, mask[0], sizeof(T) == 2 ? mask[1] : 0, 1, repeat, dst_rep, src_blk, src_rep);                                   \
  }
#define SB_BLOCK_REDUCE(Name, what, scope)                                                                                                           \
  template <typename T, bool isSetMask = true>                                                                                                       \
  SB_DEVICE void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeat, const int32_t mask, const int32_t dst_rep, const int32_t src_blk, const int32_t src_rep) { \
    sb_reduce call = sb_make_reduce(#Name, what, scope, dst, src);                                                                                   \
    sb_reduce_slice<isSetMask>(call, static_cast<sb_word>(mask), 0, 0, repeat, dst_rep, src_blk, src_rep);                                           \
  }                                                                                                                                                  \
  template <typename T, bool isSetMask = true>                                                                                                       \
  SB_DEVICE void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeat, const uint64_t mask[], const int32_t dst_rep, const int32_t src_blk, const int32_t src_rep) { \
    sb_reduce call = sb_make_reduce(#Name, what, scope, dst, src);                                                                                   \
    sb_reduce_slice<isSetMask>(call, mask[0], sizeof(T) == 2 ? mask[1] : 0, 1, repeat, dst_rep, src_blk, src_rep);                                   \
  }
SB_PART_REDUCE(WholeReduceSum, SB_REDUCE_SUM, SB_PER_REPEAT)
SB_BLOCK_REDUCE(PairReduceSum, SB_REDUCE_SUM, SB_PER_PAIR) SB_BLOCK_REDUCE(BlockReduceSum, SB_REDUCE_SUM, SB_PER_BLOCK)
SB_BLOCK_REDUCE(BlockReduceMax, SB_REDUCE_MAX, SB_PER_BLOCK) SB_BLOCK_REDUCE(BlockReduceMin, SB_REDUCE_MIN, SB_PER_BLOCK)
#undef SB_PART_REDUCE
#undef SB_BLOCK_REDUCE
template <typename T, bool isSetMask = true>
SB_DEVICE void RepeatReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeat, const int32_t mask, const int32_t, const int32_t src_blk, const int32_t dst_rep, const int32_t src_rep) {
  sb_reduce call = sb_make_reduce("RepeatReduceSum", SB_REDUCE_SUM, SB_PER_REPEAT, dst, src);
  sb_reduce_slice<isSetMask>(call, static_cast<sb_word>(mask), 0, 0, repeat, dst_rep, src_blk, src_rep);
}
SB_DEVICE int64_t GetAccVal() { return __sb_asc_system(12); }

}  // namespace AscendC
