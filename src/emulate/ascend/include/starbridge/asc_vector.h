// Vector instructions by element: the three shapes of a call (whole tensors, the first n elements, slices with masks and repeats).
#pragma once

namespace AscendC {

// --- filling in one call -------------------------------------------------------------------------------------------------------
template <class T>
SB_DEVICE sb_vec sb_make(const char* name, int op, void* dst) {
  sb_vec call = {};
  call.name = name;
  call.op = op;
  call.type = call.to_type = sb_code<T>::value;
  call.dst = dst;
  call.dst_blk = call.src_blk[0] = call.src_blk[1] = call.src_blk[2] = 1;
  call.dst_rep = call.src_rep[0] = call.src_rep[1] = call.src_rep[2] = 8;
  return call;
}
template <class T>
SB_DEVICE void sb_source(sb_vec& call, const LocalTensor<T>& tensor) {
  call.src[call.src_count] = tensor.sb_address;
  call.src_type[call.src_count++] = sb_code<T>::value;
}
template <bool isSetMask>
SB_DEVICE void sb_slice(sb_vec& call, sb_word low, sb_word high, int is_bits, int repeat) {
  call.form = isSetMask ? SB_BY_MASK : SB_BY_STATE;
  call.repeat = repeat;
  call.is_sliced = 1;
  call.count = is_bits ? -1 : static_cast<sb_long>(low);
  call.mask[0] = low;
  call.mask[1] = high;
}
SB_DEVICE void sb_strides(sb_vec& call, const UnaryRepeatParams& p) {
  call.dst_blk = p.dstBlkStride;
  call.src_blk[0] = p.srcBlkStride;
  call.dst_rep = p.dstRepStride;
  call.src_rep[0] = p.srcRepStride;
}
SB_DEVICE void sb_strides(sb_vec& call, const BinaryRepeatParams& p) {
  call.dst_blk = p.dstBlkStride;
  call.src_blk[0] = p.src0BlkStride;
  call.src_blk[1] = p.src1BlkStride;
  call.dst_rep = p.dstRepStride;
  call.src_rep[0] = p.src0RepStride;
  call.src_rep[1] = p.src1RepStride;
}
template <class T>
SB_DEVICE void sb_go(sb_vec& call, sb_long count) {
  call.form = SB_BY_COUNT;
  call.count = count;
  __sb_asc_vector(&call);
}

// --- one operand ---------------------------------------------------------------------------------------------------------------
#define SB_UNARY(Name, op)                                                                                                                       \
  template <typename T>                                                                                                                          \
  SB_DEVICE void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& count) {                                              \
    sb_vec call = sb_make<T>(#Name, op, dst.sb_address);                                                                                         \
    sb_source(call, src);                                                                                                                        \
    sb_go<T>(call, count);                                                                                                                       \
  }                                                                                                                                              \
  template <typename T, bool isSetMask = true>                                                                                                   \
  SB_DEVICE void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask, const uint8_t repeat, const UnaryRepeatParams& params) { \
    sb_vec call = sb_make<T>(#Name, op, dst.sb_address);                                                                                         \
    sb_source(call, src);                                                                                                                        \
    sb_slice<isSetMask>(call, mask, 0, 0, repeat);                                                                                               \
    sb_strides(call, params);                                                                                                                    \
    __sb_asc_vector(&call);                                                                                                                      \
  }                                                                                                                                              \
  template <typename T, bool isSetMask = true>                                                                                                   \
  SB_DEVICE void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask[], const uint8_t repeat, const UnaryRepeatParams& params) { \
    sb_vec call = sb_make<T>(#Name, op, dst.sb_address);                                                                                         \
    sb_source(call, src);                                                                                                                        \
    sb_slice<isSetMask>(call, mask[0], sizeof(T) == 2 ? mask[1] : 0, 1, repeat);                                                                 \
    sb_strides(call, params);                                                                                                                    \
    __sb_asc_vector(&call);                                                                                                                      \
  }
SB_UNARY(Ln, SB_LN) SB_UNARY(Abs, SB_ABS) SB_UNARY(Reciprocal, SB_RECIPROCAL) SB_UNARY(Sqrt, SB_SQRT) SB_UNARY(Rsqrt, SB_RSQRT) SB_UNARY(Relu, SB_RELU)
SB_UNARY(Not, SB_NOT) SB_UNARY(Exp, SB_EXP) SB_UNARY(Neg, SB_NEG)
#undef SB_UNARY

// --- two operands --------------------------------------------------------------------------------------------------------------
#define SB_BINARY_ABOUT(Name, op, T, U, readsDst)                                                                                                \
  SB_DEVICE void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, const int32_t& count) {                 \
    sb_vec call = sb_make<U>(#Name, op, dst.sb_address);                                                                                         \
    call.to_type = sb_code<T>::value;                                                                                                            \
    if (readsDst) call.type = sb_code<T>::value;                                                                                                 \
    call.reads_dst = readsDst;                                                                                                                   \
    sb_source(call, src0);                                                                                                                       \
    sb_source(call, src1);                                                                                                                       \
    sb_go<T>(call, count);                                                                                                                       \
  }
#define SB_BINARY_SLICED(Name, op, T, U, readsDst, maskType, low, high, bits)                                                                    \
  SB_DEVICE void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, maskType, const uint8_t repeat, const BinaryRepeatParams& params) { \
    sb_vec call = sb_make<U>(#Name, op, dst.sb_address);                                                                                         \
    call.to_type = sb_code<T>::value;                                                                                                            \
    if (readsDst) call.type = sb_code<T>::value;                                                                                                 \
    call.reads_dst = readsDst;                                                                                                                   \
    sb_source(call, src0);                                                                                                                       \
    sb_source(call, src1);                                                                                                                       \
    sb_slice<isSetMask>(call, low, high, bits, repeat);                                                                                          \
    sb_strides(call, params);                                                                                                                    \
    __sb_asc_vector(&call);                                                                                                                      \
  }
#define SB_BINARY(Name, op)                                                                                        \
  template <typename T>                                                                                            \
  SB_BINARY_ABOUT(Name, op, T, T, 0)                                                                               \
  template <typename T, bool isSetMask = true>                                                                     \
  SB_BINARY_SLICED(Name, op, T, T, 0, uint64_t mask, mask, 0, 0)                                                   \
  template <typename T, bool isSetMask = true>                                                                     \
  SB_BINARY_SLICED(Name, op, T, T, 0, uint64_t mask[], mask[0], sizeof(T) == 2 ? mask[1] : 0, 1)                   \
  template <class T>                                                                                               \
  __device__ inline void LocalTensor<T>::sb_##Name##_whole(const LocalTensor& a, const LocalTensor& b) {           \
    AscendC::Name(*this, a, b, static_cast<int32_t>(GetSize()));                                                   \
  }
