// The Matmul object: whole products between GM tensors (or the core's own), done when they are asked for.
#pragma once

#include "starbridge/cube_tiling.h"

#if defined(__CUDA__)
namespace AscendC {

enum class LayoutMode { NONE, BSNGD, SBNGD, BNGS1S2, NORMAL };
template <TPosition position, CubeFormat form, typename T, bool isTransposed = false, LayoutMode layout = LayoutMode::NONE, bool ibShare = false>
struct MatmulType {
  static constexpr TPosition pos = position;
  static constexpr CubeFormat format = form;
  static constexpr bool isTrans = isTransposed;
  using T_ = T;
  using Type = T;
};
struct MatmulConfig {
  bool doNorm = true;
};
constexpr MatmulConfig CFG_NORM = {}, CFG_MDL = {}, CFG_IBSHARE_NORM = {};
// Constants of a program's namespace, so of host and core; what they tune changes no result.
template <class... Tuning>
constexpr MatmulConfig GetNormalConfig(Tuning...) { return {}; }
template <class... Tuning>
constexpr MatmulConfig GetMDLConfig(Tuning...) { return {}; }

template <class A, class B, class C, class D = C, const auto& config = CFG_NORM, class... Rest>
class Matmul {
 public:
  using SrcT = typename A::Type;
  using SrcBT = typename B::Type;
  using DstT = typename C::Type;
  using BiasT = typename D::Type;
  SB_METHOD Matmul() {}
  SB_METHOD void Init(const TCubeTiling* given, TPipe* = nullptr) {
    tiling_ = *given;
    m_ = tiling_.singleCoreM;
    n_ = tiling_.singleCoreN;
    k_ = tiling_.singleCoreK;
    tail_m_ = tail_n_ = tail_k_ = -1;
    org_m_ = tiling_.M;
    org_n_ = tiling_.N;
    org_ka_ = tiling_.Ka;
    org_kb_ = tiling_.Kb;
    org_nc_ = 0;
    Restart();
  }
  SB_METHOD void SetOrgShape(int m, int n, int k) { SetOrgShape(m, n, k, k, 0); }
  SB_METHOD void SetOrgShape(int m, int n, int ka, int kb, int nc = 0) {
    org_m_ = m;
    org_n_ = n;
    org_ka_ = ka;
    org_kb_ = kb;
    org_nc_ = nc;
  }
  SB_METHOD void SetSingleShape(int m, int n, int k) {
    m_ = m;
    n_ = n;
    k_ = k;
    tail_m_ = tail_n_ = tail_k_ = -1;
    Restart();
  }
  SB_METHOD void SetTail(int m = -1, int n = -1, int k = -1) {
    tail_m_ = m;
    tail_n_ = n;
    tail_k_ = k;
    Restart();
  }
  SB_METHOD void SetTensorA(const GlobalTensor<SrcT>& tensor, bool isTransposed = false) { a_ = tensor.GetPhyAddr(); a_transposed_ = isTransposed; Restart(); }
  SB_METHOD void SetTensorA(const LocalTensor<SrcT>& tensor, bool isTransposed = false) { a_ = tensor.GetPhyAddr(); a_transposed_ = isTransposed; Restart(); }
  SB_METHOD void SetTensorB(const GlobalTensor<SrcBT>& tensor, bool isTransposed = false) { b_ = tensor.GetPhyAddr(); b_transposed_ = isTransposed; Restart(); }
  SB_METHOD void SetTensorB(const LocalTensor<SrcBT>& tensor, bool isTransposed = false) { b_ = tensor.GetPhyAddr(); b_transposed_ = isTransposed; Restart(); }
  SB_METHOD void SetBias(const GlobalTensor<BiasT>& tensor) { bias_ = tensor.GetPhyAddr(); }
  SB_METHOD void SetBias(const LocalTensor<BiasT>& tensor) { bias_ = tensor.GetPhyAddr(); }
  SB_METHOD void ClearBias() { bias_ = nullptr; }
  SB_METHOD void DisableBias() { bias_ = nullptr; }
  SB_METHOD void SetWorkspace(GlobalTensor<uint8_t>&) {}
  template <class T>
  SB_METHOD void SetWorkspace(__gm__ const T*, int) {}
  SB_METHOD void SetLocalWorkspace(const LocalTensor<uint8_t>&) {}
  SB_METHOD void SetHF32(bool, int32_t = 0) {}
  SB_METHOD void SetSubBlockIdx(uint8_t) {}
  SB_METHOD void SetQuantScalar(uint64_t) { __sb_asc_refuse("SetQuantScalar", "of a Matmul object", "：Matmul 对象不支持"); }
  template <bool sync = true>
  SB_METHOD void IterateAll(const GlobalTensor<DstT>& c, uint8_t accumulates = 0, bool = false, bool = false) {
    Product(const_cast<DstT*>(c.GetPhyAddr()), 0, 0, Rows(), Columns(), LeadingC(), accumulates);
  }
  template <bool sync = true>
  SB_METHOD void IterateAll(const LocalTensor<DstT>& c, uint8_t accumulates = 0) { Product(c.GetPhyAddr(), 0, 0, Rows(), Columns(), Columns(), accumulates); }
  // One base block after the other, along M first or along N.
  template <bool sync = true>
  SB_METHOD bool Iterate(bool = false) {
    const int per_m = (Rows() + BaseM() - 1) / BaseM(), per_n = (Columns() + BaseN() - 1) / BaseN();
    return ++step_ < per_m * per_n;
  }
  template <bool sync = true>
  SB_METHOD void GetTensorC(const GlobalTensor<DstT>& c, uint8_t accumulates = 0, bool sequential = false) {
    const int m = AtM(), n = AtN();
    DstT* to = const_cast<DstT*>(c.GetPhyAddr()) + (sequential ? 0 : static_cast<sb_long>(m) * LeadingC() + n);
    Product(to, m, n, Least(BaseM(), Rows() - m), Least(BaseN(), Columns() - n), sequential ? BaseN() : LeadingC(), accumulates);
  }
  template <bool sync = true>
  SB_METHOD void GetTensorC(const LocalTensor<DstT>& c, uint8_t accumulates = 0, bool = false) {
    const int m = AtM(), n = AtN();
    Product(c.GetPhyAddr(), m, n, Least(BaseM(), Rows() - m), Least(BaseN(), Columns() - n), BaseN(), accumulates);
  }
  SB_METHOD void WaitIterateAll() {}
  SB_METHOD void WaitGetTensorC() {}
  SB_METHOD void End() {}

