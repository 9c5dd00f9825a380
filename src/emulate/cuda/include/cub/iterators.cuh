// Iterators of CUB that make values instead of reading them.
#pragma once

#include <stddef.h>

#include "cub/operators.cuh"

namespace cub {
namespace details {
// What all of them share: a place, moved like a pointer.
template <class Self, class T> struct Counted {
  typedef std::random_access_iterator_tag iterator_category;
  typedef T value_type;
  typedef T reference;
  typedef T* pointer;
  typedef ptrdiff_t difference_type;
  ptrdiff_t at = 0;
  SB_HD_MEMBER T operator*() const { return (*(const Self*)this)[0]; }
  SB_HD_MEMBER Self operator+(ptrdiff_t n) const { Self moved = *(const Self*)this; moved.at += n; return moved; }
  SB_HD_MEMBER Self operator-(ptrdiff_t n) const { return *this + -n; }
  SB_HD_MEMBER ptrdiff_t operator-(const Self& b) const { return at - b.at; }
  SB_HD_MEMBER Self& operator+=(ptrdiff_t n) { at += n; return *(Self*)this; }
  SB_HD_MEMBER Self& operator++() { ++at; return *(Self*)this; }
  SB_HD_MEMBER Self operator++(int) { Self before = *(Self*)this; ++at; return before; }
  SB_HD_MEMBER bool operator==(const Self& b) const { return at == b.at; }
  SB_HD_MEMBER bool operator!=(const Self& b) const { return at != b.at; }
};
}  // namespace details

template <class T, class Offset = ptrdiff_t> struct CountingInputIterator : details::Counted<CountingInputIterator<T, Offset>, T> {
  T first;
  SB_HD_MEMBER explicit CountingInputIterator(T value) : first(value) {}
  SB_HD_MEMBER T operator[](ptrdiff_t i) const { return (T)(first + this->at + i); }
};
template <class T, class Offset = ptrdiff_t> struct ConstantInputIterator : details::Counted<ConstantInputIterator<T, Offset>, T> {
  T value;
  SB_HD_MEMBER explicit ConstantInputIterator(T v, Offset = 0) : value(v) {}
  SB_HD_MEMBER T operator[](ptrdiff_t) const { return value; }
};
template <class T, class Change, class In, class Offset = ptrdiff_t>
struct TransformInputIterator : details::Counted<TransformInputIterator<T, Change, In, Offset>, T> {
  In in;
  Change change;
  SB_HD_MEMBER TransformInputIterator(In from, Change with) : in(from), change(with) {}
  SB_HD_MEMBER T operator[](ptrdiff_t i) const { return change(in[this->at + i]); }
};
template <class In, class Offset = ptrdiff_t, class T = typename std::iterator_traits<In>::value_type>
struct ArgIndexInputIterator : details::Counted<ArgIndexInputIterator<In, Offset, T>, KeyValuePair<Offset, T>> {
  In in;
  SB_HD_MEMBER explicit ArgIndexInputIterator(In from) : in(from) {}
  SB_HD_MEMBER KeyValuePair<Offset, T> operator[](ptrdiff_t i) const { return KeyValuePair<Offset, T>((Offset)(this->at + i), in[this->at + i]); }
};
// Takes what is written and forgets it.
struct sb_discarded { template <class T> SB_HD_MEMBER const sb_discarded& operator=(const T&) const { return *this; } };
template <class Offset = ptrdiff_t> struct DiscardOutputIterator {
  typedef std::random_access_iterator_tag iterator_category;
  typedef void value_type;
  typedef ptrdiff_t difference_type;
  typedef void pointer;
  typedef sb_discarded reference;
  SB_HD_MEMBER sb_discarded operator[](ptrdiff_t) const { return {}; }
  SB_HD_MEMBER sb_discarded operator*() const { return {}; }
};
}  // namespace cub