#define SB_BINARY_PLAIN(Name, op, readsDst)                                                                        \
  template <typename T, typename U>                                                                                \
  SB_BINARY_ABOUT(Name, op, T, U, readsDst)                                                                        \
  template <typename T, typename U, bool isSetMask = true>                                                         \
  SB_BINARY_SLICED(Name, op, T, U, readsDst, uint64_t mask, mask, 0, 0)                                            \
  template <typename T, typename U, bool isSetMask = true>                                                         \
  SB_BINARY_SLICED(Name, op, T, U, readsDst, uint64_t mask[], mask[0], sizeof(T) == 2 ? mask[1] : 0, 1)
#define SB_BINARY_ONE_TYPE(Name, op, readsDst)                                                                     \
  template <typename T>                                                                                            \
  SB_BINARY_ABOUT(Name, op, T, T, readsDst)                                                                        \
  template <typename T, bool isSetMask = true>                                                                     \
  SB_BINARY_SLICED(Name, op, T, T, readsDst, uint64_t mask, mask, 0, 0)                                            \
  template <typename T, bool isSetMask = true>                                                                     \
  SB_BINARY_SLICED(Name, op, T, T, readsDst, uint64_t mask[], mask[0], sizeof(T) == 2 ? mask[1] : 0, 1)
