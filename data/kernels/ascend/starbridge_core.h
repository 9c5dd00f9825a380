// The core's side of ported programs: lanes of a block in UB, elements of GM, and the order of pipes. Read after kernel_operator.h.
// Vector instructions need operands on 32 bytes; operands elsewhere go through a staging area, lane by lane.
#pragma once

#include <kernel_operator.h>

namespace port {

struct Core;
template <class T>
struct Element;

// A place in UB (bytes from the start of the arena) or in GM.
template <class T>
struct At {
  Core* core = nullptr;
  uint64_t place = 0;
  bool is_global = false;

  __aicore__ inline At() {}
  __aicore__ inline At(Core* on, uint64_t at, bool global) : core(on), place(at), is_global(global) {}
  template <class U>
  __aicore__ inline explicit At(const At<U>& other) : core(other.core), place(other.place), is_global(other.is_global) {}
  __aicore__ inline At operator+(int64_t count) const { return At(core, place + count * (int64_t)sizeof(T), is_global); }
  __aicore__ inline Element<T> operator[](int64_t index) const;
  __aicore__ inline bool operator!=(decltype(nullptr)) const { return place != 0; }
  __aicore__ inline bool is_aligned() const { return place % 32 == 0; }
};

// One element, read and written by the scalar unit.
template <class T>
struct Element {
  At<T> at;
  __aicore__ inline T value() const;
  __aicore__ inline operator T() const { return value(); }
  template <class U>
  __aicore__ inline explicit operator U() const { return static_cast<U>(value()); }
  __aicore__ inline void operator=(T value) const;
  __aicore__ inline void operator=(const Element& other) const { *this = other.value(); }
  __aicore__ inline At<T> operator&() const { return at; }
};
template <class T>
__aicore__ inline Element<T> At<T>::operator[](int64_t index) const { return Element<T>{*this + index}; }

constexpr int kStage = 256;                       // lanes that are staged at a time
constexpr int kStageBytes = kStage * 4;
constexpr int kSlotBytes = 64;
constexpr int kBitLanes = 2048;                   // lanes that are compared at a time
constexpr int kLibraryBytes = 8192;               // what the library's functions work in
constexpr int kOwnBytes = 3 * kStageBytes + kSlotBytes + kBitLanes / 8 + kStageBytes + kLibraryBytes;

// A core's buffers and the pipe that worked last: a change of pipe waits for all of them.
struct Core {
  enum Pipe { kScalar, kVector, kIn, kOut };
  AscendC::TPipe pipe;
  AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
  AscendC::LocalTensor<uint8_t> arena;
  uint32_t next = 0, arena_bytes = 0;
  Pipe last = kScalar;
  bool cache_is_old = true;  // lines of the data cache may be older than GM

