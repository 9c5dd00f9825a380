// Operators as their host half declares them: inputs, outputs, attributes, and the functions that infer and tile.
#pragma once

#include <deque>
#include <string>

#include "register/tilingdata_base.h"

namespace ops {

enum Option { IGNORE = 0, OPTIONAL = 1, REQUIRED = 2, DYNAMIC = 3, VIRTUAL = 4 };
enum class DependScope { ALL, TILING, INVALID_SCOPE };

class OpParamDef {
 public:
  explicit OpParamDef(const char* name) : name_(name) {}
  OpParamDef& ParamType(Option option) {
    option_ = option;
    return *this;
  }
  OpParamDef& DataType(std::vector<ge::DataType> types) {
    types_ = std::move(types);
    return *this;
  }
  OpParamDef& DataTypeList(std::vector<ge::DataType> types) { return DataType(std::move(types)); }
  OpParamDef& Format(std::vector<ge::Format>) { return *this; }
  OpParamDef& FormatList(std::vector<ge::Format>) { return *this; }
  OpParamDef& UnknownShapeFormat(std::vector<ge::Format>) { return *this; }
  OpParamDef& ValueDepend(Option) { return *this; }
  OpParamDef& ValueDepend(Option, DependScope) { return *this; }
  OpParamDef& IgnoreContiguous() { return *this; }
  OpParamDef& AutoContiguous() { return *this; }
  OpParamDef& Scalar() { return *this; }
  OpParamDef& ScalarList() { return *this; }
  OpParamDef& To(ge::DataType) { return *this; }
  OpParamDef& To(const char*) { return *this; }
  OpParamDef& Version(uint32_t) { return *this; }
  OpParamDef& InitValue(uint64_t) { return *this; }
  OpParamDef& Follow(const char*) { return *this; }
  std::string name_;
  Option option_ = REQUIRED;
  std::vector<ge::DataType> types_;
};

class OpAttrDef {
 public:
  explicit OpAttrDef(const char* name) : name_(name) {}
  OpAttrDef& AttrType(Option) { return *this; }
  OpAttrDef& Int(int64_t value = 0) {
    value_ = {sb_op_value::kWhole, 1, value, 0, nullptr, nullptr, nullptr, 0};
    return *this;
  }
  OpAttrDef& Float(float value = 0) {
    value_ = {sb_op_value::kReal, 1, 0, value, nullptr, nullptr, nullptr, 0};
    return *this;
  }
  OpAttrDef& Bool(bool value = false) {
    value_ = {sb_op_value::kBool, 1, value, 0, nullptr, nullptr, nullptr, 0};
    return *this;
  }
  OpAttrDef& String(const char* value = "") {
    text_ = value;
    value_ = {sb_op_value::kText, 1, 0, 0, text_.c_str(), nullptr, nullptr, 0};
    return *this;
  }
  OpAttrDef& ListInt(std::vector<int64_t> values = {}) {
    wholes_ = std::move(values);
    value_ = {sb_op_value::kWholes, 1, 0, 0, nullptr, wholes_.data(), nullptr, wholes_.size()};
    return *this;
  }
  OpAttrDef& ListFloat(std::vector<float> values = {}) {
    reals_ = std::move(values);
    value_ = {sb_op_value::kReals, 1, 0, 0, nullptr, nullptr, reals_.data(), reals_.size()};
    return *this;
  }
  OpAttrDef& Version(uint32_t) { return *this; }
  std::string name_, text_;
  std::vector<int64_t> wholes_;
  std::vector<float> reals_;
  sb_op_value value_ = {};
};

class OpAICoreConfig {
 public:
  OpAICoreConfig() = default;
  explicit OpAICoreConfig(const char*) {}
  OpParamDef& Input(const char* name) { return inputs_.emplace_back(name); }
  OpParamDef& Output(const char* name) { return inputs_.emplace_back(name); }
  OpAICoreConfig& DynamicCompileStaticFlag(bool) { return *this; }
  OpAICoreConfig& DynamicFormatFlag(bool) { return *this; }
  OpAICoreConfig& DynamicRankSupportFlag(bool) { return *this; }
  OpAICoreConfig& DynamicShapeSupportFlag(bool) { return *this; }
  OpAICoreConfig& NeedCheckSupportFlag(bool) { return *this; }
  OpAICoreConfig& PrecisionReduceFlag(bool) { return *this; }
  OpAICoreConfig& ExtendCfgInfo(const char*, const char*) { return *this; }

