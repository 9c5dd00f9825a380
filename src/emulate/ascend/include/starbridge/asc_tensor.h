// GlobalTensor and LocalTensor. In a check scalar accesses go through the runtime: those of GM have a data cache per core.
#pragma once

namespace AscendC {

template <class T>
SB_DEVICE T sb_load(const void* at) {
#if defined(SB_CHECKED)
  return sb_from_bits<T>(__sb_asc_load(at, sizeof(T)));
#else
  return *static_cast<const T*>(at);
#endif
}
template <class T>
SB_DEVICE void sb_store(void* at, T value) {
#if defined(SB_CHECKED)
  __sb_asc_store(at, sizeof(T), sb_bits(value));
#else
  *static_cast<T*>(at) = value;
#endif
}

// tensor(i), which may be read and assigned.
template <class T>
struct sb_element {
  char* sb_at;
  SB_METHOD operator T() const { return sb_load<T>(sb_at); }
  SB_METHOD sb_element& operator=(T value) {
    sb_store<T>(sb_at, value);
    return *this;
  }
#define SB_COMPOUND(sign)                                                          \
  template <class V>                                                               \
  SB_METHOD sb_element& operator sign##=(V value) {                                \
    return *this = static_cast<T>(static_cast<T>(*this) sign static_cast<T>(value)); \
  }
  SB_COMPOUND(+) SB_COMPOUND(-) SB_COMPOUND(*) SB_COMPOUND(/)
#undef SB_COMPOUND
  SB_METHOD sb_element& operator=(const sb_element& other) {
    sb_store<T>(sb_at, static_cast<T>(other));
    return *this;
  }
};

template <typename T>
class BaseGlobalTensor {
 public:
  using PrimType = T;
  T* address_ = nullptr;
};

template <typename T>
class GlobalTensor : public BaseGlobalTensor<T> {
 public:
  using PrimType = T;
  SB_METHOD GlobalTensor() {}
  SB_METHOD void SetGlobalBuffer(__gm__ T* buffer, uint64_t size) {
    this->address_ = buffer;
    size_ = size;
  }
  SB_METHOD void SetGlobalBuffer(__gm__ T* buffer) { SetGlobalBuffer(buffer, 0); }
  SB_METHOD const __gm__ T* GetPhyAddr() const { return this->address_; }
  SB_METHOD __gm__ T* GetPhyAddr(const uint64_t offset) const { return sb_at(static_cast<sb_long>(offset)); }
  SB_METHOD T GetValue(const uint64_t offset) const { return sb_load<T>(sb_at(static_cast<sb_long>(offset))); }
  SB_METHOD void SetValue(const uint64_t offset, T value) { sb_store<T>(sb_at(static_cast<sb_long>(offset)), value); }
  SB_METHOD uint64_t GetSize() const { return size_; }
  SB_METHOD GlobalTensor operator[](const uint64_t offset) const {
    GlobalTensor result = *this;
    result.address_ = sb_at(static_cast<sb_long>(offset));
    result.size_ = size_ > offset ? size_ - offset : 0;
    return result;
  }
  SB_METHOD sb_element<T> operator()(const uint64_t offset) const { return {reinterpret_cast<char*>(sb_at(static_cast<sb_long>(offset)))}; }
  template <CacheRwMode mode = CacheRwMode::RW>
  SB_METHOD void SetL2CacheHint(CacheMode) {}
  SB_METHOD void SetShapeInfo(const ShapeInfo& shape) { shape_ = shape; }
  SB_METHOD ShapeInfo GetShapeInfo() const { return shape_; }

 private:
  SB_METHOD T* sb_at(sb_long offset) const { return reinterpret_cast<T*>(reinterpret_cast<char*>(this->address_) + sb_bytes_of<T>(offset)); }
  uint64_t size_ = 0;
  ShapeInfo shape_;
};

