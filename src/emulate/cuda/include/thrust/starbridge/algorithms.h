// The algorithms of thrust in their common forms.
#pragma once

#include "thrust/starbridge/policy.h"

namespace thrust {

namespace details {
#define SB_T(It) typename std::iterator_traits<It>::value_type
// Stable bottom-up merge of n values between two halves of a buffer.
template <class T, class Compare> __host__ __device__ inline T* merge_sort(T* a, T* b, ptrdiff_t n, Compare before) {
  for (ptrdiff_t width = 1; width < n; width *= 2) {
    for (ptrdiff_t left = 0; left < n; left += 2 * width) {
      const ptrdiff_t middle = left + width < n ? left + width : n, right = left + 2 * width < n ? left + 2 * width : n;
      ptrdiff_t i = left, j = middle;
      for (ptrdiff_t k = left; k < right; ++k) b[k] = i < middle && (j >= right || !before(a[j], a[i])) ? a[i++] : a[j++];
    }
    T* c = a;
    a = b, b = c;
  }
  return a;
}
template <class K, class V> struct keyed { K key; V value; };
}  // namespace details

#define SB_HD template <class P, details::if_policy<P> = 0
#define SB_ENDS auto b = details::plain(policy, first); const ptrdiff_t n = last - first

SB_HD, class It, class F> __host__ __device__ It for_each(const P& policy, It first, It last, F f) {
  SB_ENDS;
  details::carry_out(policy, [=] __host__ __device__() { for (ptrdiff_t i = 0; i < n; ++i) f(b[i]); });
  return last;
}
SB_HD, class It, class N, class F> __host__ __device__ It for_each_n(const P& policy, It first, N count, F f) { return for_each(policy, first, first + (ptrdiff_t)count, f); }
SB_HD, class It, class Out, class F> __host__ __device__ Out transform(const P& policy, It first, It last, Out out, F f) {
  SB_ENDS;
  auto o = details::plain(policy, out);
  details::carry_out(policy, [=] __host__ __device__() { for (ptrdiff_t i = 0; i < n; ++i) o[i] = f(b[i]); });
  return out + n;
}
SB_HD, class It, class It2, class Out, class F> __host__ __device__ Out transform(const P& policy, It first, It last, It2 second, Out out, F f) {
  SB_ENDS;
  auto o = details::plain(policy, out);
  auto s = details::plain(policy, second);
  details::carry_out(policy, [=] __host__ __device__() { for (ptrdiff_t i = 0; i < n; ++i) o[i] = f(b[i], s[i]); });
  return out + n;
}
SB_HD, class It, class Out, class F, class Q> __host__ __device__ Out transform_if(const P& policy, It first, It last, Out out, F f, Q q) {
  SB_ENDS;
  auto o = details::plain(policy, out);
  details::carry_out(policy, [=] __host__ __device__() { for (ptrdiff_t i = 0; i < n; ++i) if (q(b[i])) o[i] = f(b[i]); });
  return out + n;
}
SB_HD, class It, class T> __host__ __device__ void fill(const P& policy, It first, It last, T value) {
  SB_ENDS;
  details::carry_out(policy, [=] __host__ __device__() { for (ptrdiff_t i = 0; i < n; ++i) b[i] = value; });
}
SB_HD, class It, class N, class T> __host__ __device__ It fill_n(const P& policy, It first, N count, T value) {
  fill(policy, first, first + (ptrdiff_t)count, value);
  return first + (ptrdiff_t)count;
}
SB_HD, class It, class T> __host__ __device__ void sequence(const P& policy, It first, It last, T start, T step) {
  SB_ENDS;
  details::carry_out(policy, [=] __host__ __device__() { for (ptrdiff_t i = 0; i < n; ++i) b[i] = start + (T)i * step; });
}
SB_HD, class It, class T> __host__ __device__ void sequence(const P& policy, It first, It last, T start) { sequence(policy, first, last, start, T(1)); }
SB_HD, class It> __host__ __device__ void sequence(const P& policy, It first, It last) { sequence(policy, first, last, SB_T(It)(0), SB_T(It)(1)); }
SB_HD, class It, class F> __host__ __device__ void tabulate(const P& policy, It first, It last, F f) {
  SB_ENDS;
  details::carry_out(policy, [=] __host__ __device__() { for (ptrdiff_t i = 0; i < n; ++i) b[i] = f((SB_T(It))i); });
}
SB_HD, class It, class F> __host__ __device__ void generate(const P& policy, It first, It last, F f) {
  SB_ENDS;
  details::carry_out(policy, [=] __host__ __device__() { F own = f; for (ptrdiff_t i = 0; i < n; ++i) b[i] = own(); });
}
SB_HD, class It, class T, class F> __host__ __device__ T reduce(const P& policy, It first, It last, T start, F f) {
  SB_ENDS;
  return details::fetch<T>(policy, [=] __host__ __device__(T* to) { T sum = start; for (ptrdiff_t i = 0; i < n; ++i) sum = f(sum, (T)b[i]); *to = sum; });
}
SB_HD, class It, class T> __host__ __device__ T reduce(const P& policy, It first, It last, T start) { return reduce(policy, first, last, start, plus<T>()); }
SB_HD, class It> __host__ __device__ SB_T(It) reduce(const P& policy, It first, It last) { return reduce(policy, first, last, SB_T(It)(0)); }
SB_HD, class It, class U, class T, class F> __host__ __device__ T transform_reduce(const P& policy, It first, It last, U u, T start, F f) {
  SB_ENDS;
  return details::fetch<T>(policy, [=] __host__ __device__(T* to) { T sum = start; for (ptrdiff_t i = 0; i < n; ++i) sum = f(sum, (T)u(b[i])); *to = sum; });
}
SB_HD, class It, class It2, class T, class F, class G> __host__ __device__ T inner_product(const P& policy, It first, It last, It2 second, T start, F f, G g) {
  SB_ENDS;
  auto s = details::plain(policy, second);
  return details::fetch<T>(policy, [=] __host__ __device__(T* to) { T sum = start; for (ptrdiff_t i = 0; i < n; ++i) sum = f(sum, (T)g(b[i], s[i])); *to = sum; });
}
SB_HD, class It, class It2, class T> __host__ __device__ T inner_product(const P& policy, It first, It last, It2 second, T start) {
  return inner_product(policy, first, last, second, start, plus<T>(), multiplies<T>());
}
SB_HD, class It, class Q> __host__ __device__ ptrdiff_t count_if(const P& policy, It first, It last, Q q) {
  SB_ENDS;
  return details::fetch<ptrdiff_t>(policy, [=] __host__ __device__(ptrdiff_t* to) { ptrdiff_t sum = 0; for (ptrdiff_t i = 0; i < n; ++i) sum += q(b[i]) ? 1 : 0; *to = sum; });
}
SB_HD, class It, class T> __host__ __device__ ptrdiff_t count(const P& policy, It first, It last, T value) {
  typedef SB_T(It) V;
  return count_if(policy, first, last, [=] __host__ __device__(const V& each) { return each == value; });
}
SB_HD, class It, class Q> __host__ __device__ It find_if(const P& policy, It first, It last, Q q) {
  SB_ENDS;
  return first + details::fetch<ptrdiff_t>(policy, [=] __host__ __device__(ptrdiff_t* to) { ptrdiff_t i = 0; while (i < n && !q(b[i])) ++i; *to = i; });
}
SB_HD, class It, class T> __host__ __device__ It find(const P& policy, It first, It last, T value) {
  typedef SB_T(It) V;
  return find_if(policy, first, last, [=] __host__ __device__(const V& each) { return each == value; });
}
SB_HD, class It, class Q> __host__ __device__ bool any_of(const P& policy, It first, It last, Q q) { return find_if(policy, first, last, q) != last; }
SB_HD, class It, class Q> __host__ __device__ bool none_of(const P& policy, It first, It last, Q q) { return !any_of(policy, first, last, q); }
SB_HD, class It, class Q> __host__ __device__ bool all_of(const P& policy, It first, It last, Q q) { return count_if(policy, first, last, q) == last - first; }
// First of the smallest, first of the largest.
SB_HD, class It, class F> __host__ __device__ It min_element(const P& policy, It first, It last, F before) {
  SB_ENDS;
  return first + details::fetch<ptrdiff_t>(policy, [=] __host__ __device__(ptrdiff_t* to) { ptrdiff_t best = 0; for (ptrdiff_t i = 1; i < n; ++i) if (before(b[i], b[best])) best = i; *to = best; });
}
SB_HD, class It> __host__ __device__ It min_element(const P& policy, It first, It last) { return min_element(policy, first, last, less<SB_T(It)>()); }
SB_HD, class It, class F> __host__ __device__ It max_element(const P& policy, It first, It last, F before) {
  SB_ENDS;
  return first + details::fetch<ptrdiff_t>(policy, [=] __host__ __device__(ptrdiff_t* to) { ptrdiff_t best = 0; for (ptrdiff_t i = 1; i < n; ++i) if (before(b[best], b[i])) best = i; *to = best; });
}
SB_HD, class It> __host__ __device__ It max_element(const P& policy, It first, It last) { return max_element(policy, first, last, less<SB_T(It)>()); }
SB_HD, class It> __host__ __device__ pair<It, It> minmax_element(const P& policy, It first, It last) { return pair<It, It>(min_element(policy, first, last), max_element(policy, first, last)); }
SB_HD, class It, class It2> __host__ __device__ bool equal(const P& policy, It first, It last, It2 second) {
  SB_ENDS;
  auto s = details::plain(policy, second);
  return details::fetch<bool>(policy, [=] __host__ __device__(bool* to) { ptrdiff_t i = 0; while (i < n && b[i] == s[i]) ++i; *to = i == n; });
}
SB_HD, class It, class F> __host__ __device__ bool is_sorted(const P& policy, It first, It last, F before) {
  SB_ENDS;
  return details::fetch<bool>(policy, [=] __host__ __device__(bool* to) { ptrdiff_t i = 1; while (i < n && !before(b[i], b[i - 1])) ++i; *to = i >= n; });
}
SB_HD, class It> __host__ __device__ bool is_sorted(const P& policy, It first, It last) { return is_sorted(policy, first, last, less<SB_T(It)>()); }

SB_HD, class It, class Out, class U, class F> __host__ __device__ Out transform_inclusive_scan(const P& policy, It first, It last, Out out, U u, F f) {
  SB_ENDS;
  auto o = details::plain(policy, out);
  typedef typename std::decay<decltype(u(std::declval<SB_T(It)>()))>::type T;
  details::carry_out(policy, [=] __host__ __device__() {
    if (n <= 0) return;
    T sum = u(b[0]);
    o[0] = sum;
    for (ptrdiff_t i = 1; i < n; ++i) o[i] = sum = f(sum, u(b[i]));
  });
  return out + n;
}
SB_HD, class It, class Out, class U, class T, class F> __host__ __device__ Out transform_exclusive_scan(const P& policy, It first, It last, Out out, U u, T start, F f) {
  SB_ENDS;
  auto o = details::plain(policy, out);
  details::carry_out(policy, [=] __host__ __device__() {
    T sum = start;
    for (ptrdiff_t i = 0; i < n; ++i) {
      T value = u(b[i]);  // read first: in may be out
      o[i] = sum;
      sum = f(sum, value);
    }
  });
  return out + n;
}
SB_HD, class It, class Out, class F> __host__ __device__ Out inclusive_scan(const P& policy, It first, It last, Out out, F f) { return transform_inclusive_scan(policy, first, last, out, identity<SB_T(It)>(), f); }
SB_HD, class It, class Out> __host__ __device__ Out inclusive_scan(const P& policy, It first, It last, Out out) { return inclusive_scan(policy, first, last, out, plus<SB_T(It)>()); }
SB_HD, class It, class Out, class T, class F> __host__ __device__ Out exclusive_scan(const P& policy, It first, It last, Out out, T start, F f) { return transform_exclusive_scan(policy, first, last, out, identity<SB_T(It)>(), start, f); }
SB_HD, class It, class Out, class T> __host__ __device__ Out exclusive_scan(const P& policy, It first, It last, Out out, T start) { return exclusive_scan(policy, first, last, out, start, plus<T>()); }
SB_HD, class It, class Out> __host__ __device__ Out exclusive_scan(const P& policy, It first, It last, Out out) { return exclusive_scan(policy, first, last, out, SB_T(It)(0)); }
SB_HD, class K, class It, class Out> __host__ __device__ Out inclusive_scan_by_key(const P& policy, K first, K last, It values, Out out) {
  SB_ENDS;
  auto v = details::plain(policy, values);
  auto o = details::plain(policy, out);
  typedef SB_T(It) T;
  details::carry_out(policy, [=] __host__ __device__() { T sum = T(); for (ptrdiff_t i = 0; i < n; ++i) { sum = i > 0 && b[i] == b[i - 1] ? (T)(sum + v[i]) : (T)v[i]; o[i] = sum; } });
  return out + n;
}
SB_HD, class K, class It, class Out> __host__ __device__ Out exclusive_scan_by_key(const P& policy, K first, K last, It values, Out out) {
  SB_ENDS;
  auto v = details::plain(policy, values);
  auto o = details::plain(policy, out);
  typedef SB_T(It) T;
  details::carry_out(policy, [=] __host__ __device__() { T sum = T(); for (ptrdiff_t i = 0; i < n; ++i) { if (i > 0 && !(b[i] == b[i - 1])) sum = T(); T value = v[i]; o[i] = sum; sum = sum + value; } });
  return out + n;
}
SB_HD, class It, class Out, class F> __host__ __device__ Out adjacent_difference(const P& policy, It first, It last, Out out, F f) {
  SB_ENDS;
  auto o = details::plain(policy, out);
  typedef SB_T(It) T;
  details::carry_out(policy, [=] __host__ __device__() { T before = T(); for (ptrdiff_t i = 0; i < n; ++i) { T now = b[i]; o[i] = i == 0 ? now : (T)f(now, before); before = now; } });
  return out + n;
}
SB_HD, class It, class Out> __host__ __device__ Out adjacent_difference(const P& policy, It first, It last, Out out) { return adjacent_difference(policy, first, last, out, minus<SB_T(It)>()); }

SB_HD, class It, class In, class Out> __host__ __device__ Out gather(const P& policy, It first, It last, In from, Out out) {
  SB_ENDS;
  auto f = details::plain(policy, from);
  auto o = details::plain(policy, out);
  details::carry_out(policy, [=] __host__ __device__() { for (ptrdiff_t i = 0; i < n; ++i) o[i] = f[(ptrdiff_t)b[i]]; });
  return out + n;
}
SB_HD, class It, class Map, class Out> __host__ __device__ void scatter(const P& policy, It first, It last, Map map, Out out) {
  SB_ENDS;
  auto m = details::plain(policy, map);
  auto o = details::plain(policy, out);
  details::carry_out(policy, [=] __host__ __device__() { for (ptrdiff_t i = 0; i < n; ++i) o[(ptrdiff_t)m[i]] = b[i]; });
}
SB_HD, class It> __host__ __device__ void reverse(const P& policy, It first, It last) {
  SB_ENDS;
  typedef SB_T(It) T;
  details::carry_out(policy, [=] __host__ __device__() { for (ptrdiff_t i = 0, j = n - 1; i < j; ++i, --j) { T c = b[i]; b[i] = (T)b[j]; b[j] = c; } });
}
SB_HD, class It, class Out> __host__ __device__ Out reverse_copy(const P& policy, It first, It last, Out out) {
  SB_ENDS;
  auto o = details::plain(policy, out);
  details::carry_out(policy, [=] __host__ __device__() { for (ptrdiff_t i = 0; i < n; ++i) o[i] = b[n - 1 - i]; });
  return out + n;
}
SB_HD, class It, class Q, class T> __host__ __device__ void replace_if(const P& policy, It first, It last, Q q, T value) {
  SB_ENDS;
  details::carry_out(policy, [=] __host__ __device__() { for (ptrdiff_t i = 0; i < n; ++i) if (q(b[i])) b[i] = value; });
}
SB_HD, class It, class T> __host__ __device__ void replace(const P& policy, It first, It last, T old, T value) {
  typedef SB_T(It) V;
  replace_if(policy, first, last, [=] __host__ __device__(const V& each) { return each == old; }, value);
}
SB_HD, class It, class Sel, class Out, class Q> __host__ __device__ Out copy_if(const P& policy, It first, It last, Sel stencil, Out out, Q q) {
  SB_ENDS;
  auto s = details::plain(policy, stencil);
  auto o = details::plain(policy, out);
  return out + details::fetch<ptrdiff_t>(policy, [=] __host__ __device__(ptrdiff_t* to) { ptrdiff_t k = 0; for (ptrdiff_t i = 0; i < n; ++i) if (q(s[i])) o[k++] = b[i]; *to = k; });
}
SB_HD, class It, class Out, class Q> __host__ __device__ Out copy_if(const P& policy, It first, It last, Out out, Q q) { return copy_if(policy, first, last, first, out, q); }
SB_HD, class It, class Q> __host__ __device__ It remove_if(const P& policy, It first, It last, Q q) {
  typedef SB_T(It) V;
  return copy_if(policy, first, last, first, first, [=] __host__ __device__(const V& each) { return !q(each); });
}
SB_HD, class It, class T> __host__ __device__ It remove(const P& policy, It first, It last, T value) {
  typedef SB_T(It) V;
  return copy_if(policy, first, last, first, first, [=] __host__ __device__(const V& each) { return !(each == value); });
}
SB_HD, class It, class Out, class Q> __host__ __device__ Out remove_copy_if(const P& policy, It first, It last, Out out, Q q) {
  typedef SB_T(It) V;
  return copy_if(policy, first, last, first, out, [=] __host__ __device__(const V& each) { return !q(each); });
}
SB_HD, class It, class F> __host__ __device__ It unique(const P& policy, It first, It last, F same) {
  SB_ENDS;
  return first + details::fetch<ptrdiff_t>(policy, [=] __host__ __device__(ptrdiff_t* to) {
    ptrdiff_t k = 0;
    for (ptrdiff_t i = 0; i < n; ++i) if (k == 0 || !same(b[k - 1], b[i])) { b[k] = b[i]; ++k; }
    *to = k;
  });
}
SB_HD, class It> __host__ __device__ It unique(const P& policy, It first, It last) { return unique(policy, first, last, equal_to<SB_T(It)>()); }
// Those that say yes first; both parts keep their order.
SB_HD, class It, class Q> __host__ __device__ It stable_partition(const P& policy, It first, It last, Q q) {
  SB_ENDS;
  typedef SB_T(It) T;
  return first + details::fetch<ptrdiff_t>(policy, [=] __host__ __device__(ptrdiff_t* to) {
    T* rest = (T*)malloc(sizeof(T) * (size_t)(n + 1));
    ptrdiff_t k = 0, r = 0;
    for (ptrdiff_t i = 0; i < n; ++i) { T value = b[i]; if (q(value)) b[k++] = value; else rest[r++] = value; }
    for (ptrdiff_t i = 0; i < r; ++i) b[k + i] = rest[i];
    free(rest);
    *to = k;
  });
}
SB_HD, class It, class Q> __host__ __device__ It partition(const P& policy, It first, It last, Q q) { return stable_partition(policy, first, last, q); }

SB_HD, class It, class F> __host__ __device__ void stable_sort(const P& policy, It first, It last, F before) {
  SB_ENDS;
  typedef SB_T(It) T;
  details::carry_out(policy, [=] __host__ __device__() {
    if (n < 2) return;
    T* room = (T*)malloc(2 * sizeof(T) * (size_t)n);
    for (ptrdiff_t i = 0; i < n; ++i) room[i] = b[i];
    T* sorted = details::merge_sort(room, room + n, n, before);
    for (ptrdiff_t i = 0; i < n; ++i) b[i] = sorted[i];
    free(room);
  });
}
SB_HD, class It> __host__ __device__ void stable_sort(const P& policy, It first, It last) { stable_sort(policy, first, last, less<SB_T(It)>()); }
SB_HD, class It, class F> __host__ __device__ void sort(const P& policy, It first, It last, F before) { stable_sort(policy, first, last, before); }
SB_HD, class It> __host__ __device__ void sort(const P& policy, It first, It last) { stable_sort(policy, first, last, less<SB_T(It)>()); }
SB_HD, class K, class V, class F> __host__ __device__ void stable_sort_by_key(const P& policy, K first, K last, V values, F before) {
  SB_ENDS;
  auto v = details::plain(policy, values);
  typedef details::keyed<SB_T(K), SB_T(V)> T;
  details::carry_out(policy, [=] __host__ __device__() {
    if (n < 2) return;
    T* room = (T*)malloc(2 * sizeof(T) * (size_t)n);
    for (ptrdiff_t i = 0; i < n; ++i) room[i].key = b[i], room[i].value = v[i];
    T* sorted = details::merge_sort(room, room + n, n, [=](const T& x, const T& y) { return before(x.key, y.key); });
    for (ptrdiff_t i = 0; i < n; ++i) b[i] = sorted[i].key, v[i] = sorted[i].value;
    free(room);
  });
}
SB_HD, class K, class V> __host__ __device__ void stable_sort_by_key(const P& policy, K first, K last, V values) { stable_sort_by_key(policy, first, last, values, less<SB_T(K)>()); }
SB_HD, class K, class V, class F> __host__ __device__ void sort_by_key(const P& policy, K first, K last, V values, F before) { stable_sort_by_key(policy, first, last, values, before); }
SB_HD, class K, class V> __host__ __device__ void sort_by_key(const P& policy, K first, K last, V values) { stable_sort_by_key(policy, first, last, values, less<SB_T(K)>()); }

SB_HD, class K, class V, class KO, class VO, class E, class F>
__host__ __device__ pair<KO, VO> reduce_by_key(const P& policy, K first, K last, V values, KO keys_out, VO values_out, E same, F f) {
  SB_ENDS;
  auto v = details::plain(policy, values);
  auto ko = details::plain(policy, keys_out);
  auto vo = details::plain(policy, values_out);
  typedef SB_T(V) T;
  const ptrdiff_t groups = details::fetch<ptrdiff_t>(policy, [=] __host__ __device__(ptrdiff_t* to) {
    ptrdiff_t k = -1;
    T sum = T();
    for (ptrdiff_t i = 0; i < n; ++i) {
      if (i > 0 && same(b[i - 1], b[i])) { sum = f(sum, (T)v[i]); }
      else { ++k; ko[k] = b[i]; sum = v[i]; }
      vo[k] = sum;
    }
    *to = k + 1;
  });
  return pair<KO, VO>(keys_out + groups, values_out + groups);
}
SB_HD, class K, class V, class KO, class VO> __host__ __device__ pair<KO, VO> reduce_by_key(const P& policy, K first, K last, V values, KO keys_out, VO values_out) {
  return reduce_by_key(policy, first, last, values, keys_out, values_out, equal_to<SB_T(K)>(), plus<SB_T(V)>());
}
SB_HD, class K, class V> __host__ __device__ pair<K, V> unique_by_key(const P& policy, K first, K last, V values) {
  return reduce_by_key(policy, first, last, values, first, values, equal_to<SB_T(K)>(), project1st<SB_T(V)>());
}
// Into a sorted range: where each value belongs, before or after its equals.
SB_HD, class It, class Values, class Out> __host__ __device__ Out search_sorted(const P& policy, It first, It last, Values values, Values values_end, Out out, bool after) {
  SB_ENDS;
  auto v = details::plain(policy, values);
  auto o = details::plain(policy, out);
  const ptrdiff_t count = values_end - values;
  details::carry_out(policy, [=] __host__ __device__() {
    for (ptrdiff_t i = 0; i < count; ++i) {
      ptrdiff_t low = 0, high = n;
      while (low < high) {
        const ptrdiff_t middle = (low + high) / 2;
        if (after ? !(v[i] < b[middle]) : b[middle] < v[i]) low = middle + 1;
        else high = middle;
      }
      o[i] = (SB_T(Out))low;
    }
  });
  return out + count;
}
SB_HD, class It, class V, class Out> __host__ __device__ Out lower_bound(const P& policy, It first, It last, V values, V values_end, Out out) { return search_sorted(policy, first, last, values, values_end, out, false); }
SB_HD, class It, class V, class Out> __host__ __device__ Out upper_bound(const P& policy, It first, It last, V values, V values_end, Out out) { return search_sorted(policy, first, last, values, values_end, out, true); }
SB_HD, class It, class T> __host__ __device__ It lower_bound(const P& policy, It first, It last, T value) {
  typedef SB_T(It) V;
  return find_if(policy, first, last, [=] __host__ __device__(const V& each) { return !(each < value); });
}
SB_HD, class It, class T> __host__ __device__ It upper_bound(const P& policy, It first, It last, T value) {
  typedef SB_T(It) V;
  return find_if(policy, first, last, [=] __host__ __device__(const V& each) { return value < each; });
}
SB_HD, class It, class T> __host__ __device__ bool binary_search(const P& policy, It first, It last, T value) { return find(policy, first, last, value) != last; }
SB_HD, class A, class B, class Out> __host__ __device__ Out merge(const P& policy, A first, A last, B second, B second_end, Out out) {
  SB_ENDS;
  auto s = details::plain(policy, second);
  auto o = details::plain(policy, out);
  const ptrdiff_t m = second_end - second;
  details::carry_out(policy, [=] __host__ __device__() { ptrdiff_t i = 0, j = 0; while (i + j < n + m) { const ptrdiff_t k = i + j; if (i < n && (j >= m || !(s[j] < b[i]))) o[k] = b[i++]; else o[k] = s[j++]; } });
  return out + n + m;
}

// Between the two sides as well.
template <class It, class Out, details::if_iterator<It> = 0> inline Out copy(It first, It last, Out out) {
  constexpr bool from_card = details::is_device<It>::value, to_card = details::is_device<Out>::value;
  const ptrdiff_t n = last - first;
  if constexpr (from_card == to_card) {
    details::policy_of<It> policy{};
    auto b = details::plain(policy, first);
    auto o = details::plain(policy, out);
    details::carry_out(policy, [=] __host__ __device__() { for (ptrdiff_t i = 0; i < n; ++i) o[i] = b[i]; });
  } else if constexpr (to_card) {
    std::vector<SB_T(It)> values;
    for (; first != last; ++first) values.push_back(*first);
    device_vector<SB_T(It)> staged(values);
    copy(staged.begin(), staged.end(), out);
  } else {
    device_vector<SB_T(It)> staged((size_t)n);
    copy(first, last, staged.begin());
    host_vector<SB_T(It)> values(staged);
    for (ptrdiff_t i = 0; i < n; ++i) out[i] = values[(size_t)i];
  }
  return out + n;
}
SB_HD, class It, class Out> __host__ __device__ Out copy(const P& policy, It first, It last, Out out) {
  SB_ENDS;
  auto o = details::plain(policy, out);
  details::carry_out(policy, [=] __host__ __device__() { for (ptrdiff_t i = 0; i < n; ++i) o[i] = b[i]; });
  return out + n;
}
template <class It, class N, class Out, details::if_iterator<It> = 0> inline Out copy_n(It first, N count, Out out) { return copy(first, first + (ptrdiff_t)count, out); }
template <class It, class It2, details::if_iterator<It> = 0> inline It2 swap_ranges(It first, It last, It2 second) {
  device_vector<SB_T(It)> kept((size_t)(last - first));
  copy(first, last, kept.begin());
  copy(second, second + (last - first), first);
  return copy(kept.begin(), kept.end(), second);
}

// Without a policy: where the first iterator points to.
#define SB_PLACED(name)                                                                                                    \
  template <class It, class... Rest, details::if_iterator<It> = 0> inline decltype(auto) name(It first, Rest... rest) {       \
    return name(details::policy_of<It, Rest...>{}, first, rest...);                                                          \
  }
SB_PLACED(for_each) SB_PLACED(for_each_n) SB_PLACED(transform) SB_PLACED(transform_if) SB_PLACED(fill) SB_PLACED(fill_n) SB_PLACED(sequence)
SB_PLACED(tabulate) SB_PLACED(reduce) SB_PLACED(transform_reduce) SB_PLACED(inner_product) SB_PLACED(count) SB_PLACED(count_if)
SB_PLACED(find) SB_PLACED(find_if) SB_PLACED(any_of) SB_PLACED(all_of) SB_PLACED(none_of) SB_PLACED(min_element) SB_PLACED(max_element)
SB_PLACED(minmax_element) SB_PLACED(equal) SB_PLACED(is_sorted) SB_PLACED(transform_inclusive_scan) SB_PLACED(transform_exclusive_scan)
SB_PLACED(inclusive_scan) SB_PLACED(exclusive_scan) SB_PLACED(inclusive_scan_by_key) SB_PLACED(exclusive_scan_by_key) SB_PLACED(adjacent_difference)
SB_PLACED(gather) SB_PLACED(scatter) SB_PLACED(reverse) SB_PLACED(reverse_copy) SB_PLACED(replace) SB_PLACED(replace_if) SB_PLACED(copy_if)
SB_PLACED(remove) SB_PLACED(remove_if) SB_PLACED(remove_copy_if) SB_PLACED(unique) SB_PLACED(partition) SB_PLACED(stable_partition) SB_PLACED(sort) SB_PLACED(stable_sort)
SB_PLACED(sort_by_key) SB_PLACED(stable_sort_by_key) SB_PLACED(reduce_by_key) SB_PLACED(unique_by_key) SB_PLACED(lower_bound)
SB_PLACED(upper_bound) SB_PLACED(binary_search) SB_PLACED(merge)
#undef SB_PLACED
// A generator is the host's: it has a state that both calls share.
template <class It, class F, details::if_iterator<It> = 0> inline void generate(It first, It last, F f) {
  if constexpr (details::is_device<It>::value) {
    std::vector<SB_T(It)> values((size_t)(last - first));
    for (auto& value : values) value = f();
    copy(values.begin(), values.end(), first);
  } else {
    for (; first != last; ++first) *first = f();
  }
}
#undef SB_HD
#undef SB_ENDS
#undef SB_T

}  // namespace thrust
