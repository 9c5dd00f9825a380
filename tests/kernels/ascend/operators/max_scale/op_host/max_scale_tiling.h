// What the host half tells the kernel.
#pragma once

#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(MaxScaleTilingData)
TILING_DATA_FIELD_DEF(uint32_t, count);
TILING_DATA_FIELD_DEF(uint32_t, per_block);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(MaxScale, MaxScaleTilingData)
}  // namespace optiling
