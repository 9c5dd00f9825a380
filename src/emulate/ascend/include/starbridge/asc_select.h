// Comparisons, selection, gathering, filling by index, transposition.
#pragma once

namespace AscendC {

SB_DEVICE constexpr int sb_comparison(CMPMODE mode) { return SB_LT + static_cast<int>(mode); }

// --- comparisons: one bit per element ------------------------------------------------------------------------------------------
template <typename T, typename U>
SB_DEVICE sb_vec sb_compare(const char* name, const LocalTensor<U>& dst, const LocalTensor<T>& src, CMPMODE mode) {
  sb_vec call = sb_make<T>(name, sb_comparison(mode), dst.sb_address);
  sb_source(call, src);
  return call;
}
template <typename T, typename U>
SB_DEVICE void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE mode, uint32_t count) {
  sb_vec call = sb_compare("Compare", dst, src0, mode);
  sb_source(call, src1);
  sb_go<T>(call, count);
}
template <typename T, typename U, bool isSetMask = true>
SB_DEVICE void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE mode, const uint64_t mask, uint8_t repeat, const BinaryRepeatParams& params) {
  sb_vec call = sb_compare("Compare", dst, src0, mode);
  sb_source(call, src1);
  sb_slice<isSetMask>(call, mask, 0, 0, repeat);
  sb_strides(call, params);
  __sb_asc_vector(&call);
}
template <typename T, typename U, bool isSetMask = true>
SB_DEVICE void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE mode, const uint64_t mask[], uint8_t repeat, const BinaryRepeatParams& params) {
  sb_vec call = sb_compare("Compare", dst, src0, mode);
  sb_source(call, src1);
  sb_slice<isSetMask>(call, mask[0], sizeof(T) == 2 ? mask[1] : 0, 1, repeat);
  sb_strides(call, params);
  __sb_asc_vector(&call);
}
// Into the register that Select reads: one repeat.
template <typename T, bool isSetMask = true>
SB_DEVICE void Compare(const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE mode, const uint64_t mask, const BinaryRepeatParams& params) {
  sb_vec call = sb_make<T>("Compare", sb_comparison(mode), nullptr);
  sb_source(call, src0);
  sb_source(call, src1);
  sb_slice<isSetMask>(call, mask, 0, 0, 1);
  sb_strides(call, params);
  __sb_asc_vector(&call);
}
template <typename T, typename U, bool isSetMask = true>
SB_DEVICE void CompareScalar(const LocalTensor<U>& dst, const LocalTensor<T>& src, const typename sb_value_of<T>::type scalar, CMPMODE mode, uint32_t count) {
  sb_vec call = sb_compare("CompareScalar", dst, src, mode);
  call.has_value = 1;
  call.value = sb_bits<T>(scalar);
  sb_go<T>(call, count);
}
template <typename T, typename U, bool isSetMask = true>
SB_DEVICE void CompareScalar(const LocalTensor<U>& dst, const LocalTensor<T>& src, const typename sb_value_of<T>::type scalar, CMPMODE mode, const uint64_t mask, uint8_t repeat, const UnaryRepeatParams& params) {
  sb_vec call = sb_compare("CompareScalar", dst, src, mode);
  call.has_value = 1;
  call.value = sb_bits<T>(scalar);
  sb_slice<isSetMask>(call, mask, 0, 0, repeat);
  sb_strides(call, params);
  __sb_asc_vector(&call);
}
template <typename T>
SB_DEVICE void SetCmpMask(const LocalTensor<T>& src) { __sb_asc_set_compare_mask(src.sb_address); }
template <typename T>
SB_DEVICE void GetCmpMask(const LocalTensor<T>& dst) { __sb_asc_get_compare_mask(dst.sb_address); }

