// Moves between memories, atomics on the way out, the data cache.
#pragma once

namespace AscendC {

template <class T>
SB_DEVICE sb_copy sb_make_copy(const char* name, void* dst, const void* src) {
  sb_copy call = {};
  call.name = name;
  call.size = sizeof(T);
  call.type = sb_code<T>::value;
  call.dst = dst;
  call.src = src;
  return call;
}
// The first n elements, rounded down to 32 bytes.
template <class T>
SB_DEVICE void sb_copy_count(void* dst, const void* src, sb_long count) {
  sb_copy call = sb_make_copy<T>("DataCopy", dst, src);
  call.asked_bytes = sb_bytes_of<T>(count);
  call.blocks = 1;
  call.bytes = call.asked_bytes / 32 * 32;
  if (call.bytes == call.asked_bytes) call.asked_bytes = 0;
  __sb_asc_copy(&call);
}
template <class T>
SB_DEVICE void sb_copy_blocks(void* dst, const void* src, const DataCopyParams& p) {
  sb_copy call = sb_make_copy<T>("DataCopy", dst, src);
  call.blocks = p.blockCount;
  call.bytes = static_cast<sb_long>(p.blockLen) * 32;
  call.src_stride = call.bytes + static_cast<sb_long>(p.srcStride) * 32;
  call.dst_stride = call.bytes + static_cast<sb_long>(p.dstStride) * 32;
  __sb_asc_copy(&call);
}
template <typename T>
SB_DEVICE void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const uint32_t count) { sb_copy_count<T>(dst.sb_address, src.GetPhyAddr(), count); }
template <typename T>
SB_DEVICE void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count) { sb_copy_count<T>(const_cast<T*>(dst.GetPhyAddr()), src.sb_address, count); }
template <typename T>
SB_DEVICE void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count) { sb_copy_count<T>(dst.sb_address, src.sb_address, count); }
template <typename T>
SB_DEVICE void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& params) { sb_copy_blocks<T>(dst.sb_address, src.GetPhyAddr(), params); }
template <typename T>
SB_DEVICE void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params) { sb_copy_blocks<T>(const_cast<T*>(dst.GetPhyAddr()), src.sb_address, params); }
template <typename T>
SB_DEVICE void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params) { sb_copy_blocks<T>(dst.sb_address, src.sb_address, params); }
template <typename T>
SB_DEVICE void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& params, const DataCopyEnhancedParams&) { sb_copy_blocks<T>(dst.sb_address, src.GetPhyAddr(), params); }
template <typename T>
SB_DEVICE void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params, const DataCopyEnhancedParams&) { sb_copy_blocks<T>(const_cast<T*>(dst.GetPhyAddr()), src.sb_address, params); }
// From CO1 in blocks of a whole fractal.
template <typename T, typename U>
SB_DEVICE void DataCopy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyParams& params, const DataCopyEnhancedParams& enhanced) {
  sb_copy call = sb_make_copy<U>("DataCopy", dst.sb_address, src.sb_address);
  const sb_long unit = enhanced.blockMode == BlockMode::BLOCK_MODE_MATRIX ? 256 * static_cast<sb_long>(sizeof(U)) : enhanced.blockMode == BlockMode::BLOCK_MODE_VECTOR ? 16 * static_cast<sb_long>(sizeof(U)) : 32;
  call.blocks = params.blockCount;
  call.bytes = params.blockLen * unit;
  call.src_stride = call.bytes + params.srcStride * unit;
  call.dst_stride = call.bytes + params.dstStride * 32;
  __sb_asc_copy(&call);
}

template <class T>
SB_DEVICE void sb_copy_sliced(void* dst, const void* src, const SliceInfo to[], const SliceInfo from[], uint32_t dims, int to_gm) {
  // Rows of burstLen blocks along the last dimension, once per index of the others.
  sb_long to_shape = 1, from_shape = 1;
  sb_copy call = sb_make_copy<T>("DataCopy", dst, src);
  call.kind = SB_COPY_SLICE;
  call.nd[0] = dims;
  call.nd[1] = reinterpret_cast<sb_long>(to);
  call.nd[2] = reinterpret_cast<sb_long>(from);
  call.nd[3] = to_gm;
  (void)to_shape;
  (void)from_shape;
  __sb_asc_copy(&call);
}
template <typename T>
SB_DEVICE void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const SliceInfo to[], const SliceInfo from[], const uint32_t dims = 1) { sb_copy_sliced<T>(dst.sb_address, src.GetPhyAddr(), to, from, dims, 0); }
template <typename T>
SB_DEVICE void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const SliceInfo to[], const SliceInfo from[], const uint32_t dims = 1) { sb_copy_sliced<T>(const_cast<T*>(dst.GetPhyAddr()), src.sb_address, to, from, dims, 1); }

template <typename T>
SB_DEVICE void sb_nd2nz(void* dst, const void* src, const Nd2NzParams& p) {
  sb_copy call = sb_make_copy<T>("DataCopy", dst, src);
  call.kind = SB_COPY_ND2NZ;
  const sb_long fields[8] = {p.ndNum, p.nValue, p.dValue, p.srcNdMatrixStride, p.srcDValue, p.dstNzC0Stride, p.dstNzNStride, p.dstNzMatrixStride};
  for (int i = 0; i < 8; ++i) call.nd[i] = fields[i];
  __sb_asc_copy(&call);
}
template <typename T>
SB_DEVICE void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const Nd2NzParams& params) { sb_nd2nz<T>(dst.sb_address, src.GetPhyAddr(), params); }
template <typename T>
SB_DEVICE void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const Nd2NzParams& params) { sb_nd2nz<T>(dst.sb_address, src.sb_address, params); }
template <typename T>
SB_DEVICE void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const Nz2NdParamsFull& p) {
  sb_copy call = sb_make_copy<T>("DataCopy", const_cast<T*>(dst.GetPhyAddr()), src.sb_address);
  call.kind = SB_COPY_NZ2ND;
  const sb_long fields[8] = {p.ndNum, p.nValue, p.dValue, p.srcNdMatrixStride, p.srcNStride, p.dstDStride, p.dstNdMatrixStride, 0};
  for (int i = 0; i < 8; ++i) call.nd[i] = fields[i];
  __sb_asc_copy(&call);
}