SB_BINARY(Add, SB_ADD) SB_BINARY(Sub, SB_SUB) SB_BINARY(Mul, SB_MUL) SB_BINARY(Div, SB_DIV) SB_BINARY(And, SB_AND) SB_BINARY(Or, SB_OR)
SB_BINARY_ONE_TYPE(Max, SB_MAX, 0) SB_BINARY_ONE_TYPE(Min, SB_MIN, 0) SB_BINARY_ONE_TYPE(AddRelu, SB_ADD_RELU, 0) SB_BINARY_ONE_TYPE(SubRelu, SB_SUB_RELU, 0)
SB_BINARY_ONE_TYPE(FusedMulAdd, SB_FUSED_MUL_ADD, 1) SB_BINARY_ONE_TYPE(FusedMulAddRelu, SB_FUSED_MUL_ADD_RELU, 1)
SB_BINARY_PLAIN(MulAddDst, SB_MUL_ADD_DST, 1) SB_BINARY_PLAIN(MulCast, SB_MUL, 0) SB_BINARY_PLAIN(AddReluCast, SB_ADD_RELU, 0) SB_BINARY_PLAIN(SubReluCast, SB_SUB_RELU, 0)
#undef SB_BINARY
#undef SB_BINARY_PLAIN
#undef SB_BINARY_ONE_TYPE
#undef SB_BINARY_SLICED
#undef SB_BINARY_ABOUT

// --- an operand and a value ----------------------------------------------------------------------------------------------------
template <class T, class U>
struct sb_same_or { using type = U; };
template <class T>
struct sb_value_of { using type = T; };
#define SB_SCALAR_CALL(Name, op, T, U, readsDst)                               \
  sb_vec call = sb_make<T>(#Name, op, dst.sb_address);                         \
  call.reads_dst = readsDst;                                                   \
  sb_source(call, src);                                                        \
  call.has_value = 1;                                                          \
  call.value = sb_bits(static_cast<T>(scalar));
#define SB_SCALAR_ABOUT(Name, op, U, readsDst)                                                                                                    \
  template <typename T, bool isSetMask = true>                                                                                                    \
  SB_DEVICE void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src, const typename sb_value_of<U>::type& scalar, const int32_t& count) {  \
    SB_SCALAR_CALL(Name, op, T, U, readsDst)                                                                                                      \
    sb_go<T>(call, count);                                                                                                                        \
  }                                                                                                                                               \
  template <typename T, bool isSetMask = true>                                                                                                    \
  SB_DEVICE void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src, const typename sb_value_of<U>::type& scalar, uint64_t mask, const uint8_t repeat, const UnaryRepeatParams& params) { \
    SB_SCALAR_CALL(Name, op, T, U, readsDst)                                                                                                      \
    sb_slice<isSetMask>(call, mask, 0, 0, repeat);                                                                                                \
    sb_strides(call, params);                                                                                                                     \
    __sb_asc_vector(&call);                                                                                                                       \
  }                                                                                                                                               \
  template <typename T, bool isSetMask = true>                                                                                                    \
  SB_DEVICE void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src, const typename sb_value_of<U>::type& scalar, uint64_t mask[], const uint8_t repeat, const UnaryRepeatParams& params) { \
    SB_SCALAR_CALL(Name, op, T, U, readsDst)                                                                                                      \
    sb_slice<isSetMask>(call, mask[0], sizeof(T) == 2 ? mask[1] : 0, 1, repeat);                                                                  \
    sb_strides(call, params);                                                                                                                     \
    __sb_asc_vector(&call);                                                                                                                       \
  }
SB_SCALAR_ABOUT(Adds, SB_ADD, T, 0) SB_SCALAR_ABOUT(Muls, SB_MUL, T, 0) SB_SCALAR_ABOUT(Maxs, SB_MAX, T, 0) SB_SCALAR_ABOUT(Mins, SB_MIN, T, 0)
SB_SCALAR_ABOUT(LeakyRelu, SB_LEAKY_RELU, T, 0) SB_SCALAR_ABOUT(ShiftLeft, SB_SHIFT_LEFT, T, 0) SB_SCALAR_ABOUT(Subs, SB_SUB, T, 0) SB_SCALAR_ABOUT(Divs, SB_DIV, T, 0)
#undef SB_SCALAR_ABOUT

