// Vectors on either side, and copies between them.
#pragma once

#include <initializer_list>
#include <vector>

#include "thrust/starbridge/iterators.h"

namespace thrust {

template <class T, class Allocator = std::allocator<T>> class host_vector;

template <class T, class Allocator = void> class device_vector {
 public:
  typedef T value_type;
  typedef size_t size_type;
  typedef ptrdiff_t difference_type;
  typedef device_ptr<T> iterator;
  typedef device_ptr<const T> const_iterator;
  typedef device_ptr<T> pointer;
  typedef device_reference<T> reference;

  device_vector() {}
  explicit device_vector(size_t count) { resize(count); }
  device_vector(size_t count, const T& value) { resize(count, value); }
  device_vector(const device_vector& other) { *this = other; }
  device_vector(device_vector&& other) noexcept { swap(other); }
  device_vector(std::initializer_list<T> values) { assign_host(values.begin(), values.size()); }
  template <class A> device_vector(const host_vector<T, A>& other) { *this = other; }
  template <class A> device_vector(const std::vector<T, A>& other) { *this = other; }
  template <class It, class = typename std::iterator_traits<It>::iterator_category> device_vector(It first, It last) { assign(first, last); }
  ~device_vector() { if (data_ != nullptr) cudaFree(data_); }

  device_vector& operator=(const device_vector& other) {
    if (this == &other) return *this;
    make_room(other.size_, false);
    size_ = other.size_;
    if (size_ > 0) cudaMemcpy((void*)data_, (const void*)other.data_, size_ * sizeof(T), cudaMemcpyDeviceToDevice);
    return *this;
  }
  device_vector& operator=(device_vector&& other) noexcept { swap(other); return *this; }
  template <class A> device_vector& operator=(const host_vector<T, A>& other) { assign_host(other.data(), other.size()); return *this; }
  template <class A> device_vector& operator=(const std::vector<T, A>& other) { assign_host(other.data(), other.size()); return *this; }

  template <class It> void assign(It first, It last) {
    if constexpr (details::is_device<It>::value) {
      std::vector<T> values;
      for (; first != last; ++first) values.push_back((T)*first);
      assign_host(values.data(), values.size());
    } else {
      std::vector<T> values(first, last);
      assign_host(values.data(), values.size());
    }
  }
  void assign(size_t count, const T& value) { clear(); resize(count, value); }
  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  void clear() { size_ = 0; }
  void reserve(size_t count) { make_room(count, true); }
  void shrink_to_fit() {}
  void resize(size_t count, const T& value = T()) {
    make_room(count, true);
    if (count > size_) {
      std::vector<T> fill(count - size_, value);
      cudaMemcpy((void*)(data_ + size_), (const void*)fill.data(), fill.size() * sizeof(T), cudaMemcpyHostToDevice);
    }
    size_ = count;
  }
  void push_back(const T& value) {
    if (size_ == capacity_) make_room(size_ < 8 ? 16 : 2 * size_, true);
    cudaMemcpy((void*)(data_ + size_), (const void*)&value, sizeof(T), cudaMemcpyHostToDevice);
    ++size_;
  }
  void pop_back() { --size_; }
  iterator erase(iterator first, iterator last) {
    std::vector<T> rest((size_t)(end() - last));
    if (!rest.empty()) {
      cudaMemcpy((void*)rest.data(), (const void*)last.get(), rest.size() * sizeof(T), cudaMemcpyDeviceToHost);
      cudaMemcpy((void*)first.get(), (const void*)rest.data(), rest.size() * sizeof(T), cudaMemcpyHostToDevice);
    }
    size_ -= (size_t)(last - first);
    return first;
  }
  iterator erase(iterator at) { return erase(at, at + 1); }
  void swap(device_vector& other) noexcept { std::swap(data_, other.data_), std::swap(size_, other.size_), std::swap(capacity_, other.capacity_); }
  iterator begin() { return iterator(data_); }
  iterator end() { return iterator(data_ + size_); }
  const_iterator begin() const { return const_iterator(data_); }
  const_iterator end() const { return const_iterator(data_ + size_); }
  const_iterator cbegin() const { return begin(); }
  const_iterator cend() const { return end(); }
  reverse_iterator<iterator> rbegin() { return reverse_iterator<iterator>(end()); }
  reverse_iterator<iterator> rend() { return reverse_iterator<iterator>(begin()); }
  pointer data() { return pointer(data_); }
  const_iterator data() const { return const_iterator(data_); }
  reference operator[](size_t i) { return reference(data_ + i); }
  T operator[](size_t i) const { return (T)device_reference<const T>(data_ + i); }
  reference front() { return reference(data_); }
  reference back() { return reference(data_ + size_ - 1); }

 private:
  void make_room(size_t count, bool keep) {
    if (count <= capacity_) return;
    T* wider = nullptr;
    if (cudaMalloc((void**)&wider, count * sizeof(T)) != cudaSuccess) throw std::bad_alloc();
    if (keep && size_ > 0) cudaMemcpy((void*)wider, (const void*)data_, size_ * sizeof(T), cudaMemcpyDeviceToDevice);
    if (data_ != nullptr) cudaFree(data_);
    data_ = wider;
    capacity_ = count;
  }
  void assign_host(const T* values, size_t count) {
    make_room(count, false);
    size_ = count;
    if (count > 0) cudaMemcpy((void*)data_, (const void*)values, count * sizeof(T), cudaMemcpyHostToDevice);
  }
  T* data_ = nullptr;
  size_t size_ = 0, capacity_ = 0;
};

template <class T, class Allocator> class host_vector : public std::vector<T, Allocator> {
  typedef std::vector<T, Allocator> base;

 public:
  using base::base;
  host_vector() {}
  host_vector(const base& other) : base(other) {}
  template <class A> host_vector(const device_vector<T, A>& other) { *this = other; }
  // From the card's memory, in one copy.
  host_vector(device_ptr<T> first, device_ptr<T> last) { fetch(first.get(), (size_t)(last - first)); }
  host_vector(device_ptr<const T> first, device_ptr<const T> last) { fetch(first.get(), (size_t)(last - first)); }
  template <class A> host_vector& operator=(const device_vector<T, A>& other) { fetch(other.data().get(), other.size()); return *this; }

 private:
  void fetch(const T* from, size_t count) {
    this->resize(count);
    if (count > 0) cudaMemcpy((void*)this->data(), (const void*)from, count * sizeof(T), cudaMemcpyDeviceToHost);
  }
};
template <class T, class A, class B> bool operator==(const device_vector<T, A>& a, const device_vector<T, B>& b) { return host_vector<T>(a) == host_vector<T>(b); }
template <class T, class A, class B> bool operator==(const host_vector<T, A>& a, const device_vector<T, B>& b) { return a == host_vector<T>(b); }
template <class T, class A, class B> bool operator==(const device_vector<T, A>& a, const host_vector<T, B>& b) { return host_vector<T>(a) == b; }
template <class T> using universal_vector = device_vector<T>;

}  // namespace thrust
