// High-level functions: maths by element, activations, and functions of rows. The scratch tensors they take are not needed here.
#pragma once

namespace AscendC {

#define SB_MATH(Name, op)                                                                                                                    \
  template <typename T, bool... flags>                                                                                                      \
  SB_DEVICE void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>&, const uint32_t count) {             \
    sb_vec call = sb_make<T>(#Name, op, dst.sb_address);                                                                                     \
    sb_source(call, src);                                                                                                                    \
    sb_go<T>(call, count);                                                                                                                   \
  }                                                                                                                                          \
  template <typename T, bool... flags>                                                                                                      \
  SB_DEVICE void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& scratch) { Name<T>(dst, src, scratch, src.GetSize()); } \
  template <typename T, bool... flags>                                                                                                      \
  SB_DEVICE void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count) {                                          \
    sb_vec call = sb_make<T>(#Name, op, dst.sb_address);                                                                                     \
    sb_source(call, src);                                                                                                                    \
    sb_go<T>(call, count);                                                                                                                   \
  }                                                                                                                                          \
  template <typename T, bool... flags>                                                                                                      \
  SB_DEVICE void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src) { Name<T>(dst, src, src.GetSize()); }
SB_MATH(Tanh, SB_TANH) SB_MATH(Sin, SB_SIN) SB_MATH(Cos, SB_COS) SB_MATH(Tan, SB_TAN) SB_MATH(Sinh, SB_SINH) SB_MATH(Cosh, SB_COSH) SB_MATH(Asin, SB_ASIN) SB_MATH(Acos, SB_ACOS)
SB_MATH(Atan, SB_ATAN) SB_MATH(Asinh, SB_ASINH) SB_MATH(Acosh, SB_ACOSH) SB_MATH(Atanh, SB_ATANH) SB_MATH(Log, SB_LN) SB_MATH(Log2, SB_LOG2) SB_MATH(Log10, SB_LOG10)
SB_MATH(Erf, SB_ERF) SB_MATH(Erfc, SB_ERFC) SB_MATH(Floor, SB_FLOOR) SB_MATH(Ceil, SB_CEIL) SB_MATH(Round, SB_ROUND_EVEN) SB_MATH(Trunc, SB_TRUNC) SB_MATH(Frac, SB_FRAC) SB_MATH(Sign, SB_SIGN)
SB_MATH(Lgamma, SB_LGAMMA) SB_MATH(Digamma, SB_DIGAMMA) SB_MATH(Sigmoid, SB_SIGMOID) SB_MATH(FasterGelu, SB_GELU_FAST) SB_MATH(FasterGeluV2, SB_GELU_FASTER) SB_MATH(Silu, SB_SILU)
#undef SB_MATH
// Of one value, on the scalar unit.
SB_DEVICE float Exp(float value) { return __builtin_expf(value); }
// Exp with a Taylor series of the given order: exact here.
template <typename T, uint8_t taylor, bool isReuseSource = false>
SB_DEVICE void Exp(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count) { Exp(dst, src, static_cast<int32_t>(count)); }
template <typename T, uint8_t taylor, bool isReuseSource = false>
SB_DEVICE void Exp(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>&, const uint32_t count) { Exp(dst, src, static_cast<int32_t>(count)); }
template <typename T, bool highPrecision = false, bool highPerformance = false>
SB_DEVICE void Gelu(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>&, const uint32_t count) {
  sb_vec call = sb_make<T>("Gelu", SB_GELU_TANH, dst.sb_address);
  sb_source(call, src);
  sb_go<T>(call, count);
}
template <typename T, bool highPrecision = false, bool highPerformance = false>
SB_DEVICE void Gelu(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count) {
  sb_vec call = sb_make<T>("Gelu", SB_GELU_TANH, dst.sb_address);
  sb_source(call, src);
  sb_go<T>(call, count);
}
template <typename T, bool isReuseSource = false>
SB_DEVICE void Swish(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint32_t count, const T beta) {
  Muls(dst, src, static_cast<T>(beta), static_cast<int32_t>(count));
  Sigmoid<T, isReuseSource>(dst, dst, count);
  Mul(dst, dst, src, static_cast<int32_t>(count));
}