// dst += src * scalar; src may be half where dst is float.
template <typename T, typename U, bool isSetMask = true>
SB_DEVICE void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalar, const int32_t& count) {
  SB_SCALAR_CALL(Axpy, SB_AXPY, T, U, 1)
  sb_go<T>(call, count);
}
template <typename T, typename U, bool isSetMask = true>
SB_DEVICE void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalar, uint64_t mask, const uint8_t repeat, const UnaryRepeatParams& params) {
  SB_SCALAR_CALL(Axpy, SB_AXPY, T, U, 1)
  sb_slice<isSetMask>(call, mask, 0, 0, repeat);
  sb_strides(call, params);
  __sb_asc_vector(&call);
}
template <typename T, typename U, bool isSetMask = true>
SB_DEVICE void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalar, uint64_t mask[], const uint8_t repeat, const UnaryRepeatParams& params) {
  SB_SCALAR_CALL(Axpy, SB_AXPY, T, U, 1)
  sb_slice<isSetMask>(call, mask[0], sizeof(T) == 2 ? mask[1] : 0, 1, repeat);
  sb_strides(call, params);
  __sb_asc_vector(&call);
}
template <typename T, bool isSetMask = true>
SB_DEVICE void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const typename sb_value_of<T>::type& scalar, const int32_t& count) {
  SB_SCALAR_CALL(ShiftRight, SB_SHIFT_RIGHT, T, T, 0)
  sb_go<T>(call, count);
}
template <typename T, bool isSetMask = true>
SB_DEVICE void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const typename sb_value_of<T>::type& scalar, uint64_t mask, const uint8_t repeat, const UnaryRepeatParams& params, bool roundEn = false) {
  SB_SCALAR_CALL(ShiftRight, roundEn ? SB_SHIFT_RIGHT_ROUND : SB_SHIFT_RIGHT, T, T, 0)
  sb_slice<isSetMask>(call, mask, 0, 0, repeat);
  sb_strides(call, params);
  __sb_asc_vector(&call);
}
template <typename T, bool isSetMask = true>
SB_DEVICE void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const typename sb_value_of<T>::type& scalar, uint64_t mask[], const uint8_t repeat, const UnaryRepeatParams& params, bool roundEn = false) {
  SB_SCALAR_CALL(ShiftRight, roundEn ? SB_SHIFT_RIGHT_ROUND : SB_SHIFT_RIGHT, T, T, 0)
  sb_slice<isSetMask>(call, mask[0], sizeof(T) == 2 ? mask[1] : 0, 1, repeat);
  sb_strides(call, params);
  __sb_asc_vector(&call);
}
#undef SB_SCALAR_CALL

// --- conversions ---------------------------------------------------------------------------------------------------------------
template <typename T, typename U>
SB_DEVICE sb_vec sb_cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, RoundMode mode) {
  sb_vec call = sb_make<U>("Cast", SB_CAST, dst.sb_address);
  call.to_type = sb_code<T>::value;
  call.rounding = static_cast<int>(mode);
  sb_source(call, src);
  return call;
}
template <typename T, typename U>
SB_DEVICE void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& mode, const uint32_t count) {
  sb_vec call = sb_cast(dst, src, mode);
  sb_go<T>(call, count);
}
template <typename T, typename U, bool isSetMask = true>
SB_DEVICE void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& mode, const uint64_t mask, const uint8_t repeat, const UnaryRepeatParams& params) {
  sb_vec call = sb_cast(dst, src, mode);
  sb_slice<isSetMask>(call, mask, 0, 0, repeat);
  sb_strides(call, params);
  __sb_asc_vector(&call);
}
template <typename T, typename U, bool isSetMask = true>
SB_DEVICE void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& mode, const uint64_t mask[], const uint8_t repeat, const UnaryRepeatParams& params) {
  sb_vec call = sb_cast(dst, src, mode);
  sb_slice<isSetMask>(call, mask[0], mask[1], 1, repeat);
  sb_strides(call, params);
  __sb_asc_vector(&call);
}

