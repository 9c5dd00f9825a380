// Tiling data with a structure and an array inside.
#pragma once

#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(MixedPart)
TILING_DATA_FIELD_DEF(float, scale);
TILING_DATA_FIELD_DEF(float, shift);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(MixedPartOp, MixedPart)

BEGIN_TILING_DATA_DEF(MixedAttributesTilingData)
TILING_DATA_FIELD_DEF(uint32_t, count);
TILING_DATA_FIELD_DEF(uint32_t, unused);
TILING_DATA_FIELD_DEF_STRUCT(MixedPart, part);
TILING_DATA_FIELD_DEF_ARR(float, 4, terms);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(MixedAttributes, MixedAttributesTilingData)
}  // namespace optiling
