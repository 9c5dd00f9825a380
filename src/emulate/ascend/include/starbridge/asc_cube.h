// The matrix unit: fractals into L0, products into L0C, results out of it.
#pragma once

namespace AscendC {

template <typename T>
SB_DEVICE void sb_load_2d(const char* name, void* dst, const void* src, const LoadData2DParams& p) {
  sb_load_call call = {};
  call.name = name;
  call.type = sb_code<T>::value;
  call.dst = dst;
  call.src = src;
  call.start = p.startIndex;
  call.repeat = p.repeatTimes;
  call.src_stride = p.srcStride;
  call.dst_gap = p.dstGap;
  call.transposes = p.ifTranspose;
  __sb_asc_load_data(&call);
}
template <typename T>
SB_DEVICE void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData2DParams& params) { sb_load_2d<T>("LoadData", dst.sb_address, src.sb_address, params); }
template <typename T>
SB_DEVICE void LoadData(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const LoadData2DParams& params) { sb_load_2d<T>("LoadData", dst.sb_address, src.GetPhyAddr(), params); }
template <typename T>
SB_DEVICE void LoadDataWithTranspose(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData2dTransposeParams& p) {
  sb_load_call call = {};
  call.name = "LoadDataWithTranspose";
  call.type = sb_code<T>::value;
  call.dst = dst.sb_address;
  call.src = src.sb_address;
  call.start = p.startIndex;
  call.repeat = p.repeatTimes;
  call.src_stride = p.srcStride;
  call.dst_gap = p.dstGap;
  call.kind = 1;
  call.extra[0] = p.dstFracGap;
  __sb_asc_load_data(&call);
}
template <typename T>
SB_DEVICE void InitConstValue(const LocalTensor<T>& dst, const InitConstValueParams<T>& p) { __sb_asc_fill_local("InitConstValue", dst.sb_address, p.repeatTimes, p.blockNum, p.dstGap, sb_bits(p.initValue), sizeof(T)); }

template <typename C, typename A, typename B>
SB_DEVICE sb_mmad sb_make_mmad(const LocalTensor<C>& c, const LocalTensor<A>& a, const LocalTensor<B>& b, const MmadParams& p) {
  sb_mmad call = {};
  call.name = "Mmad";
  call.c_type = sb_code<C>::value;
  call.a_type = sb_code<A>::value;
  call.b_type = sb_code<B>::value;
  call.c = c.sb_address;
  call.a = a.sb_address;
  call.b = b.sb_address;
  call.m = p.m;
  call.n = p.n;
  call.k = p.k;
  call.starts_at_zero = p.cmatrixInitVal && !p.isBias;
  return call;
}
template <typename C, typename A, typename B>
SB_DEVICE void Mmad(const LocalTensor<C>& c, const LocalTensor<A>& a, const LocalTensor<B>& b, const MmadParams& params) {
  sb_mmad call = sb_make_mmad(c, a, b, params);
  __sb_asc_mmad(&call);
}
template <typename C, typename A, typename B, typename D>
SB_DEVICE void Mmad(const LocalTensor<C>& c, const LocalTensor<A>& a, const LocalTensor<B>& b, const LocalTensor<D>& bias, const MmadParams& params) {
  sb_mmad call = sb_make_mmad(c, a, b, params);
  call.has_bias = 1;
  call.starts_at_zero = 0;
  call.bias_type = sb_code<D>::value;
  call.bias = bias.sb_address;
  __sb_asc_mmad(&call);
}

template <typename T, typename U>
SB_DEVICE sb_fixpipe sb_make_fixpipe(void* dst, const LocalTensor<U>& src, const FixpipeParamsV220& p, bool rows) {
  sb_fixpipe call = {};
  call.name = "Fixpipe";
  call.to_type = sb_code<T>::value;
  call.from_type = sb_code<U>::value;
  call.m = p.mSize;
  call.n = p.nSize;
  call.src_stride = p.srcStride;
  call.dst_stride = static_cast<int>(p.dstStride);
  call.relu = p.reluEn;
  call.nz2nd = rows;
  call.quantises = p.quantPre;
  call.scale = p.deqScalar;
  call.nd_count = p.ndNum;
  call.nd_src_stride = p.srcNdStride;
  call.nd_dst_stride = p.dstNdStride;
  call.dst = dst;
  call.src = src.sb_address;
  return call;
}
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
SB_DEVICE void Fixpipe(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParamsV220& params) {
  sb_fixpipe call = sb_make_fixpipe<T, U>(const_cast<T*>(dst.GetPhyAddr()), src, params, config.format == CO2Layout::ROW_MAJOR);
  __sb_asc_fixpipe(&call);
}
template <typename T, typename U, const FixpipeConfig& config = CFG_ROW_MAJOR>
SB_DEVICE void Fixpipe(const LocalTensor<T>& dst, const LocalTensor<U>& src, const FixpipeParamsV220& params) {
  sb_fixpipe call = sb_make_fixpipe<T, U>(dst.sb_address, src, params, config.format == CO2Layout::ROW_MAJOR);
  __sb_asc_fixpipe(&call);
}
SB_DEVICE void SetHF32Mode(bool) {}
SB_DEVICE void SetHF32TransMode(bool) {}
SB_DEVICE void SetMMLayoutTransform(bool) {}
// Of generations whose Fixpipe takes them from registers: here they are fields of its parameters.
SB_DEVICE void SetFixpipeNz2ndFlag(uint16_t, uint16_t, uint16_t) {}
SB_DEVICE void SetFixpipePreQuantFlag(uint64_t) {}

}  // namespace AscendC
