// Function objects, pairs and tuples of thrust. Usable on both sides.
#pragma once

#include <type_traits>

#include "cuda_runtime.h"

namespace thrust {

template <class A, class R> struct unary_function { typedef A argument_type; typedef R result_type; };
template <class A, class B, class R> struct binary_function { typedef A first_argument_type; typedef B second_argument_type; typedef R result_type; };

#define SB_BINARY(name, expression)                                                                            \
  template <class T = void> struct name {                                                                      \
    typedef T first_argument_type; typedef T second_argument_type; typedef T result_type;                       \
    SB_HD_MEMBER constexpr auto operator()(const T& a, const T& b) const { return expression; }                 \
  };                                                                                                           \
  template <> struct name<void> {                                                                              \
    template <class A, class B> SB_HD_MEMBER constexpr auto operator()(const A& a, const B& b) const { return expression; } \
  };
SB_BINARY(plus, a + b) SB_BINARY(minus, a - b) SB_BINARY(multiplies, a * b) SB_BINARY(divides, a / b) SB_BINARY(modulus, a % b)
SB_BINARY(equal_to, a == b) SB_BINARY(not_equal_to, a != b) SB_BINARY(greater, a > b) SB_BINARY(less, a < b)
SB_BINARY(greater_equal, a >= b) SB_BINARY(less_equal, a <= b) SB_BINARY(logical_and, a && b) SB_BINARY(logical_or, a || b)
SB_BINARY(bit_and, a & b) SB_BINARY(bit_or, a | b) SB_BINARY(bit_xor, a ^ b) SB_BINARY(maximum, a < b ? b : a) SB_BINARY(minimum, b < a ? b : a)
#undef SB_BINARY
#define SB_UNARY(name, expression)                                                                  \
  template <class T = void> struct name {                                                           \
    typedef T argument_type; typedef T result_type;                                                 \
    SB_HD_MEMBER constexpr auto operator()(const T& a) const { return expression; }                  \
  };                                                                                                \
  template <> struct name<void> {                                                                   \
    template <class A> SB_HD_MEMBER constexpr auto operator()(const A& a) const { return expression; } \
  };
SB_UNARY(negate, -a) SB_UNARY(logical_not, !a) SB_UNARY(square, a * a) SB_UNARY(identity, a)
#undef SB_UNARY
template <class A = void, class B = A> struct project1st { SB_HD_MEMBER A operator()(const A& a, const B&) const { return a; } };
template <class A = void, class B = A> struct project2nd { SB_HD_MEMBER B operator()(const A&, const B& b) const { return b; } };

template <class T> SB_HOST_DEVICE T min(const T& a, const T& b) { return b < a ? b : a; }
template <class T> SB_HOST_DEVICE T max(const T& a, const T& b) { return a < b ? b : a; }
template <class T> SB_HOST_DEVICE void swap(T& a, T& b) { T c = a; a = b; b = c; }

template <class A, class B> struct pair {
  typedef A first_type;
  typedef B second_type;
  A first = A();
  B second = B();
  SB_HD_MEMBER pair() {}
  SB_HD_MEMBER pair(const A& a, const B& b) : first(a), second(b) {}
  template <class C, class D> SB_HD_MEMBER pair(const pair<C, D>& other) : first(other.first), second(other.second) {}
};
template <class A, class B> SB_HOST_DEVICE pair<A, B> make_pair(const A& a, const B& b) { return pair<A, B>(a, b); }
template <class A, class B> SB_HOST_DEVICE bool operator==(const pair<A, B>& a, const pair<A, B>& b) { return a.first == b.first && a.second == b.second; }
template <class A, class B> SB_HOST_DEVICE bool operator<(const pair<A, B>& a, const pair<A, B>& b) {
  return a.first < b.first || (!(b.first < a.first) && a.second < b.second);
}

// Members may be references; then assigning assigns what they refer to.
template <class... T> struct tuple;
template <> struct tuple<> {};
template <class H, class... T> struct tuple<H, T...> {
  H head;
  tuple<T...> tail;
  SB_HD_MEMBER tuple() : head(), tail() {}
  SB_HD_MEMBER tuple(H h, T... t) : head(h), tail(t...) {}
  tuple(const tuple& other) = default;  // trivial, so that kernels take it by value
  template <class G, class... U> SB_HD_MEMBER tuple(const tuple<G, U...>& other) : head(other.head), tail(other.tail) {}
  SB_HD_MEMBER tuple& operator=(const tuple& other) { head = other.head; tail = other.tail; return *this; }
  template <class G, class... U> SB_HD_MEMBER tuple& operator=(const tuple<G, U...>& other) { head = other.head; tail = other.tail; return *this; }
};
template <unsigned long I, class T> struct tuple_element;
template <class H, class... T> struct tuple_element<0, tuple<H, T...>> { typedef H type; };
template <unsigned long I, class H, class... T> struct tuple_element<I, tuple<H, T...>> : tuple_element<I - 1, tuple<T...>> {};
template <class T> struct tuple_size;
template <class... T> struct tuple_size<tuple<T...>> { static constexpr unsigned long value = sizeof...(T); };
template <int I, class H, class... T> SB_HOST_DEVICE auto& get(tuple<H, T...>& from) {
  if constexpr (I == 0) return from.head;
  else return get<I - 1>(from.tail);
}
template <int I, class H, class... T> SB_HOST_DEVICE const auto& get(const tuple<H, T...>& from) {
  if constexpr (I == 0) return from.head;
  else return get<I - 1>(from.tail);
}
template <int I, class H, class... T> SB_HOST_DEVICE auto get(tuple<H, T...>&& from) {
  if constexpr (I == 0) return from.head;
  else return get<I - 1>(static_cast<tuple<T...>&&>(from.tail));
}
template <class... T> SB_HOST_DEVICE tuple<T...> make_tuple(T... values) { return tuple<T...>(values...); }
template <class... T> SB_HOST_DEVICE tuple<T&...> tie(T&... values) { return tuple<T&...>(values...); }
SB_HOST_DEVICE bool operator==(const tuple<>&, const tuple<>&) { return true; }
SB_HOST_DEVICE bool operator<(const tuple<>&, const tuple<>&) { return false; }
template <class H, class... T, class G, class... U> SB_HOST_DEVICE bool operator==(const tuple<H, T...>& a, const tuple<G, U...>& b) {
  return a.head == b.head && a.tail == b.tail;
}
template <class H, class... T, class G, class... U> SB_HOST_DEVICE bool operator<(const tuple<H, T...>& a, const tuple<G, U...>& b) {
  return a.head < b.head || (!(b.head < a.head) && a.tail < b.tail);
}

}  // namespace thrust
