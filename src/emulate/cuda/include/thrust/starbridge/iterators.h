// Pointers to memory of the card and iterators made from others. An iterator is unwrapped to plain pointers before a kernel gets it.
#pragma once

#include <cstddef>
#include <iterator>

#include "thrust/starbridge/functional.h"

namespace thrust {

template <class T> class device_ptr;

// A value on the card, as the host sees it: each access is a copy.
template <class T> class device_reference {
 public:
  explicit device_reference(T* place) : place_(place) {}
  device_reference(const device_reference&) = default;
  operator typename std::remove_cv<T>::type() const {
    typename std::remove_cv<T>::type value;
    cudaMemcpy((void*)&value, (const void*)place_, sizeof value, cudaMemcpyDeviceToHost);
    return value;
  }
  device_reference& operator=(const T& value) {
    cudaMemcpy((void*)place_, (const void*)&value, sizeof value, cudaMemcpyHostToDevice);
    return *this;
  }
  device_reference& operator=(const device_reference& other) { return *this = static_cast<T>(other); }
  device_reference& operator+=(const T& value) { return *this = static_cast<T>(*this) + value; }
  device_reference& operator-=(const T& value) { return *this = static_cast<T>(*this) - value; }
  device_reference& operator*=(const T& value) { return *this = static_cast<T>(*this) * value; }
  device_reference& operator++() { return *this = static_cast<T>(*this) + 1; }
  device_ptr<T> operator&() const { return device_ptr<T>(place_); }

 private:
  T* place_;
};

// What iterators of a random access kind share; Derived has `advance`, `distance_to` and `at`.
template <class Derived> class iterator_arithmetic {
  SB_HD_MEMBER Derived& self() { return *static_cast<Derived*>(this); }
  SB_HD_MEMBER const Derived& self() const { return *static_cast<const Derived*>(this); }

 public:
  SB_HD_MEMBER Derived& operator++() { self().advance(1); return self(); }
  SB_HD_MEMBER Derived operator++(int) { Derived old = self(); self().advance(1); return old; }
  SB_HD_MEMBER Derived& operator--() { self().advance(-1); return self(); }
  SB_HD_MEMBER Derived operator--(int) { Derived old = self(); self().advance(-1); return old; }
  SB_HD_MEMBER Derived& operator+=(ptrdiff_t n) { self().advance(n); return self(); }
  SB_HD_MEMBER Derived& operator-=(ptrdiff_t n) { self().advance(-n); return self(); }
  SB_HD_MEMBER Derived operator+(ptrdiff_t n) const { Derived moved = self(); moved.advance(n); return moved; }
  SB_HD_MEMBER Derived operator-(ptrdiff_t n) const { Derived moved = self(); moved.advance(-n); return moved; }
  SB_HD_MEMBER ptrdiff_t operator-(const Derived& other) const { return other.distance_to(self()); }
  SB_HD_MEMBER bool operator==(const Derived& other) const { return other.distance_to(self()) == 0; }
  SB_HD_MEMBER bool operator!=(const Derived& other) const { return other.distance_to(self()) != 0; }
  SB_HD_MEMBER bool operator<(const Derived& other) const { return self().distance_to(other) > 0; }
  SB_HD_MEMBER bool operator>(const Derived& other) const { return self().distance_to(other) < 0; }
  SB_HD_MEMBER bool operator<=(const Derived& other) const { return self().distance_to(other) >= 0; }
  SB_HD_MEMBER bool operator>=(const Derived& other) const { return self().distance_to(other) <= 0; }
  SB_HD_MEMBER decltype(auto) operator*() const { return self().at(0); }
  SB_HD_MEMBER decltype(auto) operator[](ptrdiff_t n) const { return self().at(n); }
};

template <class T> class device_ptr {
 public:
  typedef T element_type;
  typedef typename std::remove_cv<T>::type value_type;
  typedef ptrdiff_t difference_type;
  typedef device_reference<T> reference;
  typedef T* pointer;
  typedef std::random_access_iterator_tag iterator_category;
  SB_HD_MEMBER device_ptr() : raw_(nullptr) {}
  SB_HD_MEMBER explicit device_ptr(T* raw) : raw_(raw) {}
  template <class U> SB_HD_MEMBER device_ptr(const device_ptr<U>& other) : raw_(other.get()) {}
  SB_HD_MEMBER T* get() const { return raw_; }
  reference operator*() const { return reference(raw_); }
  reference operator[](ptrdiff_t n) const { return reference(raw_ + n); }
  SB_HD_MEMBER device_ptr& operator++() { ++raw_; return *this; }
  SB_HD_MEMBER device_ptr operator++(int) { device_ptr old = *this; ++raw_; return old; }
  SB_HD_MEMBER device_ptr& operator--() { --raw_; return *this; }
  SB_HD_MEMBER device_ptr& operator+=(ptrdiff_t n) { raw_ += n; return *this; }
  SB_HD_MEMBER device_ptr& operator-=(ptrdiff_t n) { raw_ -= n; return *this; }
  SB_HD_MEMBER device_ptr operator+(ptrdiff_t n) const { return device_ptr(raw_ + n); }
  SB_HD_MEMBER device_ptr operator-(ptrdiff_t n) const { return device_ptr(raw_ - n); }
  SB_HD_MEMBER ptrdiff_t operator-(const device_ptr& other) const { return raw_ - other.raw_; }
  SB_HD_MEMBER bool operator==(const device_ptr& other) const { return raw_ == other.raw_; }
  SB_HD_MEMBER bool operator!=(const device_ptr& other) const { return raw_ != other.raw_; }
  SB_HD_MEMBER bool operator<(const device_ptr& other) const { return raw_ < other.raw_; }
  SB_HD_MEMBER explicit operator bool() const { return raw_ != nullptr; }

 private:
  T* raw_;
};
template <class T> SB_HOST_DEVICE device_ptr<T> device_pointer_cast(T* raw) { return device_ptr<T>(raw); }
template <class T> SB_HOST_DEVICE device_ptr<T> device_pointer_cast(const device_ptr<T>& same) { return same; }
template <class T> SB_HOST_DEVICE T* raw_pointer_cast(const device_ptr<T>& from) { return from.get(); }
template <class T> SB_HOST_DEVICE T* raw_pointer_cast(T* from) { return from; }
template <class T> static inline device_ptr<T> device_malloc(size_t count) {
  T* raw = nullptr;
  cudaMalloc((void**)&raw, count * sizeof(T));
  return device_ptr<T>(raw);
}
template <class T> static inline void device_free(device_ptr<T> pointer) { cudaFree(pointer.get()); }

template <class T, class Difference = ptrdiff_t> class counting_iterator : public iterator_arithmetic<counting_iterator<T, Difference>> {
 public:
  typedef T value_type;
  typedef ptrdiff_t difference_type;
  typedef T reference;
  typedef const T* pointer;
  typedef std::random_access_iterator_tag iterator_category;
  SB_HD_MEMBER counting_iterator(T value = T()) : value_(value) {}
  SB_HD_MEMBER void advance(ptrdiff_t n) { value_ = (T)(value_ + n); }
  SB_HD_MEMBER ptrdiff_t distance_to(const counting_iterator& other) const { return (ptrdiff_t)(other.value_ - value_); }
  SB_HD_MEMBER T at(ptrdiff_t n) const { return (T)(value_ + n); }

 private:
  T value_;
};
template <class T> SB_HOST_DEVICE counting_iterator<T> make_counting_iterator(T value) { return counting_iterator<T>(value); }

template <class T> class constant_iterator : public iterator_arithmetic<constant_iterator<T>> {
 public:
  typedef T value_type;
  typedef ptrdiff_t difference_type;
  typedef T reference;
  typedef const T* pointer;
  typedef std::random_access_iterator_tag iterator_category;
  SB_HD_MEMBER constant_iterator(T value = T(), ptrdiff_t index = 0) : value_(value), index_(index) {}
  SB_HD_MEMBER void advance(ptrdiff_t n) { index_ += n; }
  SB_HD_MEMBER ptrdiff_t distance_to(const constant_iterator& other) const { return other.index_ - index_; }
  SB_HD_MEMBER T at(ptrdiff_t) const { return value_; }

 private:
  T value_;
  ptrdiff_t index_;
};
template <class T> SB_HOST_DEVICE constant_iterator<T> make_constant_iterator(T value) { return constant_iterator<T>(value); }

template <class T> class discard_target {
 public:
  template <class V> SB_HD_MEMBER const discard_target& operator=(const V&) const { return *this; }
};
template <class T = void> class discard_iterator : public iterator_arithmetic<discard_iterator<T>> {
 public:
  typedef discard_target<T> value_type;
  typedef ptrdiff_t difference_type;
  typedef discard_target<T> reference;
  typedef void pointer;
  typedef std::random_access_iterator_tag iterator_category;
  SB_HD_MEMBER void advance(ptrdiff_t n) { index_ += n; }
  SB_HD_MEMBER ptrdiff_t distance_to(const discard_iterator& other) const { return other.index_ - index_; }
  SB_HD_MEMBER discard_target<T> at(ptrdiff_t) const { return discard_target<T>(); }

 private:
  ptrdiff_t index_ = 0;
};
static inline discard_iterator<> make_discard_iterator() { return discard_iterator<>(); }

template <class F, class It, class = void, class = void> class transform_iterator : public iterator_arithmetic<transform_iterator<F, It>> {
 public:
  typedef typename std::iterator_traits<It>::value_type input_type;
  typedef typename std::decay<decltype(std::declval<const F&>()(std::declval<input_type>()))>::type value_type;
  typedef ptrdiff_t difference_type;
  typedef value_type reference;
  typedef const value_type* pointer;
  typedef std::random_access_iterator_tag iterator_category;
  SB_HD_MEMBER transform_iterator(It base, F function) : base_(base), function_(function) {}
  SB_HD_MEMBER void advance(ptrdiff_t n) { base_ += n; }
  SB_HD_MEMBER ptrdiff_t distance_to(const transform_iterator& other) const { return other.base_ - base_; }
  SB_HD_MEMBER value_type at(ptrdiff_t n) const { return function_((input_type)base_[n]); }
  SB_HD_MEMBER const It& base() const { return base_; }
  SB_HD_MEMBER const F& functor() const { return function_; }

 private:
  It base_;
  F function_;
};
template <class F, class It> SB_HOST_DEVICE transform_iterator<F, It> make_transform_iterator(It base, F function) { return transform_iterator<F, It>(base, function); }

template <class It, class Map> class permutation_iterator : public iterator_arithmetic<permutation_iterator<It, Map>> {
 public:
  typedef typename std::iterator_traits<It>::value_type value_type;
  typedef ptrdiff_t difference_type;
  typedef typename std::iterator_traits<It>::reference reference;
  typedef value_type* pointer;
  typedef std::random_access_iterator_tag iterator_category;
  SB_HD_MEMBER permutation_iterator(It base, Map map) : base_(base), map_(map) {}
  SB_HD_MEMBER void advance(ptrdiff_t n) { map_ += n; }
  SB_HD_MEMBER ptrdiff_t distance_to(const permutation_iterator& other) const { return other.map_ - map_; }
  SB_HD_MEMBER decltype(auto) at(ptrdiff_t n) const { return base_[(ptrdiff_t)map_[n]]; }
  SB_HD_MEMBER const It& base() const { return base_; }
  SB_HD_MEMBER const Map& map() const { return map_; }

 private:
  It base_;
  Map map_;
};
template <class It, class Map> SB_HOST_DEVICE permutation_iterator<It, Map> make_permutation_iterator(It base, Map map) { return permutation_iterator<It, Map>(base, map); }

template <class It> class reverse_iterator : public iterator_arithmetic<reverse_iterator<It>> {
 public:
  typedef typename std::iterator_traits<It>::value_type value_type;
  typedef ptrdiff_t difference_type;
  typedef typename std::iterator_traits<It>::reference reference;
  typedef value_type* pointer;
  typedef std::random_access_iterator_tag iterator_category;
  SB_HD_MEMBER explicit reverse_iterator(It base) : base_(base) {}
  SB_HD_MEMBER void advance(ptrdiff_t n) { base_ -= n; }
  SB_HD_MEMBER ptrdiff_t distance_to(const reverse_iterator& other) const { return base_ - other.base_; }
  SB_HD_MEMBER decltype(auto) at(ptrdiff_t n) const { return base_[-1 - n]; }
  SB_HD_MEMBER const It& base() const { return base_; }

 private:
  It base_;
};
template <class It> SB_HOST_DEVICE reverse_iterator<It> make_reverse_iterator(It base) { return reverse_iterator<It>(base); }

template <class T> class zip_iterator;
template <class... It> class zip_iterator<tuple<It...>> : public iterator_arithmetic<zip_iterator<tuple<It...>>> {
 public:
  typedef tuple<typename std::iterator_traits<It>::value_type...> value_type;
  typedef tuple<typename std::iterator_traits<It>::reference...> reference;
  typedef ptrdiff_t difference_type;
  typedef value_type* pointer;
  typedef std::random_access_iterator_tag iterator_category;
  SB_HD_MEMBER explicit zip_iterator(const tuple<It...>& all) : all_(all) {}
  SB_HD_MEMBER void advance(ptrdiff_t n) { advance_all(all_, n); }
  SB_HD_MEMBER ptrdiff_t distance_to(const zip_iterator& other) const { return other.all_.head - all_.head; }
  SB_HD_MEMBER reference at(ptrdiff_t n) const { return pick(n, std::make_index_sequence<sizeof...(It)>()); }
  SB_HD_MEMBER const tuple<It...>& get_iterator_tuple() const { return all_; }

 private:
  SB_HD_MEMBER static void advance_all(tuple<>&, ptrdiff_t) {}
  template <class H, class... T> SB_HD_MEMBER static void advance_all(tuple<H, T...>& all, ptrdiff_t n) { all.head += n; advance_all(all.tail, n); }
  template <size_t... I> SB_HD_MEMBER reference pick(ptrdiff_t n, std::index_sequence<I...>) const { return reference(thrust::get<(int)I>(all_)[n]...); }
  tuple<It...> all_;
};
template <class... It> SB_HOST_DEVICE zip_iterator<tuple<It...>> make_zip_iterator(const tuple<It...>& all) { return zip_iterator<tuple<It...>>(all); }
template <class It, class... More> SB_HOST_DEVICE zip_iterator<tuple<It, More...>> make_zip_iterator(It first, More... more) {
  return zip_iterator<tuple<It, More...>>(tuple<It, More...>(first, more...));
}

template <class It> struct iterator_value { typedef typename std::iterator_traits<It>::value_type type; };
template <class It> struct iterator_difference { typedef ptrdiff_t type; };
template <class It> struct iterator_reference { typedef typename std::iterator_traits<It>::reference type; };
template <class It> struct iterator_traits : std::iterator_traits<It> {};
template <class It> SB_HOST_DEVICE ptrdiff_t distance(It first, It last) { return last - first; }
template <class It> SB_HOST_DEVICE void advance(It& at, ptrdiff_t n) { at += n; }
template <class It> SB_HOST_DEVICE It next(It at, ptrdiff_t n = 1) { return at + n; }

namespace details {
// Is any part of the iterator a pointer to the card?
template <class It> struct is_device { static constexpr bool value = false; };
template <class T> struct is_device<device_ptr<T>> { static constexpr bool value = true; };
template <class F, class It> struct is_device<transform_iterator<F, It>> : is_device<It> {};
template <class It> struct is_device<reverse_iterator<It>> : is_device<It> {};
template <class It, class Map> struct is_device<permutation_iterator<It, Map>> { static constexpr bool value = is_device<It>::value || is_device<Map>::value; };
template <class... It> struct is_device<zip_iterator<tuple<It...>>> { static constexpr bool value = (is_device<It>::value || ...); };

template <class It> static inline It unwrap(const It& it) { return it; }
template <class T> static inline T* unwrap(const device_ptr<T>& it) { return it.get(); }
template <class F, class It> static inline auto unwrap(const transform_iterator<F, It>& it);
template <class It> static inline auto unwrap(const reverse_iterator<It>& it);
template <class It, class Map> static inline auto unwrap(const permutation_iterator<It, Map>& it);
template <class... It> static inline auto unwrap(const zip_iterator<tuple<It...>>& it);
template <class F, class It> static inline auto unwrap(const transform_iterator<F, It>& it) { return make_transform_iterator(unwrap(it.base()), it.functor()); }
template <class It> static inline auto unwrap(const reverse_iterator<It>& it) { return make_reverse_iterator(unwrap(it.base())); }
template <class It, class Map> static inline auto unwrap(const permutation_iterator<It, Map>& it) { return make_permutation_iterator(unwrap(it.base()), unwrap(it.map())); }
static inline tuple<> unwrap_all(const tuple<>&) { return {}; }
template <class H, class... T> static inline auto unwrap_all(const tuple<H, T...>& all);
template <class H, class R> struct joined;
template <class H, class... R> struct joined<H, tuple<R...>> { typedef tuple<H, R...> type; };
template <class H, class... T> static inline auto unwrap_all(const tuple<H, T...>& all) {
  auto rest = unwrap_all(all.tail);
  typename joined<decltype(unwrap(all.head)), decltype(rest)>::type whole;
  whole.head = unwrap(all.head);
  whole.tail = rest;
  return whole;
}
template <class... It> static inline auto unwrap(const zip_iterator<tuple<It...>>& it) { return make_zip_iterator(unwrap_all(it.get_iterator_tuple())); }
}  // namespace details
}  // namespace thrust
