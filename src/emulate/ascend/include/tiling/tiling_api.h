// Tiling of the Matmul object on the host. The split follows the documented rules: the product is cut over cores along M and N,
// base blocks fit L0.
#pragma once

#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"

namespace matmul_tiling {

enum class DataType { DT_FLOAT = 0, DT_FLOAT16 = 1, DT_INT8 = 2, DT_INT32 = 3, DT_BF16 = 27, DT_BFLOAT16 = 27, DT_INT4 = 29 };
enum class TPosition { GM, A1, A2, B1, B2, C1, C2, CO1, CO2, VECIN, VECOUT, VECCALC, LCM = VECCALC, SPM, SHM = SPM, TSCM, MAX };
enum class CubeFormat { ND = 1, NZ, ZN, ZZ, NN, VECTOR };
enum class MatrixTraverse { NOSET, FIRSTM, FIRSTN };
enum class DequantType { SCALAR, TENSOR };

class MatmulApiTilingBase {
 public:
  MatmulApiTilingBase() = default;
  explicit MatmulApiTilingBase(const platform_ascendc::PlatformAscendC& platform) : core_count_(static_cast<int32_t>(platform.GetCoreNumAic())) {}
  int32_t SetAType(TPosition, CubeFormat, DataType type, bool is_transposed = false) { (void)is_transposed; a_type_ = type; return 0; }
  int32_t SetBType(TPosition, CubeFormat, DataType, bool is_transposed = false) { (void)is_transposed; return 0; }
  int32_t SetCType(TPosition, CubeFormat, DataType) { return 0; }
  int32_t SetBiasType(TPosition, CubeFormat, DataType) { return 0; }
  int32_t SetShape(int32_t m, int32_t n, int32_t k) {
    m_ = m;
    n_ = n;
    k_ = k;
    return 0;
  }
  int32_t SetOrgShape(int32_t m, int32_t n, int32_t k) { return SetOrgShape(m, n, k, k); }
  int32_t SetOrgShape(int32_t m, int32_t n, int32_t ka, int32_t kb) {
    org_m_ = m;
    org_n_ = n;
    org_ka_ = ka;
    org_kb_ = kb;
    return 0;
  }
  int32_t SetALayout(int32_t, int32_t, int32_t, int32_t, int32_t) { return 0; }
  int32_t SetBLayout(int32_t, int32_t, int32_t, int32_t, int32_t) { return 0; }
  int32_t SetCLayout(int32_t, int32_t, int32_t, int32_t, int32_t) { return 0; }
  int32_t SetBatchNum(int32_t) { return 0; }
  int32_t EnableBias(bool has) { return SetBias(has); }
  int32_t SetBias(bool has) {
    has_bias_ = has;
    return 0;
  }
  int32_t SetFixSplit(int32_t m = -1, int32_t n = -1, int32_t k = -1) {
    fix_m_ = m;
    fix_n_ = n;
    fix_k_ = k;
    return 0;
  }
  int32_t SetBufferSpace(int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1) { return 0; }
  int32_t SetTraverse(MatrixTraverse traverse) {
    is_n_first_ = traverse == MatrixTraverse::FIRSTN;
    return 0;
  }
  int32_t SetDequantType(DequantType) { return 0; }
  int32_t SetMatmulConfigParams(int32_t = 0, bool = false) { return 0; }
  int32_t SetDoubleBuffer(bool, bool, bool, bool, bool = true, bool = true) { return 0; }
  int32_t GetBaseM() const { return base_m_; }
  int32_t GetBaseN() const { return base_n_; }
  int32_t GetBaseK() const { return base_k_; }