 private:
  SB_METHOD static int Least(int a, int b) { return a < b ? a : b; }
  SB_METHOD int Rows() const { return tail_m_ >= 0 ? tail_m_ : m_; }
  SB_METHOD int Columns() const { return tail_n_ >= 0 ? tail_n_ : n_; }
  SB_METHOD int Depth() const { return tail_k_ >= 0 ? tail_k_ : k_; }
  SB_METHOD int BaseM() const { return tiling_.baseM > 0 ? tiling_.baseM : Rows(); }
  SB_METHOD int BaseN() const { return tiling_.baseN > 0 ? tiling_.baseN : Columns(); }
  SB_METHOD int LeadingC() const { return org_nc_ > 0 ? org_nc_ : org_n_; }
  SB_METHOD int AtM() const { return tiling_.iterateOrder == 0 ? step_ % ((Rows() + BaseM() - 1) / BaseM()) * BaseM() : step_ / ((Columns() + BaseN() - 1) / BaseN()) * BaseM(); }
  SB_METHOD int AtN() const { return tiling_.iterateOrder == 0 ? step_ / ((Rows() + BaseM() - 1) / BaseM()) * BaseN() : step_ % ((Columns() + BaseN() - 1) / BaseN()) * BaseN(); }
  SB_METHOD void Restart() { step_ = -1; }
  SB_METHOD void Product(DstT* c, int at_m, int at_n, int m, int n, int ldc, int accumulates) {
    sb_matmul call = {};
    call.name = "Matmul";
    call.a_type = sb_code<SrcT>::value;
    call.b_type = sb_code<SrcBT>::value;
    call.c_type = sb_code<DstT>::value;
    call.bias_type = sb_code<BiasT>::value;
    call.a_transposed = a_transposed_;
    call.b_transposed = b_transposed_;
    call.a_format = static_cast<int>(A::format);
    call.b_format = static_cast<int>(B::format);
    call.c_format = static_cast<int>(C::format);
    call.lda = A::pos != TPosition::GM ? (a_transposed_ ? m_ : Depth()) : a_transposed_ ? org_m_ : org_ka_;
    call.ldb = B::pos != TPosition::GM ? (b_transposed_ ? Depth() : n_) : b_transposed_ ? org_kb_ : org_n_;
    call.ldc = ldc;
    call.a = a_ + (a_transposed_ ? static_cast<sb_long>(at_m) : static_cast<sb_long>(at_m) * call.lda);
    call.b = b_ + (b_transposed_ ? static_cast<sb_long>(at_n) * call.ldb : static_cast<sb_long>(at_n));
    call.bias = bias_ == nullptr ? nullptr : bias_ + at_n;
    call.c = c;
    call.m = m;
    call.n = n;
    call.k = Depth();
    call.accumulates = accumulates;
    __sb_asc_matmul(&call);
  }
  TCubeTiling tiling_;
  const SrcT* a_ = nullptr;
  const SrcBT* b_ = nullptr;
  const BiasT* bias_ = nullptr;
  bool a_transposed_ = false, b_transposed_ = false;
  int m_ = 0, n_ = 0, k_ = 0, tail_m_ = -1, tail_n_ = -1, tail_k_ = -1, org_m_ = 0, org_n_ = 0, org_ka_ = 0, org_kb_ = 0, org_nc_ = 0, step_ = -1;
};
template <class A, class B, class C, class D = C, const auto& config = CFG_NORM, class... Rest>
using MatmulImpl = Matmul<A, B, C, D, config, Rest...>;

template <class M>
SB_DEVICE void sb_register(M& object, const TCubeTiling* tiling) {
  if (tiling != nullptr) object.Init(tiling);
}
template <class M>
SB_DEVICE void sb_register(M&, decltype(nullptr)) {}
template <class M, class N, class... Rest>
SB_DEVICE void sb_register(M& object, const TCubeTiling* tiling, N& next, Rest&... rest) {
  sb_register(object, tiling);
  sb_register(next, rest...);
}
SB_DEVICE void sb_uses_matmul() { __sb_asc_task_type(-2, 0); }

}  // namespace AscendC
namespace matmul {
using namespace AscendC;
}  // namespace matmul
using AscendC::CubeFormat;
// The core of the matrix unit serves the vector cores and has nothing of its own to do.
#define REGIST_MATMUL_OBJ(pipe, workspace, ...)    \
  AscendC::sb_uses_matmul();                       \
  if (ASCEND_IS_AIC && __sb_asc_system(9)) return; \
  AscendC::sb_register(__VA_ARGS__)
#endif
