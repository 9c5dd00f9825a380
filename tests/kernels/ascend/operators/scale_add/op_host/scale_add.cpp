// The host half of the operator z = x + scale * y: what it takes, and how it is cut over cores.
#include "register/op_def_registry.h"
#include "scale_add_tiling.h"

namespace optiling {
static ge::graphStatus tile(gert::TilingContext* context) {
  const gert::StorageShape* x = context->GetInputShape(0);
  const float* scale = context->GetAttrs()->GetAttrPointer<float>(0);
  if (x == nullptr || scale == nullptr || x->GetStorageShape() != context->GetInputShape(1)->GetStorageShape()) return ge::GRAPH_FAILED;
  ScaleAddTilingData data;
  const uint32_t count = static_cast<uint32_t>(x->GetStorageShape().GetShapeSize());
  const uint32_t blocks = 4;
  data.set_count(count);
  data.set_scale(*scale);
  data.set_per_block((count + blocks - 1) / blocks);
  context->SetBlockDim(blocks);
  data.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(data.GetDataSize());
  context->GetWorkspaceSizes(1)[0] = 0;
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ops {
class ScaleAdd : public OpDef {
 public:
  explicit ScaleAdd(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Input("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Output("z").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Attr("scale").AttrType(OPTIONAL).Float(2.0f);
    this->AICore().SetTiling(optiling::tile);
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(ScaleAdd);
}  // namespace ops
