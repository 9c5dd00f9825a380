// The host half of y = x * scale + shift + sum of terms, all of which come from attributes of every kind.
#include <cstring>

#include "mixed_attributes_tiling.h"
#include "register/op_def_registry.h"

namespace optiling {
static ge::graphStatus tile(gert::TilingContext* context) {
  const gert::StorageShape* x = context->GetInputShape(0);
  const auto* attrs = context->GetAttrs();
  if (x == nullptr || attrs->GetInt(0) == nullptr || attrs->GetListInt(4) == nullptr || attrs->GetListFloat(5) == nullptr) return ge::GRAPH_FAILED;
  MixedAttributesTilingData data;
  data.set_count(static_cast<uint32_t>(x->GetStorageShape().GetShapeSize()));
  data.part.set_scale(*attrs->GetBool(2) ? *attrs->GetFloat(1) : -*attrs->GetFloat(1));
  int64_t shift = *attrs->GetInt(0) + static_cast<int64_t>(std::strlen(attrs->GetStr(3)));
  for (size_t i = 0; i < attrs->GetListInt(4)->GetSize(); ++i) shift += attrs->GetListInt(4)->GetData()[i];
  data.part.set_shift(static_cast<float>(shift));
  float terms[4] = {};
  for (size_t i = 0; i < attrs->GetListFloat(5)->GetSize() && i < 4; ++i) terms[i] = attrs->GetListFloat(5)->GetData()[i];
  data.set_terms(terms);
  context->SetBlockDim(1);
  context->SetTilingKey(1);
  data.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(data.GetDataSize());
  context->GetWorkspaceSizes(1)[0] = 64;
  return ge::GRAPH_SUCCESS;
}
IMPL_OP_OPTILING(MixedAttributes).Tiling(tile);
}  // namespace optiling

namespace ops {
class MixedAttributes : public OpDef {
 public:
  explicit MixedAttributes(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Attr("whole").AttrType(OPTIONAL).Int(3);
    this->Attr("real").AttrType(OPTIONAL).Float(0.5f);
    this->Attr("keeps_sign").AttrType(OPTIONAL).Bool(true);
    this->Attr("text").AttrType(OPTIONAL).String("ab");
    this->Attr("wholes").AttrType(OPTIONAL).ListInt({10, 20});
    this->Attr("reals").AttrType(OPTIONAL).ListFloat({0.25f});
    this->AICore().SetTiling(optiling::tile);
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(MixedAttributes);
}  // namespace ops
