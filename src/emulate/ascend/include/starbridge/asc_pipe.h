// Buffers of a core and the queues between its pipes: TPipe, TQue, TQueBind, TBuf, TBufPool, LocalMemAllocator.
#pragma once

namespace AscendC {

using TBufHandle = char*;

// What a queue of one position stands between.
SB_DEVICE constexpr TPosition sb_source(TPosition position) {
  switch (position) {
    case TPosition::A1: case TPosition::B1: case TPosition::VECIN: case TPosition::C1: case TPosition::TSCM: return TPosition::GM;
    case TPosition::A2: return TPosition::A1;
    case TPosition::B2: return TPosition::B1;
    case TPosition::C2: return TPosition::C1;
    case TPosition::CO2: return TPosition::CO1;
    default: return position;
  }
}
SB_DEVICE constexpr TPosition sb_destination(TPosition position) {
  return position == TPosition::VECOUT ? TPosition::GM : position == TPosition::CO1 ? TPosition::CO2 : position;
}

struct TQueConfig {};

template <TPosition src, TPosition dst, int32_t depth, auto mask = 0>
class TQueBind {
 public:
  SB_METHOD TQueBind() {}
  template <typename T>
  SB_METHOD LocalTensor<T> AllocTensor() {
    sb_word bytes = 0;
    return sb_tensor<T>(__sb_asc_que_alloc(&sb_queue, &bytes), bytes);
  }
  template <typename T>
  SB_METHOD void AllocTensor(LocalTensor<T>& tensor) { tensor = AllocTensor<T>(); }
  template <typename T>
  SB_METHOD void FreeTensor(LocalTensor<T>& tensor) { __sb_asc_que_free(&sb_queue, tensor.sb_address); }
  template <typename T>
  SB_METHOD bool EnQue(const LocalTensor<T>& tensor) {
    __sb_asc_que_enque(&sb_queue, tensor.sb_address);
    return true;
  }
  template <TPosition from, TPosition to, typename T>
  SB_METHOD bool EnQue(const LocalTensor<T>& tensor) { return EnQue(tensor); }
  template <typename T>
  SB_METHOD LocalTensor<T> DeQue() {
    sb_word bytes = 0;
    return sb_tensor<T>(__sb_asc_que_deque(&sb_queue, &bytes), bytes);
  }
  template <TPosition from, TPosition to, typename T>
  SB_METHOD LocalTensor<T> DeQue() { return DeQue<T>(); }
  template <typename T>
  SB_METHOD void DeQue(LocalTensor<T>& tensor) { tensor = DeQue<T>(); }
  SB_METHOD TBufHandle AllocBuffer() { return AllocTensor<uint8_t>().sb_address; }
  SB_METHOD void FreeBuffer(TBufHandle buffer) { __sb_asc_que_free(&sb_queue, buffer); }
  SB_METHOD bool EnQue(TBufHandle buffer) {
    __sb_asc_que_enque(&sb_queue, buffer);
    return true;
  }
  SB_METHOD TBufHandle DeQue() { return DeQue<uint8_t>().sb_address; }
  SB_METHOD bool HasTensorInQue() { return __sb_asc_que_state(&sb_queue, 0) > 0; }
  SB_METHOD int32_t GetTensorCountInQue() { return __sb_asc_que_state(&sb_queue, 0); }
  SB_METHOD bool VacantInQue() { return __sb_asc_que_state(&sb_queue, 0) < depth; }
  SB_METHOD bool HasIdleBuffer() { return __sb_asc_que_state(&sb_queue, 1) > 0; }
  SB_METHOD void FreeAllEvent() {}

  static constexpr int sb_src = static_cast<int>(src), sb_dst = static_cast<int>(dst), sb_depth = depth;
  sb_que sb_queue = {0, sb_src, sb_dst, sb_depth};

