// The host half of y = x / max|x|: one block for short inputs (key 1), several with a workspace for their maxima (key 2).
#include "max_scale_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
constexpr uint32_t kShort = 512, kTile = 256;

static ge::graphStatus tile(gert::TilingContext* context) {
  const gert::StorageShape* x = context->GetInputShape(0);
  if (x == nullptr) return ge::GRAPH_FAILED;
  const auto count = static_cast<uint32_t>(x->GetStorageShape().GetShapeSize());
  const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  const uint32_t cores = platform.GetCoreNumAiv();
  const uint32_t tiles = (count + kTile - 1) / kTile, blocks = count <= kShort ? 1 : tiles < cores ? tiles : cores;
  MaxScaleTilingData data;
  data.set_count(count);
  data.set_per_block((tiles + blocks - 1) / blocks * kTile);
  context->SetBlockDim(blocks);
  context->SetTilingKey(count <= kShort ? 1 : 2);
  data.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(data.GetDataSize());
  context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize() + (count <= kShort ? 0 : blocks * 32);
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class MaxScale : public OpDef {
 public:
  explicit MaxScale(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->AICore().SetTiling(optiling::tile);
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(MaxScale);
}  // namespace ops