 protected:
  static int32_t up(int32_t value, int32_t by) { return (value + by - 1) / by; }
  int64_t fill(::TCubeTiling& tiling, int32_t cores) {
    if (m_ <= 0 || n_ <= 0 || k_ <= 0) return -1;
    const int32_t bytes = a_type_ == DataType::DT_FLOAT || a_type_ == DataType::DT_INT32 ? 4 : a_type_ == DataType::DT_INT8 ? 1 : 2;
    base_m_ = fix_m_ > 0 ? fix_m_ : least(128, up(m_, 16) * 16);
    base_n_ = fix_n_ > 0 ? fix_n_ : least(256, up(n_, 16) * 16);
    base_k_ = fix_k_ > 0 ? fix_k_ : least(128 / bytes, up(k_, 32 / bytes) * (32 / bytes));
    // Cores along M and N: the pair that leaves the least for one core.
    int32_t best_m = 1, best_n = 1;
    int64_t best = -1;
    for (int32_t along_m = 1; along_m <= cores; ++along_m) {
      const int32_t along_n = least(cores / along_m, up(n_, base_n_));
      if (along_m > up(m_, base_m_) || along_n < 1) break;
      const int64_t work = int64_t{up(up(m_, along_m), base_m_)} * up(up(n_, along_n), base_n_);
      if (best >= 0 && work >= best) continue;
      best = work;
      best_m = along_m;
      best_n = along_n;
    }
    tiling.singleCoreM = cores == 1 ? m_ : up(up(m_, best_m), base_m_) * base_m_;
    tiling.singleCoreN = cores == 1 ? n_ : up(up(n_, best_n), base_n_) * base_n_;
    tiling.singleCoreM = least(tiling.singleCoreM, m_);
    tiling.singleCoreN = least(tiling.singleCoreN, n_);
    tiling.singleCoreK = k_;
    tiling.usedCoreNum = up(m_, tiling.singleCoreM) * up(n_, tiling.singleCoreN);
    tiling.M = org_m_ > 0 ? org_m_ : m_;
    tiling.N = org_n_ > 0 ? org_n_ : n_;
    tiling.Ka = org_ka_ > 0 ? org_ka_ : k_;
    tiling.Kb = org_kb_ > 0 ? org_kb_ : k_;
    tiling.baseM = base_m_;
    tiling.baseN = base_n_;
    tiling.baseK = base_k_;
    tiling.isBias = has_bias_ ? 1 : 0;
    tiling.iterateOrder = is_n_first_ ? 1 : 0;
    tiling.depthA1 = tiling.depthB1 = tiling.stepM = tiling.stepN = tiling.stepKa = tiling.stepKb = 1;
    tiling.dbL0A = tiling.dbL0B = 2;
    tiling.dbL0C = 1;
    return 0;
  }
  static int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }
  int32_t core_count_ = 1, m_ = 0, n_ = 0, k_ = 0, org_m_ = 0, org_n_ = 0, org_ka_ = 0, org_kb_ = 0, fix_m_ = -1, fix_n_ = -1, fix_k_ = -1, base_m_ = 0, base_n_ = 0, base_k_ = 0;
  DataType a_type_ = DataType::DT_FLOAT16;
  bool has_bias_ = false, is_n_first_ = false;
};

class MatmulApiTiling : public MatmulApiTilingBase {
 public:
  using MatmulApiTilingBase::MatmulApiTilingBase;
  int64_t GetTiling(::TCubeTiling& tiling) { return fill(tiling, 1); }
};

class MultiCoreMatmulTiling : public MatmulApiTilingBase {
 public:
  using MatmulApiTilingBase::MatmulApiTilingBase;
  int32_t SetDim(int32_t cores) {
    core_count_ = cores;
    return 0;
  }
  int32_t SetSingleShape(int32_t m, int32_t n, int32_t k) {
    single_m_ = m;
    single_n_ = n;
    single_k_ = k;
    return 0;
  }
  int32_t SetSingleRange(int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1) { return 0; }
  int32_t SetAlignSplit(int32_t, int32_t, int32_t) { return 0; }
  void EnableMultiCoreSplitK(bool) {}
  int64_t GetTiling(::TCubeTiling& tiling) {
    const int64_t done = fill(tiling, core_count_ > 0 ? core_count_ : 1);
    if (done != 0) return done;
    if (single_m_ > 0) tiling.singleCoreM = single_m_;
    if (single_n_ > 0) tiling.singleCoreN = single_n_;
    if (single_k_ > 0) tiling.singleCoreK = single_k_;
    tiling.usedCoreNum = up(m_, tiling.singleCoreM) * up(n_, tiling.singleCoreN);
    return 0;
  }
  int32_t GetSingleShape(int32_t& m, int32_t& n, int32_t& k) const {
    m = single_m_;
    n = single_n_;
    k = single_k_;
    return 0;
  }
  int32_t GetCoreNum(int32_t& dim, int32_t& along_m, int32_t& along_n) const {
    dim = core_count_;
    along_m = along_n = 1;
    return 0;
  }

 private:
  int32_t single_m_ = -1, single_n_ = -1, single_k_ = -1;
};

}  // namespace matmul_tiling