// --- selection -----------------------------------------------------------------------------------------------------------------
template <typename T, typename U>
SB_DEVICE sb_select sb_make_select(const LocalTensor<T>& dst, const LocalTensor<U>* bits, const LocalTensor<T>& src0, SELMODE mode) {
  sb_select call = {};
  call.name = "Select";
  call.type = sb_code<T>::value;
  call.size = sizeof(T);
  call.mode = static_cast<int>(mode);
  call.dst = dst.sb_address;
  call.mask_bits = bits == nullptr ? nullptr : bits->sb_address;
  call.src0 = src0.sb_address;
  call.dst_blk = call.src_blk[0] = call.src_blk[1] = 1;
  call.dst_rep = call.src_rep[0] = call.src_rep[1] = 8;
  return call;
}
SB_DEVICE void sb_select_sliced(sb_select& call, sb_word low, sb_word high, int bits, int repeat, const BinaryRepeatParams& p, bool sets_mask = true) {
  call.form = sets_mask ? SB_BY_MASK : SB_BY_STATE;
  call.count = bits ? -1 : static_cast<sb_long>(low);
  call.mask[0] = low;
  call.mask[1] = high;
  call.repeat = repeat;
  call.is_sliced = 1;
  call.dst_blk = p.dstBlkStride;
  call.src_blk[0] = p.src0BlkStride;
  call.src_blk[1] = p.src1BlkStride;
  call.dst_rep = p.dstRepStride;
  call.src_rep[0] = p.src0RepStride;
  call.src_rep[1] = p.src1RepStride;
  __sb_asc_select(&call);
}
template <typename T, typename U>
SB_DEVICE void Select(const LocalTensor<T>& dst, const LocalTensor<U>& bits, const LocalTensor<T>& src0, const LocalTensor<T>& src1, SELMODE mode, uint32_t count) {
  sb_select call = sb_make_select(dst, &bits, src0, mode);
  call.src1 = src1.sb_address;
  call.count = count;
  __sb_asc_select(&call);
}
template <typename T, typename U>
SB_DEVICE void Select(const LocalTensor<T>& dst, const LocalTensor<U>& bits, const LocalTensor<T>& src0, T src1, SELMODE mode, uint32_t count) {
  sb_select call = sb_make_select(dst, &bits, src0, mode);
  call.has_value = 1;
  call.value = sb_bits(src1);
  call.count = count;
  __sb_asc_select(&call);
}
template <typename T, typename U, bool isSetMask = true>
SB_DEVICE void Select(const LocalTensor<T>& dst, const LocalTensor<U>& bits, const LocalTensor<T>& src0, const LocalTensor<T>& src1, SELMODE mode, uint64_t mask, uint8_t repeat, const BinaryRepeatParams& params) {
  sb_select call = sb_make_select(dst, &bits, src0, mode);
  call.src1 = src1.sb_address;
  sb_select_sliced(call, mask, 0, 0, repeat, params, isSetMask);
}
template <typename T, typename U, bool isSetMask = true>
SB_DEVICE void Select(const LocalTensor<T>& dst, const LocalTensor<U>& bits, const LocalTensor<T>& src0, const LocalTensor<T>& src1, SELMODE mode, uint64_t mask[], uint8_t repeat, const BinaryRepeatParams& params) {
  sb_select call = sb_make_select(dst, &bits, src0, mode);
  call.src1 = src1.sb_address;
  sb_select_sliced(call, mask[0], sizeof(T) == 2 ? mask[1] : 0, 1, repeat, params, isSetMask);
}
template <typename T, typename U, bool isSetMask = true>
SB_DEVICE void Select(const LocalTensor<T>& dst, const LocalTensor<U>& bits, const LocalTensor<T>& src0, T src1, SELMODE mode, uint64_t mask, uint8_t repeat, const BinaryRepeatParams& params) {
  sb_select call = sb_make_select(dst, &bits, src0, mode);
  call.has_value = 1;
  call.value = sb_bits(src1);
  sb_select_sliced(call, mask, 0, 0, repeat, params, isSetMask);
}
template <typename T, SELMODE mode>
SB_DEVICE void Select(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint8_t repeat, const BinaryRepeatParams& params) {
  sb_select call = sb_make_select<T, uint8_t>(dst, nullptr, src0, mode);
  call.src1 = src1.sb_address;
  sb_select_sliced(call, 0, 0, 0, repeat, params, false);
}

