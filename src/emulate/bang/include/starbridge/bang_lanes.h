// Vector registers (vv_*) of the newer chips: 128 bytes each, plain loops over their lanes.
#pragma once

template <class T>
struct sb_lanes {
  static constexpr int count = 128 / sizeof(T);
  T lane[count];
};
typedef sb_lanes<float> vv_float;
typedef sb_lanes<half> vv_half;
typedef sb_lanes<int> vv_int32;
typedef sb_lanes<unsigned int> vv_uint32;
typedef sb_lanes<short> vv_int16;
typedef sb_lanes<unsigned short> vv_uint16;

SB_DEVICE unsigned __vv_get_length() { return 128; }
#define SB_LANES template <class T, class V> SB_DEVICE void
#define SB_EACH_LANE for (int i = 0; i < sb_lanes<T>::count; ++i)
SB_LANES __vv_move(sb_lanes<T>& to, V value) { SB_EACH_LANE to.lane[i] = (T)value; }
template <class T, class V, class W>
SB_DEVICE void __vv_index(sb_lanes<T>& to, V start, W step) { SB_EACH_LANE to.lane[i] = (T)(start + (T)i * (T)step); }
template <class T>
SB_DEVICE void __vv_store(T* to, const sb_lanes<T>& from, int n = sb_lanes<T>::count) { for (int i = 0; i < n; ++i) to[i] = from.lane[i]; }
template <class T>
SB_DEVICE void __vv_load(sb_lanes<T>& to, const T* from, int n = sb_lanes<T>::count) { for (int i = 0; i < n; ++i) to.lane[i] = from[i]; }
#define SB_LANE_OPERATION(name, expression)                                                                                       \
  template <class T>                                                                                                              \
  SB_DEVICE void name(sb_lanes<T>& to, const sb_lanes<T>& x, const sb_lanes<T>& y) {                                              \
    SB_EACH_LANE { T a = x.lane[i], b = y.lane[i]; to.lane[i] = (T)(expression); }                                                \
  }                                                                                                                               \
  template <class T, class V>                                                                                                     \
  SB_DEVICE void name(sb_lanes<T>& to, const sb_lanes<T>& x, V value) {                                                           \
    SB_EACH_LANE { T a = x.lane[i], b = (T)value; to.lane[i] = (T)(expression); }                                                 \
  }
SB_LANE_OPERATION(__vv_add, a + b) SB_LANE_OPERATION(__vv_sub, a - b) SB_LANE_OPERATION(__vv_mul, a * b) SB_LANE_OPERATION(__vv_xor, a ^ b)
SB_LANE_OPERATION(__vv_mulh, (long long)a * b >> 32)
#undef SB_LANE_OPERATION
template <class T, class V>
SB_DEVICE void __vv_trixor(sb_lanes<T>& to, const sb_lanes<T>& x, const sb_lanes<T>& y, V value) {
  SB_EACH_LANE to.lane[i] = x.lane[i] ^ y.lane[i] ^ (T)value;
}
#undef SB_LANES
#undef SB_EACH_LANE