 private:
  std::deque<OpParamDef> inputs_;
};

using TilingFunc = ge::graphStatus (*)(gert::TilingContext*);

class OpAICoreDef {
 public:
  OpAICoreDef& SetTiling(TilingFunc tiling) {
    tiling_ = tiling;
    return *this;
  }
  template <class F>
  OpAICoreDef& SetCheckSupport(F) { return *this; }
  template <class F>
  OpAICoreDef& SetGenerateTaskFunc(F) { return *this; }
  OpAICoreDef& AddConfig(const char*) { return *this; }
  OpAICoreDef& AddConfig(const char*, const OpAICoreConfig&) { return *this; }
  TilingFunc tiling_ = nullptr;
};

class OpDef {
 public:
  explicit OpDef(const char* name) : name_(name) {}
  OpParamDef& Input(const char* name) { return inputs_.emplace_back(name); }
  OpParamDef& Output(const char* name) { return outputs_.emplace_back(name); }
  OpAttrDef& Attr(const char* name) { return attrs_.emplace_back(name); }
  OpDef& SetInferShape(ge::graphStatus (*)(gert::InferShapeContext*)) { return *this; }
  OpDef& SetInferShapeRange(void*) { return *this; }
  OpDef& SetInferDataType(ge::graphStatus (*)(gert::InferDataTypeContext*)) { return *this; }
  OpDef& Comment(const char*) { return *this; }
  OpAICoreDef& AICore() { return core_; }

  std::string name_;
  std::deque<OpParamDef> inputs_, outputs_;
  std::deque<OpAttrDef> attrs_;
  OpAICoreDef core_;
};

// An operator that the runtime can call by name.
class SbOperator {
 public:
  explicit SbOperator(OpDef* made) : def_(made) {
    for (const OpAttrDef& attr : def_->attrs_) value_names_.push_back(attr.name_.c_str());
    description_ = {def_->name_.c_str(), static_cast<int>(def_->inputs_.size()), static_cast<int>(def_->outputs_.size()), static_cast<int>(value_names_.size()), value_names_.data(), this, &SbOperator::plan};
    sb_op_register(&description_);
  }

 private:
  static gert::Tensor tensor_of(const sb_op_tensor& from) {
    gert::Tensor to;
    gert::Shape shape;
    for (int i = 0; i < from.dim_count; ++i) shape.AppendDim(from.dims[i]);
    to.shape_ = {shape, shape};
    to.desc_.type_ = static_cast<ge::DataType>(from.type);
    to.desc_.format_ = static_cast<ge::Format>(from.format);
    return to;
  }
  // A kernel that was compiled for one column of the declared types (DTYPE_X in its source) takes no others.
  bool types_fit(const sb_op_call& call) const {
    const int column = sb_op_types_column(def_->name_.c_str());
    if (column < 0) return true;
    for (size_t i = 0; i < def_->inputs_.size(); ++i) {
      const std::vector<ge::DataType>& types = def_->inputs_[i].types_;
      if (call.inputs[i].is_given == 0 || static_cast<size_t>(column) >= types.size()) continue;
      if (types[static_cast<size_t>(column)] != call.inputs[i].type) return false;
    }
    return true;
  }
  static int plan(void* self, sb_op_call* call, sb_op_plan* plan) { return static_cast<SbOperator*>(self)->plan_call(*call, *plan); }
  int plan_call(sb_op_call& call, sb_op_plan& plan) {
    if (def_->core_.tiling_ == nullptr) return 2;
    if (!types_fit(call)) return 3;
    context_ = std::make_unique<gert::TilingContext>();
    gert::TilingContext& context = *context_;
    context.name_ = def_->name_.c_str();
    for (size_t i = 0; i < def_->inputs_.size(); ++i) {
      context.inputs_.push_back(tensor_of(call.inputs[i]));
      context.is_given_.push_back(call.inputs[i].is_given != 0);
    }
    for (size_t i = 0; i < def_->outputs_.size(); ++i) context.outputs_.push_back(tensor_of(call.outputs[i]));
    for (size_t i = 0; i < def_->attrs_.size(); ++i) {
      const sb_op_value value = call.values[i].is_given != 0 ? call.values[i] : def_->attrs_[i].value_;
      context.attrs_.values_.push_back(value);
      context.attrs_.wholes_.emplace_back();
      context.attrs_.reals_.emplace_back();
      if (value.wholes != nullptr) context.attrs_.wholes_.back().values_.assign(value.wholes, value.wholes + value.count);
      if (value.reals != nullptr) context.attrs_.reals_.back().values_.assign(value.reals, value.reals + value.count);
    }
    if (def_->core_.tiling_(&context) != ge::GRAPH_SUCCESS) return 1;
    plan.blocks = context.blocks_;
    plan.key = context.key_;
    plan.tiling = context.tiling_.GetData();
    plan.tiling_bytes = context.tiling_.GetDataSize();
    plan.workspace_bytes = context.workspaces_.empty() ? 0 : context.workspaces_[0];
    return 0;
  }

  OpDef* def_;
  std::vector<const char*> value_names_;
  sb_op_description description_ = {};
  std::unique_ptr<gert::TilingContext> context_;
};

}  // namespace ops

#define OP_ADD(Type) static ::ops::SbOperator* const sb_operator_##Type = new ::ops::SbOperator(new Type(#Type))
// Tiling and inference functions registered by themselves: the operator's definition names the same ones.
#define IMPL_OP_OPTILING(Type) static const auto sb_tiling_of_##Type = ::optiling::SbImpl(#Type)
namespace optiling {
struct SbImpl {
  explicit SbImpl(const char*) {}
  SbImpl& Tiling(ops::TilingFunc) { return *this; }
  template <class T>
  SbImpl& TilingParse(ge::graphStatus (*)(gert::TilingParseContext*)) { return *this; }
};
}  // namespace optiling