// --- gathering -----------------------------------------------------------------------------------------------------------------
template <typename T>
SB_DEVICE sb_gather_mask sb_make_gather_mask(const LocalTensor<T>& dst, const LocalTensor<T>& src, bool reduces, uint32_t mask, const GatherMaskParams& p) {
  sb_gather_mask call = {};
  call.name = "GatherMask";
  call.size = sizeof(T);
  call.reduces = reduces;
  call.mask = mask;
  call.repeat = p.repeatTimes;
  call.src_blk = p.src0BlockStride;
  call.src_rep = p.src0RepeatStride;
  call.pattern_rep = p.src1RepeatStride;
  call.dst = dst.sb_address;
  call.src = src.sb_address;
  return call;
}
template <typename T, typename U>
SB_DEVICE void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<U>& pattern, const bool reduces, const uint32_t mask, const GatherMaskParams& params, uint64_t& count) {
  sb_gather_mask call = sb_make_gather_mask(dst, src, reduces, mask, params);
  call.bits = pattern.sb_address;
  count = static_cast<uint64_t>(__sb_asc_gather_mask(&call));
}
template <typename T>
SB_DEVICE void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint8_t pattern, const bool reduces, const uint32_t mask, const GatherMaskParams& params, uint64_t& count) {
  sb_gather_mask call = sb_make_gather_mask(dst, src, reduces, mask, params);
  call.pattern = pattern;
  count = static_cast<uint64_t>(__sb_asc_gather_mask(&call));
}
template <typename T>
SB_DEVICE void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& offsets, const uint32_t base, const uint32_t count) {
  __sb_asc_gather("Gather", sizeof(T), dst.sb_address, src.sb_address, offsets.sb_address, base, count, 0, 0, 1, 8);
}
template <typename T>
SB_DEVICE void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& offsets, const uint32_t base, const uint64_t mask, const uint8_t repeat, const uint16_t dst_rep) {
  __sb_asc_gather("Gather", sizeof(T), dst.sb_address, src.sb_address, offsets.sb_address, base, static_cast<sb_long>(mask), 0, repeat, 1, dst_rep);
}
template <typename T>
SB_DEVICE void Gatherb(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& offsets, const uint8_t repeat, const GatherRepeatParams& params) {
  __sb_asc_gather("Gatherb", sizeof(T), dst.sb_address, src.sb_address, offsets.sb_address, 0, 8, 1, repeat, params.dstBlkStride, params.dstRepStride);
}
template <typename T>
SB_DEVICE void Scatter(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& offsets, const uint32_t base, const uint32_t count) {
  __sb_asc_scatter("Scatter", sizeof(T), dst.sb_address, src.sb_address, offsets.sb_address, base, count);
}

// --- filling, transposition ----------------------------------------------------------------------------------------------------
template <typename T>
SB_DEVICE void Brcb(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint8_t repeat, const BrcbRepeatParams& params) {
  __sb_asc_brcb("Brcb", sizeof(T), dst.sb_address, src.sb_address, repeat, params.dstBlkStride, params.dstRepStride);
}
template <typename T>
SB_DEVICE void CreateVecIndex(LocalTensor<T> dst, const T& first, uint32_t count) { __sb_asc_index("CreateVecIndex", sb_code<T>::value, dst.sb_address, sb_bits(first), sb_bits(static_cast<T>(1)), count); }
template <typename T>
SB_DEVICE void CreateVecIndex(LocalTensor<T>& dst, const T& first, uint64_t mask, uint8_t repeat, uint16_t, uint8_t) {
  __sb_asc_index("CreateVecIndex", sb_code<T>::value, dst.sb_address, sb_bits(first), sb_bits(static_cast<T>(1)), repeat <= 1 ? static_cast<sb_long>(mask) : static_cast<sb_long>(repeat) * 256 / static_cast<int>(sizeof(T)));
}
template <typename T>
SB_DEVICE void CreateVecIndex(LocalTensor<T>& dst, const T& first, uint64_t*, uint8_t repeat, uint16_t, uint8_t) {
  __sb_asc_index("CreateVecIndex", sb_code<T>::value, dst.sb_address, sb_bits(first), sb_bits(static_cast<T>(1)), static_cast<sb_long>(repeat) * 256 / static_cast<int>(sizeof(T)));
}
template <typename T>
SB_DEVICE void ArithProgression(const LocalTensor<T>& dst, const typename sb_value_of<T>::type first, const typename sb_value_of<T>::type step, const int32_t count) {
  __sb_asc_index("ArithProgression", sb_code<T>::value, dst.sb_address, sb_bits<T>(first), sb_bits<T>(step), count);
}
template <typename T>
SB_DEVICE void Arange(const LocalTensor<T>& dst, const T first, const T step, const int32_t count) { __sb_asc_index("Arange", sb_code<T>::value, dst.sb_address, sb_bits(first), sb_bits(step), count); }
template <typename T>
SB_DEVICE void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src) { __sb_asc_transpose("Transpose", sizeof(T), dst.sb_address, src.sb_address, 16, 16); }
template <typename T>
SB_DEVICE void TransDataTo5HD(const LocalTensor<T> (&dst)[16], const LocalTensor<T> (&src)[16], const TransDataTo5HDParams& params) {
  sb_word to[16], from[16];
  for (int i = 0; i < 16; ++i) {
    to[i] = reinterpret_cast<sb_word>(dst[i].sb_address);
    from[i] = reinterpret_cast<sb_word>(src[i].sb_address);
  }
  __sb_asc_to_5hd("TransDataTo5HD", sizeof(T), to, from, params.dstHighHalf, params.srcHighHalf, params.repeatTimes, params.dstRepStride, params.srcRepStride);
}
template <typename T>
SB_DEVICE void TransDataTo5HD(uint64_t dst[16], uint64_t src[16], const TransDataTo5HDParams& params) {
  sb_word to[16], from[16];
  for (int i = 0; i < 16; ++i) {
    to[i] = dst[i];
    from[i] = src[i];
  }
  __sb_asc_to_5hd("TransDataTo5HD", sizeof(T), to, from, params.dstHighHalf, params.srcHighHalf, params.repeatTimes, params.dstRepStride, params.srcRepStride);
}
template <typename T, int32_t dim, int32_t axis, bool reuse = false>
SB_DEVICE void BroadCast(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t to[dim], const uint32_t from[dim]) {
  __sb_asc_broadcast("BroadCast", sizeof(T), dst.sb_address, src.sb_address, dim, to, from);
}
template <typename T, int32_t dim, int32_t axis, bool reuse = false>
SB_DEVICE void BroadCast(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t to[dim], const uint32_t from[dim], LocalTensor<uint8_t>&) {
  __sb_asc_broadcast("BroadCast", sizeof(T), dst.sb_address, src.sb_address, dim, to, from);
}