// --- two operands -----------------------------------------------------------------------------------------------------------------
#define SB_MATH_PAIR(Name, op)                                                                                                                \
  template <typename T, bool isReuseSource = false>                                                                                           \
  SB_DEVICE void Name(const LocalTensor<T>& dst, const LocalTensor<T>& a, const LocalTensor<T>& b, uint32_t count) {                          \
    sb_vec call = sb_make<T>(#Name, op, dst.sb_address);                                                                                      \
    sb_source(call, a);                                                                                                                       \
    sb_source(call, b);                                                                                                                       \
    sb_go<T>(call, count);                                                                                                                    \
  }                                                                                                                                           \
  template <typename T, bool isReuseSource = false>                                                                                           \
  SB_DEVICE void Name(const LocalTensor<T>& dst, const LocalTensor<T>& a, const LocalTensor<T>& b) { Name<T>(dst, a, b, a.GetSize()); }       \
  template <typename T, bool isReuseSource = false>                                                                                           \
  SB_DEVICE void Name(const LocalTensor<T>& dst, const LocalTensor<T>& a, const LocalTensor<T>& b, const LocalTensor<uint8_t>&, uint32_t count) { Name<T>(dst, a, b, count); } \
  template <typename T, bool isReuseSource = false>                                                                                           \
  SB_DEVICE void Name(const LocalTensor<T>& dst, const LocalTensor<T>& a, const LocalTensor<T>& b, const LocalTensor<uint8_t>&) { Name<T>(dst, a, b, a.GetSize()); }
SB_MATH_PAIR(Power, SB_POWER) SB_MATH_PAIR(Fmod, SB_FMOD) SB_MATH_PAIR(Xor, SB_XOR)
#undef SB_MATH_PAIR
template <typename T, bool isReuseSource = false>
SB_DEVICE void Power(const LocalTensor<T>& dst, const LocalTensor<T>& base, const typename sb_value_of<T>::type& exponent, uint32_t count) {
  sb_vec call = sb_make<T>("Power", SB_POWER, dst.sb_address);
  sb_source(call, base);
  call.has_value = 1;
  call.value = sb_bits<T>(exponent);
  sb_go<T>(call, count);
}
template <typename T, bool isReuseSource = false>
SB_DEVICE void Power(const LocalTensor<T>& dst, const LocalTensor<T>& base, const typename sb_value_of<T>::type& exponent) { Power<T>(dst, base, exponent, base.GetSize()); }
template <typename T, bool isReuseSource = false>
SB_DEVICE void Power(const LocalTensor<T>& dst, const LocalTensor<T>& base, const typename sb_value_of<T>::type& exponent, const LocalTensor<uint8_t>&, uint32_t count) { Power<T>(dst, base, exponent, count); }
// The bounds: what is above (below) becomes the scalar.
template <typename T, bool isReuseSource = false>
SB_DEVICE void ClampMax(const LocalTensor<T>& dst, const LocalTensor<T>& src, const typename sb_value_of<T>::type scalar, const uint32_t count) { Mins<T>(dst, src, scalar, static_cast<int32_t>(count)); }
template <typename T, bool isReuseSource = false>
SB_DEVICE void ClampMax(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>&, const typename sb_value_of<T>::type scalar, const uint32_t count) { Mins<T>(dst, src, scalar, static_cast<int32_t>(count)); }
template <typename T, bool isReuseSource = false>
SB_DEVICE void ClampMin(const LocalTensor<T>& dst, const LocalTensor<T>& src, const typename sb_value_of<T>::type scalar, const uint32_t count) { Maxs<T>(dst, src, scalar, static_cast<int32_t>(count)); }
template <typename T, bool isReuseSource = false>
SB_DEVICE void ClampMin(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>&, const typename sb_value_of<T>::type scalar, const uint32_t count) { Maxs<T>(dst, src, scalar, static_cast<int32_t>(count)); }
template <typename T, typename U, bool isReuseSource = false>
SB_DEVICE void AxpyHigh(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalar, const uint32_t count) { Axpy(dst, src, scalar, static_cast<int32_t>(count)); }

// --- rows ---------------------------------------------------------------------------------------------------------------------------
struct SoftMaxTiling {
  uint32_t srcM, srcK, srcSize, outMaxM, outMaxK, outMaxSize, splitM, splitK, splitSize, reduceM, reduceK, reduceSize, rangeM, tailM, tailSplitSize, tailReduceSize;
};
struct SoftMaxShapeInfo {
  uint32_t srcM, srcK, oriSrcM, oriSrcK;
};
struct sb_softmax_config {
  bool isCheckTiling = true;
  uint32_t oriSrcM = 0, oriSrcK = 0;
};
constexpr sb_softmax_config SOFTMAX_DEFAULT_CFG = {};
enum { SB_ROW_SOFTMAX, SB_ROW_LAYER_NORM, SB_ROW_RMS_NORM, SB_ROW_MEAN, SB_ROW_SUM, SB_ROW_LOG_SOFTMAX, SB_ROW_BATCH_NORM };
SB_DEVICE SoftMaxShapeInfo sb_shape_of(const SoftMaxTiling& tiling, const SoftMaxShapeInfo& shape) {
  if (shape.srcM != 0) return shape;
  return {tiling.srcM, tiling.srcK, tiling.srcM, tiling.srcK};
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false, const sb_softmax_config& config = SOFTMAX_DEFAULT_CFG>
SB_DEVICE void SoftMax(const LocalTensor<T>& dst, const LocalTensor<T>& sum, const LocalTensor<T>& max, const LocalTensor<T>& src, const SoftMaxTiling& tiling, const SoftMaxShapeInfo& given = {}) {
  const SoftMaxShapeInfo shape = sb_shape_of(tiling, given);
  __sb_asc_row_function("SoftMax", SB_ROW_SOFTMAX, sb_code<T>::value, dst.sb_address, src.sb_address, nullptr, nullptr, sum.sb_address, max.sb_address, shape.srcM, shape.srcK, shape.oriSrcK == 0 ? shape.srcK : shape.oriSrcK, 0);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false, const sb_softmax_config& config = SOFTMAX_DEFAULT_CFG>
SB_DEVICE void SoftMax(const LocalTensor<T>& dst, const LocalTensor<T>& sum, const LocalTensor<T>& max, const LocalTensor<T>& src, const LocalTensor<uint8_t>&, const SoftMaxTiling& tiling, const SoftMaxShapeInfo& given = {}) {
  SoftMax<T>(dst, sum, max, src, tiling, given);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, const sb_softmax_config& config = SOFTMAX_DEFAULT_CFG>
SB_DEVICE void SoftMax(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>&, const SoftMaxTiling& tiling, const SoftMaxShapeInfo& given = {}) {
  const SoftMaxShapeInfo shape = sb_shape_of(tiling, given);
  __sb_asc_row_function("SoftMax", SB_ROW_SOFTMAX, sb_code<T>::value, dst.sb_address, src.sb_address, nullptr, nullptr, nullptr, nullptr, shape.srcM, shape.srcK, shape.oriSrcK == 0 ? shape.srcK : shape.oriSrcK, 0);
}
template <typename T, bool isReuseSource = false>
SB_DEVICE void LogSoftMax(const LocalTensor<T>& dst, const LocalTensor<T>& sum, const LocalTensor<T>& max, const LocalTensor<T>& src, const LocalTensor<uint8_t>&, const SoftMaxTiling& tiling, const SoftMaxShapeInfo& given = {}) {
  const SoftMaxShapeInfo shape = sb_shape_of(tiling, given);
  __sb_asc_row_function("LogSoftMax", SB_ROW_LOG_SOFTMAX, sb_code<T>::value, dst.sb_address, src.sb_address, nullptr, nullptr, sum.sb_address, max.sb_address, shape.srcM, shape.srcK, shape.oriSrcK == 0 ? shape.srcK : shape.oriSrcK, 0);
}
struct LayerNormTiling {
  uint32_t bLength, sLength, hLength, originalHLength, inputXSize, meanVarSize, numberOfTmpBuf, meanTmpTensorPos, meanTmpTensorSize, varianceTmpTensorPos, varianceTmpTensorSize, tmpBufSize, oneTmpSize, firstTmpStartPos, secondTmpStartPos,
      thirdTmpStartPos, loopRound, inputRoundSize, inputTailSize, inputTailPos, meanVarRoundSize, meanVarTailSize, meanVarTailPos, bshCurLength, bsCurLength;
  float lastDimValueBack;
};
template <typename T, bool isReuseSource = false>
SB_DEVICE void LayerNorm(const LocalTensor<T>& dst, const LocalTensor<T>& mean, const LocalTensor<T>& variance, const LocalTensor<T>& src, const LocalTensor<T>& gamma, const LocalTensor<T>& beta, const T epsilon, LayerNormTiling& tiling) {
  __sb_asc_row_function("LayerNorm", SB_ROW_LAYER_NORM, sb_code<T>::value, dst.sb_address, src.sb_address, gamma.sb_address, beta.sb_address, mean.sb_address, variance.sb_address, static_cast<sb_long>(tiling.bLength) * tiling.sLength, tiling.hLength,
                        tiling.originalHLength == 0 ? tiling.hLength : tiling.originalHLength, static_cast<float>(epsilon));
}
template <typename T, bool isReuseSource = false>
SB_DEVICE void LayerNorm(const LocalTensor<T>& dst, const LocalTensor<T>& mean, const LocalTensor<T>& variance, const LocalTensor<T>& src, const LocalTensor<T>& gamma, const LocalTensor<T>& beta, const LocalTensor<uint8_t>&, const T epsilon,
                         LayerNormTiling& tiling) {
  LayerNorm<T>(dst, mean, variance, src, gamma, beta, epsilon, tiling);
}
struct RmsNormTiling {
  uint32_t bLength, sLength, hLength, originalHLength;
  float reciprocalOfHLength;
  uint32_t mainBshLength, mainBsLength, mainBsLengthAlign, loopRound, inputTailPos, tailBshLength, tailBsLength;
};
template <typename T, bool isBasicBlock = false>
SB_DEVICE void RmsNorm(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& gamma, const T& epsilon, const RmsNormTiling& tiling) {
  __sb_asc_row_function("RmsNorm", SB_ROW_RMS_NORM, sb_code<T>::value, dst.sb_address, src.sb_address, gamma.sb_address, nullptr, nullptr, nullptr, static_cast<sb_long>(tiling.bLength) * tiling.sLength, tiling.hLength,
                        tiling.originalHLength == 0 ? tiling.hLength : tiling.originalHLength, static_cast<float>(epsilon));
}
template <typename T, bool isBasicBlock = false>
SB_DEVICE void RmsNorm(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& gamma, const LocalTensor<uint8_t>&, const T& epsilon, const RmsNormTiling& tiling) { RmsNorm<T>(dst, src, gamma, epsilon, tiling); }
struct MeanParams {
  uint32_t outter = 1;
  uint32_t inner = 0, n = 0;
};
template <typename T, typename A = T, bool isReuseSource = false, bool isBasicBlock = false, int32_t dim = -1>
SB_DEVICE void Mean(const LocalTensor<T>& dst, const LocalTensor<T>& src, const MeanParams& p) {
  __sb_asc_row_function("Mean", SB_ROW_MEAN, sb_code<T>::value, dst.sb_address, src.sb_address, nullptr, nullptr, nullptr, nullptr, p.outter, p.inner, p.n, 0);
}
template <typename T, typename A = T, bool isReuseSource = false, bool isBasicBlock = false, int32_t dim = -1>
SB_DEVICE void Mean(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>&, const MeanParams& p) { Mean<T>(dst, src, p); }
struct SumParams {
  uint32_t outter = 1;
  uint32_t inner = 0, n = 0;
};
template <typename T, int32_t dim = -1, bool isReuseSource = false, bool isBasicBlock = false>
SB_DEVICE void Sum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const SumParams& p) {
  __sb_asc_row_function("Sum", SB_ROW_SUM, sb_code<T>::value, dst.sb_address, src.sb_address, nullptr, nullptr, nullptr, nullptr, p.outter, p.inner, p.n, 0);
}
template <typename T, int32_t dim = -1, bool isReuseSource = false, bool isBasicBlock = false>
SB_DEVICE void Sum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>&, const SumParams& p) { Sum<T>(dst, src, p); }
struct CumSumConfig {
  bool isLastAxis = true, isReuseSource = false, outputLastRow = true;
};
constexpr CumSumConfig defaultCumSumConfig = {};
struct CumSumInfo {
  uint32_t outter = 0, inner = 0;
};
template <typename T, const CumSumConfig& config = defaultCumSumConfig>
SB_DEVICE void CumSum(LocalTensor<T>& dst, LocalTensor<T>& last_row, const LocalTensor<T>& src, const CumSumInfo& info) {
  __sb_asc_cumsum("CumSum", sb_code<T>::value, dst.sb_address, config.outputLastRow ? last_row.sb_address : nullptr, src.sb_address, info.outter, info.inner, config.isLastAxis);
}
template <typename T, const CumSumConfig& config = defaultCumSumConfig>
SB_DEVICE void CumSum(LocalTensor<T>& dst, LocalTensor<T>& last_row, const LocalTensor<T>& src, LocalTensor<uint8_t>&, const CumSumInfo& info) { CumSum<T, config>(dst, last_row, src, info); }

}  // namespace AscendC