template <typename T>
class LocalTensor {
 public:
  using PrimType = T;
  SB_METHOD LocalTensor() {}
  SB_METHOD LocalTensor(TPosition position, uint32_t address, uint32_t count) { sb_set(__sb_asc_local(static_cast<int>(position), address, sb_bytes_of<T>(count)), sb_bytes_of<T>(count), position); }
  SB_METHOD T GetValue(const uint32_t offset) const { return sb_load<T>(sb_address + sb_bytes_of<T>(offset)); }
  SB_METHOD void SetValue(const uint32_t offset, const T value) const { sb_store<T>(sb_address + sb_bytes_of<T>(offset), value); }
  template <class V>
  SB_METHOD void SetValue(const uint32_t offset, const V value) const {
    SetValue(offset, static_cast<T>(value));
  }
  SB_METHOD LocalTensor operator[](const uint32_t offset) const {
    LocalTensor result = *this;
    const uint32_t bytes = static_cast<uint32_t>(sb_bytes_of<T>(offset));
    result.sb_address = sb_address + bytes;
    result.sb_bytes = sb_bytes > bytes ? sb_bytes - bytes : 0;
    return result;
  }
  SB_METHOD sb_element<T> operator()(const uint32_t offset) const { return {sb_address + sb_bytes_of<T>(offset)}; }
  template <typename U>
  SB_METHOD LocalTensor<U> ReinterpretCast() const {
    LocalTensor<U> result;
    result.sb_set(sb_address, sb_bytes, sb_position);
    return result;
  }
  SB_METHOD uint32_t GetSize() const { return sb_code<T>::value == SB_S4 ? sb_bytes * 2 : sb_bytes / sizeof(T); }
  SB_METHOD void SetSize(uint32_t count) { sb_bytes = static_cast<uint32_t>(sb_bytes_of<T>(count)); }
  SB_METHOD uint32_t GetLength() const { return sb_bytes; }
  SB_METHOD void SetBufferLen(uint32_t bytes) { sb_bytes = bytes; }
  SB_METHOD __ubuf__ T* GetPhyAddr() const { return reinterpret_cast<T*>(sb_address); }
  SB_METHOD __ubuf__ T* GetPhyAddr(const uint32_t offset) const { return reinterpret_cast<T*>(sb_address + sb_bytes_of<T>(offset)); }
  SB_METHOD int32_t GetPosition() const { return static_cast<int32_t>(sb_position); }
  SB_METHOD void SetAddrWithOffset(LocalTensor<T>& from, uint32_t offset) { *this = from[offset]; }
  SB_METHOD void SetShapeInfo(const ShapeInfo& shape) { sb_shape = shape; }
  SB_METHOD ShapeInfo GetShapeInfo() const { return sb_shape; }
  SB_METHOD void SetUserTag(uint32_t tag) { sb_tag = tag; }
  SB_METHOD uint32_t GetUserTag() const { return sb_tag; }

  SB_METHOD void sb_set(char* at, sb_long bytes, TPosition position) {
    sb_address = at;
    sb_bytes = static_cast<uint32_t>(bytes);
    sb_position = position;
  }
  char* sb_address = nullptr;
  uint32_t sb_bytes = 0, sb_tag = 0;
  TPosition sb_position = TPosition::VECCALC;
  ShapeInfo sb_shape;

  // dst = a + b and its like, over the whole of dst.
#define SB_OPERATOR(sign, Name)                                                                                   \
  struct sb_##Name {                                                                                              \
    const LocalTensor& a;                                                                                         \
    const LocalTensor& b;                                                                                         \
  };                                                                                                              \
  SB_METHOD sb_##Name operator sign(const LocalTensor& b) const { return {*this, b}; }                            \
  SB_METHOD void operator=(const sb_##Name& pair) { sb_##Name##_whole(pair.a, pair.b); }                          \
  __device__ void sb_##Name##_whole(const LocalTensor& a, const LocalTensor& b);
  SB_OPERATOR(+, Add) SB_OPERATOR(-, Sub) SB_OPERATOR(*, Mul) SB_OPERATOR(/, Div) SB_OPERATOR(&, And) SB_OPERATOR(|, Or)
#undef SB_OPERATOR
};

}  // namespace AscendC
