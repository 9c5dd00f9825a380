// The contexts that shape, type and tiling functions of an operator get.
#pragma once

#include <memory>
#include <type_traits>

#include "starbridge/ge_types.h"

namespace fe {
class PlatFormInfos {};
}  // namespace fe

namespace gert {

class RuntimeAttrs {
 public:
  size_t GetAttrNum() const { return values_.size(); }
  template <class T>
  const T* GetAttrPointer(size_t i) const {
    if (i >= values_.size()) return nullptr;
    const sb_op_value& value = values_[i];
    if constexpr (std::is_same_v<T, float>) return &value.real;
    else if constexpr (std::is_same_v<T, char>) return value.text;
    else if constexpr (std::is_same_v<T, bool>) return reinterpret_cast<const bool*>(&value.whole);
    else if constexpr (std::is_same_v<T, ContinuousVectorOf<int64_t>>) return &wholes_[i];
    else if constexpr (std::is_same_v<T, ContinuousVectorOf<float>>) return &reals_[i];
    else return reinterpret_cast<const T*>(&value.whole);  // little-endian: the low bytes of a narrower integer
  }
  const int64_t* GetInt(size_t i) const { return GetAttrPointer<int64_t>(i); }
  const float* GetFloat(size_t i) const { return GetAttrPointer<float>(i); }
  const bool* GetBool(size_t i) const { return GetAttrPointer<bool>(i); }
  const char* GetStr(size_t i) const { return GetAttrPointer<char>(i); }
  const ContinuousVectorOf<int64_t>* GetListInt(size_t i) const { return i < wholes_.size() ? &wholes_[i] : nullptr; }
  const ContinuousVectorOf<float>* GetListFloat(size_t i) const { return i < reals_.size() ? &reals_[i] : nullptr; }

  std::vector<sb_op_value> values_;
  std::vector<ContinuousVectorOf<int64_t>> wholes_;
  std::vector<ContinuousVectorOf<float>> reals_;
};

// Raw tiling data: bytes for the kernel.
class TilingData {
 public:
  static constexpr size_t kCapacity = 64U << 10;
  void* GetData() { return bytes_.data(); }
  const void* GetData() const { return bytes_.data(); }
  size_t GetCapacity() const { return kCapacity; }
  size_t GetDataSize() const { return size_; }
  void SetDataSize(size_t size) { size_ = size; }
  template <class T>
  ge::graphStatus Append(const T& value) {
    if (size_ + sizeof value > kCapacity) return ge::GRAPH_FAILED;
    memcpy(bytes_.data() + size_, &value, sizeof value);
    size_ += sizeof value;
    return ge::GRAPH_SUCCESS;
  }

 private:
  std::vector<char> bytes_ = std::vector<char>(kCapacity);
  size_t size_ = 0;
};

class ContextBase {
 public:
  const char* GetNodeName() const { return name_; }
  const char* GetNodeType() const { return name_; }
  size_t GetComputeNodeInputNum() const { return inputs_.size(); }
  size_t GetComputeNodeOutputNum() const { return outputs_.size(); }
  const RuntimeAttrs* GetAttrs() const { return &attrs_; }
  const Tensor* GetInputTensor(size_t i) const { return given(i); }
  const Tensor* GetRequiredInputTensor(size_t i) const { return given(i); }
  const Tensor* GetOptionalInputTensor(size_t i) const { return given(i); }
  const Tensor* GetDynamicInputTensor(size_t i, size_t j) const { return given(i + j); }
  const CompileTimeTensorDesc* GetInputDesc(size_t i) const { return given(i) != nullptr ? &inputs_[i].desc_ : nullptr; }
  const CompileTimeTensorDesc* GetOptionalInputDesc(size_t i) const { return GetInputDesc(i); }
  const CompileTimeTensorDesc* GetOutputDesc(size_t i) const { return i < outputs_.size() ? &outputs_[i].desc_ : nullptr; }
  ge::DataType GetInputDataType(size_t i) const { return given(i) != nullptr ? inputs_[i].desc_.type_ : ge::DT_UNDEFINED; }
  ge::DataType GetOutputDataType(size_t i) const { return i < outputs_.size() ? outputs_[i].desc_.type_ : ge::DT_UNDEFINED; }

  const char* name_ = "";
  std::vector<Tensor> inputs_, outputs_;
  std::vector<char> is_given_;
  RuntimeAttrs attrs_;

 protected:
  const Tensor* given(size_t i) const { return i < inputs_.size() && is_given_[i] != 0 ? &inputs_[i] : nullptr; }
};

class TilingContext : public ContextBase {
 public:
  const StorageShape* GetInputShape(size_t i) const { return given(i) != nullptr ? &inputs_[i].shape_ : nullptr; }
  const StorageShape* GetRequiredInputShape(size_t i) const { return GetInputShape(i); }
  const StorageShape* GetOptionalInputShape(size_t i) const { return GetInputShape(i); }
  const StorageShape* GetOutputShape(size_t i) const { return i < outputs_.size() ? &outputs_[i].shape_ : nullptr; }
  ge::graphStatus SetBlockDim(uint32_t blocks) {
    blocks_ = blocks;
    return ge::GRAPH_SUCCESS;
  }
  uint32_t GetBlockDim() const { return blocks_; }
  ge::graphStatus SetTilingKey(uint64_t key) {
    key_ = key;
    return ge::GRAPH_SUCCESS;
  }
  uint64_t GetTilingKey() const { return key_; }
  ge::graphStatus SetScheduleMode(uint32_t) { return ge::GRAPH_SUCCESS; }
  ge::graphStatus SetLocalMemorySize(uint32_t) { return ge::GRAPH_SUCCESS; }
  ge::graphStatus SetNeedAtomic(bool) { return ge::GRAPH_SUCCESS; }
  TilingData* GetRawTilingData() { return &tiling_; }
  template <class T>
  T* GetTilingData() {
    tiling_.SetDataSize(sizeof(T));
    return static_cast<T*>(tiling_.GetData());
  }
  size_t* GetWorkspaceSizes(size_t count) {
    workspaces_.assign(count, 0);
    return workspaces_.data();
  }
  size_t GetWorkspaceNum() const { return workspaces_.size(); }
  fe::PlatFormInfos* GetPlatformInfo() const { return &platform_; }

  uint32_t blocks_ = 1;
  uint64_t key_ = 0;
  TilingData tiling_;
  std::vector<size_t> workspaces_;

 private:
  mutable fe::PlatFormInfos platform_;
};

class InferShapeContext : public ContextBase {
 public:
  const Shape* GetInputShape(size_t i) const { return given(i) != nullptr ? &inputs_[i].shape_.GetOriginShape() : nullptr; }
  const Shape* GetOptionalInputShape(size_t i) const { return GetInputShape(i); }
  Shape* GetOutputShape(size_t i) { return i < outputs_.size() ? &outputs_[i].shape_.MutableOriginShape() : nullptr; }
};

class InferDataTypeContext : public ContextBase {
 public:
  ge::graphStatus SetOutputDataType(size_t i, ge::DataType type) {
    if (i >= outputs_.size()) return ge::GRAPH_FAILED;
    outputs_[i].desc_.type_ = type;
    return ge::GRAPH_SUCCESS;
  }
};

class TilingParseContext : public ContextBase {
 public:
  template <class T>
  T* GetCompiledInfo() { return nullptr; }
};

}  // namespace gert

namespace ge {
using InferShapeContext = gert::InferShapeContext;
using InferDataTypeContext = gert::InferDataTypeContext;
}  // namespace ge