// --- filling and copying -------------------------------------------------------------------------------------------------------
template <typename T>
SB_DEVICE sb_vec sb_duplicate(const LocalTensor<T>& dst, T scalar) {
  sb_vec call = sb_make<T>("Duplicate", SB_COPY, dst.sb_address);
  call.has_value = 1;
  call.value = sb_bits(scalar);
  return call;
}
template <typename T, bool isSetMask = true>
SB_DEVICE void Duplicate(const LocalTensor<T>& dst, const typename sb_value_of<T>::type& scalar, const int32_t& count) {
  sb_vec call = sb_duplicate<T>(dst, scalar);
  sb_go<T>(call, count);
}
template <typename T, bool isSetMask = true>
SB_DEVICE void Duplicate(const LocalTensor<T>& dst, const typename sb_value_of<T>::type& scalar, uint64_t mask, const uint8_t repeat, const uint16_t dst_blk, const uint8_t dst_rep) {
  sb_vec call = sb_duplicate<T>(dst, scalar);
  sb_slice<isSetMask>(call, mask, 0, 0, repeat);
  call.dst_blk = dst_blk;
  call.dst_rep = dst_rep;
  __sb_asc_vector(&call);
}
template <typename T, bool isSetMask = true>
SB_DEVICE void Duplicate(const LocalTensor<T>& dst, const typename sb_value_of<T>::type& scalar, uint64_t mask[], const uint8_t repeat, const uint16_t dst_blk, const uint8_t dst_rep) {
  sb_vec call = sb_duplicate<T>(dst, scalar);
  sb_slice<isSetMask>(call, mask[0], sizeof(T) == 2 ? mask[1] : 0, 1, repeat);
  call.dst_blk = dst_blk;
  call.dst_rep = dst_rep;
  __sb_asc_vector(&call);
}
SB_DEVICE void sb_strides(sb_vec& call, const CopyRepeatParams& p) {
  call.dst_blk = p.dstStride;
  call.src_blk[0] = p.srcStride;
  call.dst_rep = p.dstRepeatSize;
  call.src_rep[0] = p.srcRepeatSize;
}
template <typename T, bool isSetMask = true>
SB_DEVICE void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask, const uint8_t repeat, const CopyRepeatParams& params) {
  sb_vec call = sb_make<T>("Copy", SB_COPY, dst.sb_address);
  sb_source(call, src);
  sb_slice<isSetMask>(call, mask, 0, 0, repeat);
  sb_strides(call, params);
  __sb_asc_vector(&call);
}
template <typename T, bool isSetMask = true>
SB_DEVICE void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[], const uint8_t repeat, const CopyRepeatParams& params) {
  sb_vec call = sb_make<T>("Copy", SB_COPY, dst.sb_address);
  sb_source(call, src);
  sb_slice<isSetMask>(call, mask[0], sizeof(T) == 2 ? mask[1] : 0, 1, repeat);
  sb_strides(call, params);
  __sb_asc_vector(&call);
}

// --- the state of masks --------------------------------------------------------------------------------------------------------
SB_DEVICE void SetMaskCount() { __sb_asc_mask_mode(1); }
SB_DEVICE void SetMaskNorm() { __sb_asc_mask_mode(0); }
SB_DEVICE void ResetMask() { __sb_asc_set_mask(~0ULL, ~0ULL); }
template <typename T, MaskMode mode = MaskMode::NORMAL>
SB_DEVICE void SetVectorMask(const uint64_t high, const uint64_t low) { __sb_asc_set_mask(high, low); }
template <typename T, MaskMode mode = MaskMode::NORMAL>
SB_DEVICE void SetVectorMask(int32_t length) {
  if (mode == MaskMode::COUNTER)
    __sb_asc_set_mask(0, static_cast<sb_word>(length));
  else
    __sb_asc_set_mask(length >= 128 ? ~0ULL : length > 64 ? (1ULL << (length - 64)) - 1 : 0, length >= 64 ? ~0ULL : (1ULL << length) - 1);
}
SB_DEVICE void SetVectorMask(const uint64_t high, const uint64_t low) { __sb_asc_set_mask(high, low); }

}  // namespace AscendC