// --- sorting: records of 8 bytes, the score and its index ------------------------------------------------------------------------
struct MrgSortSrcListBase {};
template <typename T>
struct MrgSortSrcList {
  MrgSortSrcList() = default;
  __device__ MrgSortSrcList(const LocalTensor<T>& a, const LocalTensor<T>& b, const LocalTensor<T>& c, const LocalTensor<T>& d) : src1(a), src2(b), src3(c), src4(d) {}
  LocalTensor<T> src1, src2, src3, src4;
};
template <typename T>
SB_DEVICE void Sort32(const LocalTensor<T>& dst, const LocalTensor<T>& values, const LocalTensor<uint32_t>& indices, const int32_t repeat) {
  __sb_asc_sort32("Sort32", sb_code<T>::value, dst.sb_address, values.sb_address, indices.sb_address, repeat);
}
extern __device__ __thread unsigned sb_sorted_counts[4] __asm__("__sb_asc_sorted");
template <typename T, bool isExhaustedSuspension = false>
SB_DEVICE void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& list, const uint16_t lengths[4], uint32_t counts[4], uint16_t validBit, const int32_t repeat) {
  const void* src[4] = {list.src1.sb_address, list.src2.sb_address, list.src3.sb_address, list.src4.sb_address};
  __sb_asc_merge_sort("MrgSort", sb_code<T>::value, dst.sb_address, src, lengths, validBit, repeat, isExhaustedSuspension, counts);
}
template <typename T>
SB_DEVICE void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& list, const MrgSort4Info& info) {
  const void* src[4] = {list.src1.sb_address, list.src2.sb_address, list.src3.sb_address, list.src4.sb_address};
  __sb_asc_merge_sort("MrgSort", sb_code<T>::value, dst.sb_address, src, info.elementLengths, info.validBit, info.repeatTimes, info.ifExhaustedSuspension, sb_sorted_counts);
}
SB_DEVICE void GetMrgSortResult(uint16_t& a, uint16_t& b, uint16_t& c, uint16_t& d) {
  a = static_cast<uint16_t>(sb_sorted_counts[0]);
  b = static_cast<uint16_t>(sb_sorted_counts[1]);
  c = static_cast<uint16_t>(sb_sorted_counts[2]);
  d = static_cast<uint16_t>(sb_sorted_counts[3]);
}
// On this generation Concat keeps values where they are: Sort reads values and indices apart.
template <typename T>
SB_DEVICE void Concat(LocalTensor<T>& concat, const LocalTensor<T>& src, const LocalTensor<T>&, const int32_t) { concat = src; }
template <typename T>
SB_DEVICE void Extract(const LocalTensor<T>& values, const LocalTensor<uint32_t>& indices, const LocalTensor<T>& sorted, const int32_t repeat) {
  __sb_asc_extract("Extract", sb_code<T>::value, values.sb_address, indices.sb_address, sorted.sb_address, repeat);
}
template <typename T>
SB_DEVICE uint32_t GetSortLen(const uint32_t count) { return count * 8 / static_cast<uint32_t>(sizeof(T)); }
template <typename T>
SB_DEVICE uint32_t GetSortOffset(const uint32_t count) { return count * 8 / static_cast<uint32_t>(sizeof(T)); }
SB_DEVICE uint32_t GetConcatTmpSize(uint32_t, uint32_t) { return 0; }
template <typename T, bool isFullSort>
SB_DEVICE void Sort(const LocalTensor<T>& dst, const LocalTensor<T>& concat, const LocalTensor<uint32_t>& indices, LocalTensor<T>& scratch, const int32_t repeat) {
  __sb_asc_sort32("Sort", sb_code<T>::value, dst.sb_address, concat.sb_address, indices.sb_address, isFullSort ? -repeat : repeat);
}

}  // namespace AscendC