 protected:
  template <typename T>
  SB_METHOD LocalTensor<T> sb_tensor(char* at, sb_word bytes) {
    LocalTensor<T> tensor;
    tensor.sb_set(at, static_cast<sb_long>(bytes), src == TPosition::GM || dst == TPosition::A2 || dst == TPosition::B2 || dst == TPosition::C2 ? dst : src);
    return tensor;
  }
};

template <TPosition position, int32_t depth, auto mask = 0>
class TQue : public TQueBind<sb_source(position), sb_destination(position), depth, mask> {};
template <TPosition position, int32_t depth>
using TQueSync = TQue<position, depth>;

template <TPosition position = TPosition::LCM>
class TBuf {
 public:
  SB_METHOD TBuf() {}
  template <typename T>
  SB_METHOD LocalTensor<T> Get() {
    sb_word bytes = 0;
    LocalTensor<T> tensor;
    char* at = __sb_asc_buf_get(&sb_queue, 0, 0, &bytes);
    tensor.sb_set(at, static_cast<sb_long>(bytes), position);
    return tensor;
  }
  template <typename T>
  SB_METHOD LocalTensor<T> Get(uint32_t count) {
    return GetWithOffset<T>(count, 0);
  }
  template <typename T>
  SB_METHOD LocalTensor<T> GetWithOffset(uint32_t count, uint32_t offset) {
    sb_word bytes = 0;
    LocalTensor<T> tensor;
    char* at = __sb_asc_buf_get(&sb_queue, offset, static_cast<sb_word>(sb_bytes_of<T>(count)), &bytes);
    tensor.sb_set(at, sb_bytes_of<T>(count), position);
    return tensor;
  }
  template <typename T>
  SB_METHOD LocalTensor<T> AllocTensor() { return Get<T>(); }
  template <typename T>
  SB_METHOD void FreeTensor(LocalTensor<T>&) {}
  template <typename T>
  SB_METHOD void EnQue(const LocalTensor<T>&) {}
  template <typename T>
  SB_METHOD LocalTensor<T> DeQue() { return Get<T>(); }
  SB_METHOD uint32_t GetBufLen() {
    sb_word bytes = 0;
    __sb_asc_buf_get(&sb_queue, 0, 0, &bytes);
    return static_cast<uint32_t>(bytes);
  }
  static constexpr int sb_src = static_cast<int>(position);
  sb_que sb_queue = {0, sb_src, sb_src, 1};
};

class TPipe;
extern __device__ __thread TPipe* sb_current_pipe __asm__("__sb_asc_pipe");

template <TPosition position, uint32_t slots>
class TBufPool;

class TPipe {
 public:
  SB_METHOD TPipe() {
    __sb_asc_pipe_start();
    sb_current_pipe = this;
  }
  SB_METHOD ~TPipe() {}
  SB_METHOD void Init() { __sb_asc_pipe_start(); }
  SB_METHOD void Destroy() { __sb_asc_pipe_end(); }
  SB_METHOD void Reset() { __sb_asc_pipe_end(); __sb_asc_pipe_start(); }
  template <TPosition src, TPosition dst, int32_t depth, auto mask>
  SB_METHOD bool InitBuffer(TQueBind<src, dst, depth, mask>& que, uint8_t num, uint32_t len) {
    __sb_asc_que_init(&que.sb_queue, static_cast<int>(src), static_cast<int>(dst), depth, num, len, 0);
    return true;
  }
  template <TPosition position>
  SB_METHOD bool InitBuffer(TBuf<position>& buffer, uint32_t len) {
    __sb_asc_que_init(&buffer.sb_queue, static_cast<int>(position), static_cast<int>(position), 1, 1, len, 1);
    return true;
  }
  template <TPosition position, uint32_t slots>
  SB_METHOD bool InitBufPool(TBufPool<position, slots>&, uint32_t) { return true; }
  template <TPosition position, uint32_t slots, class U>
  SB_METHOD bool InitBufPool(TBufPool<position, slots>&, uint32_t, U&) { return true; }
  template <HardEvent event>
  SB_METHOD TEventID AllocEventID() { return __sb_asc_event(static_cast<int>(event) / 16, static_cast<int>(event) % 16, 1); }
  template <HardEvent event>
  SB_METHOD void ReleaseEventID(TEventID id) { __sb_asc_release_event(static_cast<int>(event) / 16, static_cast<int>(event) % 16, id); }
  template <HardEvent event>
  SB_METHOD TEventID FetchEventID() { return __sb_asc_event(static_cast<int>(event) / 16, static_cast<int>(event) % 16, 0); }
  SB_METHOD TEventID FetchEventID(HardEvent event) { return __sb_asc_event(static_cast<int>(event) / 16, static_cast<int>(event) % 16, 0); }
  template <TPosition position, typename T>
  SB_METHOD LocalTensor<T> GetAbsAddr(int32_t offset, int32_t count) {
    LocalTensor<T> tensor;
    tensor.sb_set(__sb_asc_local(static_cast<int>(position), static_cast<sb_word>(offset), static_cast<sb_word>(sb_bytes_of<T>(count))), sb_bytes_of<T>(count), position);
    return tensor;
  }
};
SB_DEVICE TPipe* GetTPipePtr() { return sb_current_pipe; }

// Buffers of a pool come from the core's memory like all others: what a pool adds, the right to take it again, is Reset.
template <TPosition position, uint32_t slots = 4>
class TBufPool {
 public:
  SB_METHOD TBufPool() {}
  template <class Q>
  SB_METHOD bool InitBuffer(Q& que, uint8_t num, uint32_t len) { return GetTPipePtr()->InitBuffer(que, num, len); }
  template <TPosition p>
  SB_METHOD bool InitBuffer(TBuf<p>& buffer, uint32_t len) { return GetTPipePtr()->InitBuffer(buffer, len); }
  SB_METHOD void Reset() {}
};

// Hands out addresses of one memory, upwards.
template <Hardware hardware = Hardware::UB>
class LocalMemAllocator {
 public:
  SB_METHOD LocalMemAllocator() {}
  SB_METHOD uint32_t GetCurAddr() const { return sb_next; }
  template <TPosition position, class T, uint32_t count>
  SB_METHOD LocalTensor<T> Alloc() { return Alloc<position, T>(count); }
  template <class T, uint32_t count>
  SB_METHOD LocalTensor<T> Alloc() { return Alloc<sb_position(), T>(count); }
  template <TPosition position, class T>
  SB_METHOD LocalTensor<T> Alloc(uint32_t count) {
    LocalTensor<T> tensor(position, sb_next, count);
    sb_next += static_cast<uint32_t>((sb_bytes_of<T>(count) + 31) / 32 * 32);
    return tensor;
  }

 private:
  SB_METHOD static constexpr TPosition sb_position() {
    return hardware == Hardware::L1 ? TPosition::A1 : hardware == Hardware::L0A ? TPosition::A2 : hardware == Hardware::L0B ? TPosition::B2 : hardware == Hardware::L0C ? TPosition::CO1 : TPosition::VECCALC;
  }
  uint32_t sb_next = 0;
};

}  // namespace AscendC