  __aicore__ inline void begin(uint32_t bytes) {
    arena_bytes = bytes;
    pipe.InitBuffer(buffer, bytes);
    arena = buffer.Get<uint8_t>();
    next = kOwnBytes;
    turn(kVector);
    AscendC::Duplicate(arena.ReinterpretCast<int32_t>(), (int32_t)0, (int32_t)(bytes / 4));
  }
  __aicore__ inline void turn(Pipe to) {
    if (to != last) {
      AscendC::PipeBarrier<PIPE_ALL>();
    } else if (to == kVector) {
      AscendC::PipeBarrier<PIPE_V>();
    } else if (to == kIn) {
      AscendC::PipeBarrier<PIPE_MTE2>();
    } else if (to == kOut) {
      AscendC::PipeBarrier<PIPE_MTE3>();
    }
    last = to;
  }
  template <class T>
  __aicore__ inline At<T> tile(int64_t count) {
    const uint32_t at = next;
    next += (uint32_t)((count * sizeof(T) + 127) / 128 * 128);
    return At<T>(this, at, false);
  }
  template <class T>
  __aicore__ inline At<T> global(GM_ADDR at) { return At<T>(this, (uint64_t)at, true); }
  template <class T>
  __aicore__ inline At<T> stage(int which) { return At<T>(this, (uint64_t)(which * kStageBytes), false); }
  template <class T>
  __aicore__ inline At<T> slot() { return At<T>(this, 3 * kStageBytes, false); }
  __aicore__ inline AscendC::LocalTensor<uint8_t> bits() { return arena[3 * kStageBytes + kSlotBytes]; }
  __aicore__ inline AscendC::LocalTensor<uint8_t> library() {
    AscendC::LocalTensor<uint8_t> result = arena[4 * kStageBytes + kSlotBytes + kBitLanes / 8];
    result.SetSize(kLibraryBytes);
    return result;
  }
  __aicore__ inline At<float> sums() { return At<float>(this, 3 * kStageBytes + kSlotBytes + kBitLanes / 8, false); }
};

template <class T>
__aicore__ inline AscendC::LocalTensor<T> tensor(const At<T>& at) {
  return at.core->arena[(uint32_t)at.place].template ReinterpretCast<T>();
}
template <class T>
__aicore__ inline AscendC::GlobalTensor<T> global(const At<T>& at, uint64_t count) {
  AscendC::GlobalTensor<T> result;
  result.SetGlobalBuffer((__gm__ T*)at.place, count);
  return result;
}

// Stores to GM go out by MTE3, so that neighbours in a line of the cache are left alone.
template <class T>
__aicore__ inline void bytes_out(const At<T>& to, const At<T>& from, uint32_t bytes) {
  Core* core = from.core;
  core->turn(Core::kOut);
  AscendC::DataCopyExtParams params{1, bytes, 0, 0, 0};
  AscendC::DataCopyPad(global((At<uint8_t>)to, bytes), tensor((At<uint8_t>)from), params);
  core->cache_is_old = true;
}
template <class T>
__aicore__ inline T Element<T>::value() const {
  Core* core = at.core;
  core->turn(Core::kScalar);
  if (!at.is_global) return core->arena.template ReinterpretCast<T>().GetValue((uint32_t)(at.place / sizeof(T)));
  AscendC::GlobalTensor<T> from = global(at, 1);
  if (core->cache_is_old) {
    AscendC::DataCacheCleanAndInvalid<T, AscendC::CacheLine::ENTIRE_DATA_CACHE, AscendC::DcciDst::CACHELINE_OUT>(from);
    core->cache_is_old = false;
  }
  return from.GetValue(0);
}
template <class T>
__aicore__ inline void Element<T>::operator=(T value) const {
  Core* core = at.core;
  core->turn(Core::kScalar);
  if (!at.is_global) {
    core->arena.template ReinterpretCast<T>().SetValue((uint32_t)(at.place / sizeof(T)), value);
    return;
  }
  tensor(core->slot<T>()).SetValue(0, value);
  bytes_out(at, core->slot<T>(), sizeof(T));
}

// --- copies ------------------------------------------------------------------------------------------------------------------------
template <class T>
__aicore__ inline void copy_lanes(At<T> to, At<T> from, int64_t count) {
  if (count <= 0) return;
  const int words = (int)(count * sizeof(T) / 4);
  if (to.is_aligned() && from.is_aligned() && count * sizeof(T) % 4 == 0) {
    to.core->turn(Core::kVector);
    AscendC::Adds(tensor((At<int32_t>)to), tensor((At<int32_t>)from), (int32_t)0, words);
    return;
  }
  for (int64_t i = 0; i < count; ++i) to[i] = from[i].value();
}
// A copy from GM fills whole blocks of 32 bytes of UB: only whole ones land in place, so that lanes behind the last one keep their value.
template <class T>
__aicore__ inline void copy_in(At<T> to, At<T> from, int64_t count) {
  constexpr int64_t kBlock = 32 / (int64_t)sizeof(T);
  while (count > 0) {
    const bool is_direct = to.is_aligned() && count >= kBlock;
    int64_t part = is_direct ? count / kBlock * kBlock : kStageBytes / (int64_t)sizeof(T);
    if (is_direct && part > (1 << 20) / (int64_t)sizeof(T)) part = (1 << 20) / (int64_t)sizeof(T);
    if (!to.is_aligned() && count >= 2 * kBlock) part = (32 - to.place % 32) / sizeof(T);
    if (part > count) part = count;
    At<T> landing = is_direct ? to : to.core->template stage<T>(0);
    to.core->turn(Core::kIn);
    AscendC::DataCopyExtParams params{1, (uint32_t)(part * sizeof(T)), 0, 0, 0};
    AscendC::DataCopyPadExtParams<uint8_t> pad{false, 0, 0, 0};
    AscendC::DataCopyPad(tensor((At<uint8_t>)landing), global((At<uint8_t>)from, part * sizeof(T)), params, pad);
    if (!is_direct) copy_lanes(to, landing, part);
    to = to + part, from = from + part, count -= part;
  }
}
template <class T>
__aicore__ inline void copy_out(At<T> to, At<T> from, int64_t count) {
  while (count > 0) {
    const bool is_direct = from.is_aligned();
    int64_t part = is_direct ? (1 << 20) / (int64_t)sizeof(T) : (32 - from.place % 32) / sizeof(T);
    if (part > count) part = count;
    if (!is_direct) copy_lanes(from.core->template stage<T>(0), from, part);
    bytes_out(to, is_direct ? from : from.core->template stage<T>(0), (uint32_t)(part * sizeof(T)));
    to = to + part, from = from + part, count -= part;
  }
}
template <class T>
__aicore__ inline void copy_elements(At<T> to, At<T> from, int64_t count) {
  if (count <= 0) return;
  if (to.is_global && from.is_global) {
    while (count > 0) {
      const int64_t part = count < kStageBytes / (int64_t)sizeof(T) ? count : kStageBytes / (int64_t)sizeof(T);
      copy_in(to.core->template stage<T>(1), from, part);
      copy_out(to, to.core->template stage<T>(1), part);
      to = to + part, from = from + part, count -= part;
    }
  } else if (from.is_global) {
    copy_in(to, from, count);
  } else if (to.is_global) {
    copy_out(to, from, count);
  } else {
    copy_lanes(to, from, count);
  }
}
template <bool isFirst, class T, class U>
struct Narrow { using type = T; };
template <class T, class U>
struct Narrow<false, T, U> { using type = U; };
// Elements of the smaller of the two types.
template <class T, class U>
__aicore__ inline void copy(At<T> to, At<U> from, int64_t bytes) {
  using V = typename Narrow<(sizeof(T) < sizeof(U)), T, U>::type;
  copy_elements((At<V>)to, (At<V>)from, bytes / (int64_t)sizeof(V));
}
// One element of every `step` of GM: blocks that land 32 bytes apart, brought together by gathering.
template <class T>
__aicore__ inline void load_strided(At<T> to, At<T> from, int64_t step, int64_t count) {
  if (!from.is_global || step <= 1 || step * sizeof(T) > 0x7fffffff || sizeof(T) != 4 || !to.is_aligned()) {
    for (int64_t i = 0; i < count; ++i) to[i] = from[i * step].value();
    return;
  }
  Core* core = to.core;
  constexpr int kAtOnce = 3 * kStageBytes / 36;  // 32 bytes and an offset each
  At<T> landing = core->stage<T>(0);
  At<uint32_t> offsets((At<uint32_t>)(core->stage<T>(0) + kAtOnce * 8));
  for (int64_t done = 0; done < count; done += kAtOnce / 8 * 8) {
    const int part = (int)(count - done < kAtOnce / 8 * 8 ? count - done : kAtOnce / 8 * 8);
    core->turn(Core::kIn);
    AscendC::DataCopyExtParams params{(uint16_t)part, sizeof(T), (uint32_t)((step - 1) * sizeof(T)), 0, 0};
    AscendC::DataCopyPadExtParams<uint8_t> pad{false, 0, 0, 0};
    AscendC::DataCopyPad(tensor((At<uint8_t>)landing), global((At<uint8_t>)(from + done * step), ((part - 1) * step + 1) * sizeof(T)), params, pad);
    core->turn(Core::kVector);
    AscendC::CreateVecIndex(tensor((At<int32_t>)offsets), (int32_t)0, (uint32_t)part);
    core->turn(Core::kVector);
    AscendC::Muls(tensor((At<int32_t>)offsets), tensor((At<int32_t>)offsets), (int32_t)32, part);
    core->turn(Core::kVector);
    AscendC::Gather(tensor(to + done), tensor(landing), tensor(offsets), (uint32_t)0, (uint32_t)part);
  }
}
template <class T>
__aicore__ inline void store_strided(At<T> to, At<T> from, int64_t step, int64_t count) {
  for (int64_t i = 0; i < count; ++i) to[i * step] = from[i].value();
}

}  // namespace port
