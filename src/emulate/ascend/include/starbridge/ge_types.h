// Types and shapes as the host half of an operator sees them: namespaces ge and gert of CANN.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "starbridge/op_abi.h"

namespace ge {

using graphStatus = uint32_t;
constexpr graphStatus GRAPH_SUCCESS = 0, GRAPH_FAILED = 0xffffffffU, GRAPH_PARAM_INVALID = 50331649;
enum DataType { DT_FLOAT = 0, DT_FLOAT16 = 1, DT_INT8 = 2, DT_INT32 = 3, DT_UINT8 = 4, DT_INT16 = 6, DT_UINT16 = 7, DT_UINT32 = 8, DT_INT64 = 9, DT_UINT64 = 10, DT_DOUBLE = 11, DT_BOOL = 12, DT_STRING = 13, DT_COMPLEX64 = 16, DT_COMPLEX128 = 17, DT_BF16 = 27, DT_BFLOAT16 = 27, DT_UNDEFINED = 28, DT_INT4 = 29 };
enum Format { FORMAT_NCHW = 0, FORMAT_NHWC = 1, FORMAT_ND = 2, FORMAT_NC1HWC0 = 3, FORMAT_FRACTAL_Z = 4, FORMAT_HWCN = 16, FORMAT_NDHWC = 27, FORMAT_FRACTAL_NZ = 29, FORMAT_NCDHW = 30, FORMAT_NDC1HWC0 = 32, FORMAT_NCL = 47 };
inline int GetSizeByDataType(DataType type) {
  switch (type) {
    case DT_INT8: case DT_UINT8: case DT_BOOL: return 1;
    case DT_FLOAT16: case DT_BF16: case DT_INT16: case DT_UINT16: return 2;
    case DT_INT64: case DT_UINT64: case DT_DOUBLE: case DT_COMPLEX64: return 8;
    case DT_COMPLEX128: return 16;
    case DT_STRING: case DT_UNDEFINED: return -1;
    default: return 4;
  }
}

}  // namespace ge

namespace gert {

class Shape {
 public:
  static constexpr size_t kMaxDimNum = SB_OP_DIMS_MAX;
  Shape() = default;
  Shape(std::initializer_list<int64_t> dims) {
    for (int64_t dim : dims) AppendDim(dim);
  }
  size_t GetDimNum() const { return count_; }
  int64_t GetDim(size_t i) const { return i < count_ ? dims_[i] : 0; }
  int64_t operator[](size_t i) const { return dims_[i]; }
  int64_t& operator[](size_t i) { return dims_[i]; }
  void SetDim(size_t i, int64_t value) {
    if (i < kMaxDimNum) dims_[i] = value;
  }
  void SetDimNum(size_t count) { count_ = count < kMaxDimNum ? count : kMaxDimNum; }
  Shape& AppendDim(int64_t value) {
    if (count_ < kMaxDimNum) dims_[count_++] = value;
    return *this;
  }
  void SetScalar() { count_ = 0; }
  bool IsScalar() const { return count_ == 0; }
  int64_t GetShapeSize() const {
    int64_t size = 1;
    for (size_t i = 0; i < count_; ++i) size *= dims_[i];
    return size;
  }
  bool operator==(const Shape& other) const {
    if (count_ != other.count_) return false;
    for (size_t i = 0; i < count_; ++i) {
      if (dims_[i] != other.dims_[i]) return false;
    }
    return true;
  }
  bool operator!=(const Shape& other) const { return !(*this == other); }

 private:
  size_t count_ = 0;
  int64_t dims_[kMaxDimNum] = {};
};

class StorageShape {
 public:
  StorageShape() = default;
  StorageShape(const Shape& origin, const Shape& storage) : origin_(origin), storage_(storage) {}
  const Shape& GetOriginShape() const { return origin_; }
  const Shape& GetStorageShape() const { return storage_; }
  Shape& MutableOriginShape() { return origin_; }
  Shape& MutableStorageShape() { return storage_; }

 private:
  Shape origin_, storage_;
};

class CompileTimeTensorDesc {
 public:
  ge::DataType GetDataType() const { return type_; }
  ge::Format GetStorageFormat() const { return format_; }
  ge::Format GetOriginFormat() const { return format_; }
  ge::Format GetFormat() const { return format_; }
  ge::DataType type_ = ge::DT_UNDEFINED;
  ge::Format format_ = ge::FORMAT_ND;
};

class Tensor {
 public:
  const Shape& GetOriginShape() const { return shape_.GetOriginShape(); }
  const Shape& GetStorageShape() const { return shape_.GetStorageShape(); }
  const StorageShape& GetShape() const { return shape_; }
  int64_t GetShapeSize() const { return shape_.GetStorageShape().GetShapeSize(); }
  ge::DataType GetDataType() const { return desc_.type_; }
  ge::Format GetStorageFormat() const { return desc_.format_; }
  ge::Format GetOriginFormat() const { return desc_.format_; }
  // Where the values are known before the launch; here they never are.
  template <class T>
  const T* GetData() const { return nullptr; }
  size_t GetSize() const { return static_cast<size_t>(GetShapeSize()) * static_cast<size_t>(ge::GetSizeByDataType(desc_.type_)); }
  StorageShape shape_;
  CompileTimeTensorDesc desc_;
};

template <class T>
class ContinuousVectorOf {
 public:
  const T* GetData() const { return values_.data(); }
  size_t GetSize() const { return values_.size(); }
  std::vector<T> values_;
};
template <class T>
using TypedContinuousVector = ContinuousVectorOf<T>;

}  // namespace gert
