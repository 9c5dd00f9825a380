// What host code may ask about the chip.
#pragma once

#include <stdint.h>

#include "starbridge/ge_context.h"

namespace platform_ascendc {

enum class CoreMemType { L0_A, L0_B, L0_C, L1, L2, UB, HBM, RESERVED };
enum class SocVersion { ASCEND910 = 0, ASCEND910B, ASCEND310P, ASCEND310B, ASCEND910_95, RESERVED_VERSION = 99999 };

class PlatformAscendC {
 public:
  explicit PlatformAscendC(fe::PlatFormInfos*) {}
  uint32_t GetCoreNum() const { return static_cast<uint32_t>(sb_chip_fact(2) > 0 ? sb_chip_fact(2) : sb_chip_fact(1)); }
  uint32_t GetCoreNumAic() const { return static_cast<uint32_t>(sb_chip_fact(1)); }
  uint32_t GetCoreNumAiv() const { return GetCoreNum(); }
  uint32_t GetCoreNumVector() const { return GetCoreNum(); }
  uint32_t CalcTschBlockDim(uint32_t slices, uint32_t, uint32_t) const { return slices; }
  void GetCoreMemSize(const CoreMemType& type, uint64_t& bytes) const {
    constexpr int kFacts[] = {5, 6, 7, 4, 8, 3, 9};
    bytes = type == CoreMemType::RESERVED ? 0 : static_cast<uint64_t>(sb_chip_fact(kFacts[static_cast<int>(type)]));
  }
  SocVersion GetSocVersion() const {
    switch (sb_chip_fact(0)) {
      case 1001: return SocVersion::ASCEND910;
      case 2002: return SocVersion::ASCEND310P;
      case 3002: return SocVersion::ASCEND310B;
      case 3510: return SocVersion::ASCEND910_95;
      default: return SocVersion::ASCEND910B;
    }
  }
  // The runtime keeps what it needs elsewhere; programs only add this to their own.
  uint32_t GetLibApiWorkSpaceSize() const { return 16U << 20; }
  uint32_t GetResGroupBarrierWorkSpaceSize() const { return 0; }
  uint32_t GetResCubeGroupWorkSpaceSize() const { return 0; }
};

class PlatformAscendCManager {
 public:
  static PlatformAscendC* GetInstance() {
    static PlatformAscendC platform(nullptr);
    return &platform;
  }
  static PlatformAscendC* GetInstance(const char*) { return GetInstance(); }
};

}  // namespace platform_ascendc
