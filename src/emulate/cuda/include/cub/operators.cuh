// Operators and small types of CUB.
#pragma once

#include <iterator>
#include <limits>
#include <type_traits>

#include "cuda_runtime.h"

#define CUB_STATIC_ASSERT(condition, message) static_assert((condition), #message)
#define CUB_MAX(a, b) (((b) > (a)) ? (b) : (a))
#define CUB_MIN(a, b) (((b) < (a)) ? (b) : (a))
#define CubDebugExit(call) do { if ((call) != cudaSuccess) exit(1); } while (0)
#define CubDebug(call) (call)

namespace cub {

struct Sum { template <class T> SB_HD_MEMBER T operator()(const T& a, const T& b) const { return a + b; } };
struct Difference { template <class T> SB_HD_MEMBER T operator()(const T& a, const T& b) const { return a - b; } };
struct Max { template <class T> SB_HD_MEMBER T operator()(const T& a, const T& b) const { return a < b ? b : a; } };
struct Min { template <class T> SB_HD_MEMBER T operator()(const T& a, const T& b) const { return b < a ? b : a; } };
struct Equality { template <class T> SB_HD_MEMBER bool operator()(const T& a, const T& b) const { return a == b; } };
struct Inequality { template <class T> SB_HD_MEMBER bool operator()(const T& a, const T& b) const { return !(a == b); } };

template <class Key, class Value> struct KeyValuePair {
  typedef Key Key_t;
  Key key;
  Value value;
  KeyValuePair() = default;
  SB_HD_MEMBER KeyValuePair(const Key& k, const Value& v) : key(k), value(v) {}
  SB_HD_MEMBER bool operator!=(const KeyValuePair& b) const { return value != b.value || key != b.key; }
};
struct ArgMax {
  template <class K, class V> SB_HD_MEMBER KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a, const KeyValuePair<K, V>& b) const {
    return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <class K, class V> SB_HD_MEMBER KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a, const KeyValuePair<K, V>& b) const {
    return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};

template <class T> struct DoubleBuffer {
  T* d_buffers[2];
  int selector;
  SB_HD_MEMBER DoubleBuffer() : d_buffers{nullptr, nullptr}, selector(0) {}
  SB_HD_MEMBER DoubleBuffer(T* current, T* alternate) : d_buffers{current, alternate}, selector(0) {}
  SB_HD_MEMBER T* Current() const { return d_buffers[selector]; }
  SB_HD_MEMBER T* Alternate() const { return d_buffers[selector ^ 1]; }
};

struct NullType {};
constexpr int LOG_WARP_THREADS = 5;
SB_DEVICE unsigned int LaneId() { return __sb_lane(); }
SB_DEVICE unsigned int WarpId() { return __sb_warp(); }

namespace details {
SB_DEVICE int linear_thread() { return (int)__sb_thread_rank(); }
}  // namespace details
}  // namespace cub
