// Types, enumerations and parameter structures of Ascend C.
#pragma once

#include "starbridge/asc_codes.h"

typedef _Float16 half;
typedef __bf16 bfloat16_t;
struct int4b_t {
  unsigned char sb_pair;
};
#define GM_ADDR __gm__ uint8_t*

typedef enum { PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_FIX, PIPE_ALL, PIPE_MTE4, PIPE_MTE5, PIPE_V2 } pipe_t;
typedef enum { EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 } event_t;
typedef enum { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE } cache_line_t;
typedef enum { inc = 0, dec = 1 } addr_cal_mode_t;

enum KernelMetaType { KERNEL_TYPE_AIV_ONLY = 1, KERNEL_TYPE_AIC_ONLY, KERNEL_TYPE_MIX_AIV_1_0, KERNEL_TYPE_MIX_AIC_1_0, KERNEL_TYPE_MIX_AIC_1_1, KERNEL_TYPE_MIX_AIC_1_2, KERNEL_TYPE_AICORE, KERNEL_TYPE_VECTORCORE, KERNEL_TYPE_MIX_AICORE, KERNEL_TYPE_MIX_VECTOR_CORE };

namespace AscendC {

using ::bfloat16_t;
using ::half;
using ::int4b_t;
typedef int TEventID;

enum class TPosition : uint8_t { GM, A1, A2, B1, B2, C1, C2, CO1, CO2, VECIN, VECOUT, VECCALC, LCM = VECCALC, SPM, SHM = SPM, TSCM, C2PIPE2GM, C2PIPE2LOCAL, MAX };
using QuePosition = TPosition;
enum class CubeFormat { ND, NZ, ZN, ZZ, NN, ND_ALIGN, SCALAR, VECTOR };
enum class Hardware : uint8_t { GM, UB, L1, L0A, L0B, L0C, BIAS, FIXBUF, MAX };

// Source pipe * 16 + destination pipe.
#define SB_EVENT(from, to) from##_##to = SB_PIPE_##from * 16 + SB_PIPE_##to
enum class HardEvent : uint8_t {
  SB_EVENT(MTE2, MTE1), SB_EVENT(MTE1, MTE2), SB_EVENT(MTE1, M), SB_EVENT(M, MTE1), SB_EVENT(MTE2, V), SB_EVENT(V, MTE2), SB_EVENT(MTE3, V), SB_EVENT(V, MTE3),
  SB_EVENT(M, V), SB_EVENT(V, M), SB_EVENT(V, V), SB_EVENT(MTE3, MTE1), SB_EVENT(MTE1, MTE3), SB_EVENT(MTE1, V), SB_EVENT(MTE2, M), SB_EVENT(M, MTE2),
  SB_EVENT(V, MTE1), SB_EVENT(M, FIX), SB_EVENT(FIX, M), SB_EVENT(MTE3, MTE2), SB_EVENT(MTE2, MTE3), SB_EVENT(S, V), SB_EVENT(V, S), SB_EVENT(S, MTE2),
  SB_EVENT(MTE2, S), SB_EVENT(S, MTE3), SB_EVENT(MTE3, S), SB_EVENT(MTE2, FIX), SB_EVENT(FIX, MTE2), SB_EVENT(FIX, S), SB_EVENT(M, S), SB_EVENT(S, M), SB_EVENT(FIX, MTE3),
  SB_EVENT(FIX, V), SB_EVENT(V, FIX), SB_EVENT(MTE1, FIX), SB_EVENT(FIX, MTE1), SB_EVENT(S, FIX), SB_EVENT(S, MTE1), SB_EVENT(MTE1, S), SB_EVENT(FIX, FIX), MAX = 255
};
#undef SB_EVENT

enum class MemoryT : uint8_t { L1, L0A, L0B, L0C, UB, BIAS };
enum class MemDsbT : uint8_t { ALL, DDR, UB, SEQ };
enum class CacheLine : uint64_t { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum class DcciDst : uint64_t { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
enum class CacheMode { CACHE_MODE_DISABLE = 0, CACHE_MODE_NORMAL = 1, CACHE_MODE_LAST = 2, CACHE_MODE_PERSISTENT = 4 };
enum class CacheRwMode { READ = 1, WRITE = 2, RW = 3 };
enum class RoundMode { CAST_NONE, CAST_RINT, CAST_FLOOR, CAST_CEIL, CAST_ROUND, CAST_TRUNC, CAST_ODD };
enum class CMPMODE { LT, GT, EQ, LE, GE, NE };
enum class SELMODE { VSEL_CMPMASK_SPR, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };
enum class MaskMode : uint8_t { NORMAL, COUNTER };
enum class ReduceOrder { ORDER_VALUE_INDEX, ORDER_INDEX_VALUE, ORDER_ONLY_VALUE, ORDER_ONLY_INDEX };
enum class TransposeType : uint8_t { TRANSPOSE_TYPE_NONE, TRANSPOSE_NZ2ND_0213, TRANSPOSE_NZ2NZ_0213, TRANSPOSE_NZ2NZ_012_WITH_N, TRANSPOSE_NZ2ND_012_WITH_N, TRANSPOSE_NZ2ND_012_WITHOUT_N, TRANSPOSE_NZ2NZ_012_WITHOUT_N, TRANSPOSE_ND2ND_ONLY, TRANSPOSE_ND_UB_GM, TRANSPOSE_GRAD_ND_UB_GM, TRANSPOSE_ND2ND_B16, TRANSPOSE_NCHW2NHWC, TRANSPOSE_NHWC2NCHW };
enum class AtomicDtype { ATOMIC_NONE, ATOMIC_F32, ATOMIC_F16, ATOMIC_S16, ATOMIC_S32, ATOMIC_S8, ATOMIC_BF16 };
enum class AtomicOp { ATOMIC_SUM };
enum class BlockMode : uint8_t { BLOCK_MODE_NORMAL, BLOCK_MODE_MATRIX, BLOCK_MODE_VECTOR, BLOCK_MODE_SMALL_CHANNEL, BLOCK_MODE_DEPTHWISE };
enum class DeqScale : uint8_t { DEQ_NONE, DEQ, VDEQ, DEQ8, VDEQ8, DEQ16, VDEQ16 };
enum QuantMode_t { NoQuant, F322F16, F322BF16, QF322B8_PRE, VQF322B8_PRE, DEQF16, VDEQF16, REQ8, VREQ8, QS322BF16_PRE, VQS322BF16_PRE };
using QuantModes = QuantMode_t;

constexpr int32_t DEFAULT_BLK_NUM = 8, DEFAULT_BLK_STRIDE = 1, DEFAULT_REPEAT_STRIDE = 8, DEFAULT_BLOCK_SIZE = 256, DEFAULT_C0_SIZE = 32, HALF_FACTOR = 2, B32_DATA_NUM_PER_REPEAT = 64;
constexpr uint64_t MASK_PLACEHOLDER = 0;
// The same in list form: masks that SetVectorMask has set are used.
#define MASK_PLACEHOLDER_LIST {0, 0}
constexpr int32_t ONE_BLK_SIZE = 32, ONE_REPEAT_BYTE_SIZE = 256, BLOCK_CUBE = 16, MAX_REPEAT_TIMES = 255, HALF_REPEAT_SIZE = 128;
constexpr uint32_t ONE_BLK_HALF_NUM = 16, ONE_BLK_FLOAT_NUM = 8, CUBE_MAX_SIZE = 256, BYTE_PER_FRACTAL = 512, SRC_BURST_LEN_SIZE_ELE = 16;
constexpr int32_t TOTAL_VEC_LOCAL_SIZE = 184 * 1024, TOTAL_UB_SIZE = 192 * 1024, TOTAL_L1_SIZE = 512 * 1024, TOTAL_L0A_SIZE = 64 * 1024, TOTAL_L0B_SIZE = 64 * 1024, TOTAL_L0C_SIZE = 128 * 1024;
constexpr TEventID INVALID_TEVENTID = -1;
constexpr int32_t TMP_UB_SIZE = 8 * 1024;

struct UnaryRepeatParams {
  UnaryRepeatParams() = default;
  __device__ UnaryRepeatParams(uint16_t dst_blk, uint16_t src_blk, uint8_t dst_rep, uint8_t src_rep) : dstBlkStride(dst_blk), srcBlkStride(src_blk), dstRepStride(dst_rep), srcRepStride(src_rep) {}
  __device__ UnaryRepeatParams(uint16_t dst_blk, uint16_t src_blk, uint8_t dst_rep, uint8_t src_rep, bool half_block) : dstBlkStride(dst_blk), srcBlkStride(src_blk), dstRepStride(dst_rep), srcRepStride(src_rep), halfBlock(half_block) {}
  uint32_t blockNumber = DEFAULT_BLK_NUM;
  uint16_t dstBlkStride = 1, srcBlkStride = 1;
  uint8_t dstRepStride = 8, srcRepStride = 8;
  bool repeatStrideMode = false, strideSizeMode = false, halfBlock = false;
};
struct BinaryRepeatParams {
  BinaryRepeatParams() = default;
  __device__ BinaryRepeatParams(uint8_t dst_blk, uint8_t src0_blk, uint8_t src1_blk, uint8_t dst_rep, uint8_t src0_rep, uint8_t src1_rep)
      : dstBlkStride(dst_blk), src0BlkStride(src0_blk), src1BlkStride(src1_blk), dstRepStride(dst_rep), src0RepStride(src0_rep), src1RepStride(src1_rep) {}
  uint32_t blockNumber = DEFAULT_BLK_NUM;
  uint8_t dstBlkStride = 1, src0BlkStride = 1, src1BlkStride = 1, dstRepStride = 8, src0RepStride = 8, src1RepStride = 8;
  bool repeatStrideMode = false, strideSizeMode = false;
};
struct CopyRepeatParams {
  CopyRepeatParams() = default;
  __device__ CopyRepeatParams(uint16_t dst_stride, uint16_t src_stride, uint16_t dst_rep, uint16_t src_rep) : dstStride(dst_stride), srcStride(src_stride), dstRepeatSize(dst_rep), srcRepeatSize(src_rep) {}
  uint16_t dstStride = 1, srcStride = 1, dstRepeatSize = 8, srcRepeatSize = 8;
};
struct BrcbRepeatParams {
  BrcbRepeatParams() = default;
  __device__ BrcbRepeatParams(uint16_t dst_blk, uint16_t dst_rep) : dstBlkStride(dst_blk), dstRepStride(dst_rep) {}
  uint16_t dstBlkStride = 1, dstRepStride = 8;
};
struct GatherRepeatParams {
  GatherRepeatParams() = default;
  __device__ GatherRepeatParams(uint8_t dst_blk, uint8_t dst_rep) : dstBlkStride(dst_blk), dstRepStride(dst_rep) {}
  uint8_t dstBlkStride = 1, dstRepStride = 8;
};
struct GatherMaskParams {
  GatherMaskParams() = default;
  __device__ GatherMaskParams(uint8_t src0_blk, uint16_t repeat, uint16_t src0_rep, uint8_t src1_rep) : src0BlockStride(src0_blk), repeatTimes(repeat), src0RepeatStride(src0_rep), src1RepeatStride(src1_rep) {}
  uint8_t src0BlockStride = 1;
  uint16_t repeatTimes = 0, src0RepeatStride = 8;
  uint8_t src1RepeatStride = 8;
};
struct DataCopyParams {
  DataCopyParams() = default;
  __device__ DataCopyParams(uint16_t count, uint16_t length, uint16_t src_gap, uint16_t dst_gap) : blockCount(count), blockLen(length), srcStride(src_gap), dstStride(dst_gap) {}
  uint16_t blockCount = 1, blockLen = 0, srcStride = 0, dstStride = 0;
};
struct DataCopyExtParams {
  DataCopyExtParams() = default;
  __device__ DataCopyExtParams(uint16_t count, uint32_t length, uint32_t src_gap, uint32_t dst_gap, uint32_t) : blockCount(count), blockLen(length), srcStride(src_gap), dstStride(dst_gap) {}
  uint16_t blockCount = 1;
  uint32_t blockLen = 0, srcStride = 0, dstStride = 0, rsv = 0;
};
struct DataCopyPadParams {
  DataCopyPadParams() = default;
  __device__ DataCopyPadParams(bool is_pad, uint8_t left, uint8_t right, uint64_t value) : isPad(is_pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
  bool isPad = false;
  uint8_t leftPadding = 0, rightPadding = 0;
  uint64_t paddingValue = 0;
};
template <typename T>
struct DataCopyPadExtParams {
  DataCopyPadExtParams() = default;
  template <class V>
  __device__ DataCopyPadExtParams(bool is_pad, uint8_t left, uint8_t right, V value) : isPad(is_pad), leftPadding(left), rightPadding(right), paddingValue(static_cast<T>(value)) {}
  bool isPad = false;
  uint8_t leftPadding = 0, rightPadding = 0;
  T paddingValue = T();
};
struct DataCopyEnhancedParams {
  DataCopyEnhancedParams() = default;
  BlockMode blockMode = BlockMode::BLOCK_MODE_NORMAL;
  DeqScale deqScale = DeqScale::DEQ_NONE;
  uint64_t deqValue = 0;
  uint8_t sidStoreMode = 0;
  bool isRelu = false;
};
struct SliceInfo {
  SliceInfo() = default;
  __device__ SliceInfo(uint32_t start, uint32_t end, uint32_t stride, uint32_t burst, uint32_t shape) : startIndex(start), endIndex(end), stride(stride), burstLen(burst), shapeValue(shape) {}
  uint32_t startIndex = 0, endIndex = 0, stride = 0, burstLen = 0, shapeValue = 0;
};
struct Nd2NzParams {
  Nd2NzParams() = default;
  __device__ Nd2NzParams(uint16_t nd, uint16_t n, uint16_t d, uint16_t src_nd, uint16_t src_d, uint16_t dst_c0, uint16_t dst_n, uint16_t dst_nd)
      : ndNum(nd), nValue(n), dValue(d), srcNdMatrixStride(src_nd), srcDValue(src_d), dstNzC0Stride(dst_c0), dstNzNStride(dst_n), dstNzMatrixStride(dst_nd) {}
  uint16_t ndNum = 0, nValue = 0, dValue = 0, srcNdMatrixStride = 0, srcDValue = 0, dstNzC0Stride = 0, dstNzNStride = 0, dstNzMatrixStride = 0;
};
struct Nz2NdParamsFull {
  Nz2NdParamsFull() = default;
  __device__ Nz2NdParamsFull(uint16_t nd, uint16_t n, uint16_t d, uint16_t src_nd, uint16_t src_n, uint16_t dst_d, uint16_t dst_nd) : ndNum(nd), nValue(n), dValue(d), srcNdMatrixStride(src_nd), srcNStride(src_n), dstDStride(dst_d), dstNdMatrixStride(dst_nd) {}
  uint16_t ndNum = 1, nValue = 0, dValue = 0, srcNdMatrixStride = 0, srcNStride = 0, dstDStride = 0, dstNdMatrixStride = 0;
};
struct TransDataTo5HDParams {
  TransDataTo5HDParams() = default;
  __device__ TransDataTo5HDParams(bool dst_high, bool src_high, uint8_t repeat, uint16_t dst_rep, uint16_t src_rep) : dstHighHalf(dst_high), srcHighHalf(src_high), repeatTimes(repeat), dstRepStride(dst_rep), srcRepStride(src_rep) {}
  bool dstHighHalf = false, srcHighHalf = false;
  uint8_t repeatTimes = 1;
  uint16_t dstRepStride = 0, srcRepStride = 0;
};
struct TransposeParamsExt {
  TransposeParamsExt() = default;
  uint16_t nSize = 0, cSize = 0, hSize = 0, wSize = 0;
  TransposeType transposeType = TransposeType::TRANSPOSE_ND2ND_B16;
};
struct MrgSort4Info {
  MrgSort4Info() = default;
  __device__ MrgSort4Info(const uint16_t lengths[4], bool exhausted, uint16_t bits, uint16_t repeat) : ifExhaustedSuspension(exhausted), validBit(bits), repeatTimes(repeat) {
    for (int i = 0; i < 4; ++i) elementLengths[i] = lengths[i];
  }
  uint16_t elementLengths[4] = {0, 0, 0, 0};
  bool ifExhaustedSuspension = false;
  uint16_t validBit = 0;
  uint16_t repeatTimes = 1;
};
struct MmadParams {
  MmadParams() = default;
  __device__ MmadParams(uint16_t m_, uint16_t n_, uint16_t k_, bool is_bias, int32_t fm, bool, bool, bool) : m(m_), n(n_), k(k_), isBias(is_bias), fmOffset(fm) {}
  __device__ MmadParams(uint16_t m_, uint16_t n_, uint16_t k_, uint8_t flag, bool source, bool init) : m(m_), n(n_), k(k_), unitFlag(flag), cmatrixSource(source), cmatrixInitVal(init) {}
  uint16_t m = 0, n = 0, k = 0;
  bool isBias = false;
  int32_t fmOffset = 0;
  bool enSsparse = false, enWinogradA = false, enWinogradB = false;
  uint8_t unitFlag = 0;
  bool kDirectionAlign = false, cmatrixSource = false, cmatrixInitVal = true;
};
struct LoadData2DParams {
  LoadData2DParams() = default;
  __device__ LoadData2DParams(uint16_t start, uint8_t repeat, uint16_t src_stride, uint8_t sid_, uint16_t dst_gap, bool transpose, uint8_t mode) : startIndex(start), dstGap(dst_gap), srcStride(src_stride), ifTranspose(transpose), repeatTimes(repeat), sid(sid_), addrMode(mode) {}
  uint16_t startIndex = 0, dstGap = 0, srcStride = 0;
  bool ifTranspose = false;
  uint8_t repeatTimes = 0, sid = 0, addrMode = 0;
};
struct LoadData2dTransposeParams {
  LoadData2dTransposeParams() = default;
  __device__ LoadData2dTransposeParams(uint16_t start, uint8_t repeat, uint16_t src_stride, uint16_t dst_gap, uint16_t dst_frac_gap, uint8_t mode = 0) : startIndex(start), repeatTimes(repeat), srcStride(src_stride), dstGap(dst_gap), dstFracGap(dst_frac_gap), addrMode(mode) {}
  uint16_t startIndex = 0;
  uint8_t repeatTimes = 0;
  uint16_t srcStride = 0, dstGap = 0, dstFracGap = 0, srcFracGap = 0;
  uint8_t addrMode = 0;
};
struct FixpipeParamsV220 {
  FixpipeParamsV220() = default;
  __device__ FixpipeParamsV220(uint16_t n, uint16_t m, uint16_t src, uint32_t dst, bool relu) : nSize(n), mSize(m), srcStride(src), dstStride(dst), reluEn(relu) {}
  __device__ FixpipeParamsV220(uint16_t n, uint16_t m, uint16_t src, uint32_t dst, bool relu, QuantMode_t quant, int64_t scale, uint16_t nd, uint16_t src_nd, uint16_t dst_nd, uint8_t flag)
      : nSize(n), mSize(m), srcStride(src), dstStride(dst), quantPre(quant), deqScalar(static_cast<uint64_t>(scale)), ndNum(nd), srcNdStride(src_nd), dstNdStride(dst_nd), reluEn(relu), unitFlag(flag) {}
  uint16_t nSize = 0, mSize = 0, srcStride = 0;
  uint32_t dstStride = 0;
  QuantMode_t quantPre = NoQuant;
  uint64_t deqScalar = 0;
  uint16_t ndNum = 1, srcNdStride = 0, dstNdStride = 0;
  bool reluEn = false;
  uint8_t unitFlag = 0;
  bool isChannelSplit = false;
};
using FixpipeParams = FixpipeParamsV220;
enum class CO2Layout : uint8_t { NZ, ROW_MAJOR, COLUMN_MAJOR };
struct FixpipeConfig {
  CO2Layout format;
};
constexpr FixpipeConfig CFG_NZ = {CO2Layout::NZ};
constexpr FixpipeConfig CFG_ROW_MAJOR = {CO2Layout::ROW_MAJOR};
template <typename T>
struct InitConstValueParams {
  InitConstValueParams() = default;
  __device__ InitConstValueParams(uint16_t repeat, uint16_t blocks, uint16_t gap, T value) : repeatTimes(repeat), blockNum(blocks), dstGap(gap), initValue(value) {}
  uint16_t repeatTimes = 0, blockNum = 0, dstGap = 0;
  T initValue = T();
};
struct ShapeInfo {
  ShapeInfo() = default;
  uint8_t shapeDim = 0, originalShapeDim = 0;
  uint32_t shape[8] = {}, originalShape[8] = {};
};

// The code of an element type.
template <class T> struct sb_code { static constexpr int value = sizeof(T) == 1 ? SB_S8 : sizeof(T) == 2 ? SB_S16 : sizeof(T) == 4 ? SB_S32 : SB_S64; };
#define SB_CODE(T, code) template <> struct sb_code<T> { static constexpr int value = code; };
SB_CODE(float, SB_F32) SB_CODE(half, SB_F16) SB_CODE(bfloat16_t, SB_BF16) SB_CODE(int32_t, SB_S32) SB_CODE(uint32_t, SB_U32) SB_CODE(int16_t, SB_S16) SB_CODE(uint16_t, SB_U16)
SB_CODE(int8_t, SB_S8) SB_CODE(uint8_t, SB_U8) SB_CODE(bool, SB_U8) SB_CODE(int64_t, SB_S64) SB_CODE(uint64_t, SB_U64) SB_CODE(long long, SB_S64) SB_CODE(unsigned long long, SB_U64) SB_CODE(int4b_t, SB_S4)
#undef SB_CODE

// The bits of a value, in the low end of a word.
template <class T>
SB_DEVICE sb_word sb_bits(T value) {
  sb_word bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  return bits;
}
template <class T>
SB_DEVICE T sb_from_bits(sb_word bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}
// Bytes that n elements take.
template <class T>
SB_DEVICE constexpr sb_long sb_bytes_of(sb_long n) {
  return sb_code<T>::value == SB_S4 ? n / 2 : n * static_cast<sb_long>(sizeof(T));
}

}  // namespace AscendC