// --- with padding: lengths in bytes, gaps in bytes on the side of GM and in blocks on the core's --------------------------------------
template <class T>
SB_DEVICE void sb_copy_in(void* dst, const void* src, sb_long blocks, sb_long bytes, sb_long src_gap, sb_long dst_gap, int left, int right, int pads, sb_word value) {
  sb_copy call = sb_make_copy<T>("DataCopyPad", dst, src);
  call.kind = SB_COPY_PAD;
  call.blocks = blocks;
  call.bytes = bytes;
  call.src_stride = bytes + src_gap;
  call.left_bytes = left * static_cast<int>(sizeof(T));
  call.right_bytes = right * static_cast<int>(sizeof(T));
  call.dst_stride = (call.left_bytes + bytes + call.right_bytes + 31) / 32 * 32 + dst_gap * 32;
  call.pads = pads;
  call.pad_value = value;
  __sb_asc_copy(&call);
}
template <class T>
SB_DEVICE void sb_copy_out(void* dst, const void* src, sb_long blocks, sb_long bytes, sb_long src_gap, sb_long dst_gap) {
  sb_copy call = sb_make_copy<T>("DataCopyPad", dst, src);
  call.blocks = blocks;
  call.bytes = bytes;
  call.kind = SB_COPY_PAD;
  call.src_stride = (bytes + 31) / 32 * 32 + src_gap * 32;
  call.dst_stride = bytes + dst_gap;
  __sb_asc_copy(&call);
}
template <typename T>
SB_DEVICE void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& p, const DataCopyPadParams& pad) {
  sb_copy_in<T>(dst.sb_address, src.GetPhyAddr(), p.blockCount, p.blockLen, p.srcStride, p.dstStride, pad.leftPadding, pad.rightPadding, pad.isPad, pad.paddingValue);
}
template <typename T>
SB_DEVICE void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyExtParams& p, const DataCopyPadExtParams<T>& pad) {
  sb_copy_in<T>(dst.sb_address, src.GetPhyAddr(), p.blockCount, p.blockLen, p.srcStride, p.dstStride, pad.leftPadding, pad.rightPadding, pad.isPad, sb_bits(pad.paddingValue));
}
template <typename T>
SB_DEVICE void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& p) { sb_copy_out<T>(const_cast<T*>(dst.GetPhyAddr()), src.sb_address, p.blockCount, p.blockLen, p.srcStride, p.dstStride); }
template <typename T>
SB_DEVICE void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyExtParams& p) { sb_copy_out<T>(const_cast<T*>(dst.GetPhyAddr()), src.sb_address, p.blockCount, p.blockLen, p.srcStride, p.dstStride); }
template <typename T>
SB_DEVICE void SetPadValue(T) {}

// --- atomics and the cache --------------------------------------------------------------------------------------------------------
template <typename T>
SB_DEVICE void SetAtomicAdd() { __sb_asc_set_atomic(SB_ATOMIC_ADD, sb_code<T>::value); }
template <typename T>
SB_DEVICE void SetAtomicMax() { __sb_asc_set_atomic(SB_ATOMIC_MAX, sb_code<T>::value); }
template <typename T>
SB_DEVICE void SetAtomicMin() { __sb_asc_set_atomic(SB_ATOMIC_MIN, sb_code<T>::value); }
template <typename T>
SB_DEVICE void SetAtomicType() { __sb_asc_set_atomic(-1, sb_code<T>::value); }
SB_DEVICE void SetAtomicNone() { __sb_asc_set_atomic(SB_ATOMIC_NONE, 0); }
template <AtomicDtype type, AtomicOp op>
SB_DEVICE void SetStoreAtomicConfig() {
  constexpr int codes[] = {0, SB_F32, SB_F16, SB_S16, SB_S32, SB_S8, SB_BF16};
  __sb_asc_set_atomic(type == AtomicDtype::ATOMIC_NONE ? SB_ATOMIC_NONE : SB_ATOMIC_ADD, codes[static_cast<int>(type)]);
}
template <typename T, CacheLine whole, DcciDst dst = DcciDst::CACHELINE_ALL>
SB_DEVICE void DataCacheCleanAndInvalid(const GlobalTensor<T>& tensor) { __sb_asc_cache(tensor.GetPhyAddr(), whole == CacheLine::ENTIRE_DATA_CACHE); }
template <typename T, CacheLine whole, DcciDst dst = DcciDst::CACHELINE_ALL>
SB_DEVICE void DataCacheCleanAndInvalid(const LocalTensor<T>&) {}
SB_DEVICE void DataCachePreload(const GlobalTensor<uint64_t>&, const int64_t) {}
template <typename T>
SB_DEVICE void DataCachePreload(const GlobalTensor<T>&, const int64_t) {}

}  // namespace AscendC
SB_DEVICE void dcci(__gm__ void* at, cache_line_t whole) { __sb_asc_cache(at, whole == ENTIRE_DATA_CACHE); }
template <class D>
SB_DEVICE void dcci(__gm__ void* at, cache_line_t whole, D) { __sb_asc_cache(at, whole == ENTIRE_DATA_CACHE); }
