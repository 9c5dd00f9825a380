// thrust::complex: storage, arithmetic and functions for both halves. PyTorch's own complex numbers go through it under a CUDA compiler.
#pragma once

#include <complex>

#include "cuda_runtime.h"
#include "thrust/version.h"

namespace thrust {

template <class T>
struct complex {
  using value_type = T;
  T re, im;
  __host__ __device__ constexpr complex(T real_part = T(), T imaginary_part = T()) : re(real_part), im(imaginary_part) {}
  template <class U>
  __host__ __device__ constexpr complex(const complex<U>& other) : re(T(other.re)), im(T(other.im)) {}
  template <class U>
  __host__ __device__ constexpr complex(const std::complex<U>& other)
      : re(T(reinterpret_cast<const U(&)[2]>(other)[0])), im(T(reinterpret_cast<const U(&)[2]>(other)[1])) {}
  __host__ __device__ constexpr T real() const { return re; }
  __host__ __device__ constexpr T imag() const { return im; }
  __host__ __device__ void real(T value) { re = value; }
  __host__ __device__ void imag(T value) { im = value; }
  operator std::complex<T>() const { return {re, im}; }
  __host__ __device__ complex& operator+=(const complex& b) { return *this = *this + b; }
  __host__ __device__ complex& operator-=(const complex& b) { return *this = *this - b; }
  __host__ __device__ complex& operator*=(const complex& b) { return *this = *this * b; }
  __host__ __device__ complex& operator/=(const complex& b) { return *this = *this / b; }
  friend __host__ __device__ complex operator+(const complex& a, const complex& b) { return {a.re + b.re, a.im + b.im}; }
  friend __host__ __device__ complex operator-(const complex& a, const complex& b) { return {a.re - b.re, a.im - b.im}; }
  friend __host__ __device__ complex operator-(const complex& a) { return {-a.re, -a.im}; }
  friend __host__ __device__ complex operator*(const complex& a, const complex& b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  // Scaled by the larger part of the divisor (Smith, 1962), so that squares do not overflow.
  friend __host__ __device__ complex operator/(const complex& a, const complex& b) {
    if (::fabs(b.re) >= ::fabs(b.im)) {
      const T ratio = b.im / b.re, scale = b.re + b.im * ratio;
      return {(a.re + a.im * ratio) / scale, (a.im - a.re * ratio) / scale};
    }
    const T ratio = b.re / b.im, scale = b.re * ratio + b.im;
    return {(a.re * ratio + a.im) / scale, (a.im * ratio - a.re) / scale};
  }
  friend __host__ __device__ bool operator==(const complex& a, const complex& b) { return a.re == b.re && a.im == b.im; }
  friend __host__ __device__ bool operator!=(const complex& a, const complex& b) { return !(a == b); }
};

#define SB_COMPLEX template <class T> __host__ __device__ inline
SB_COMPLEX T abs(const complex<T>& z) { return ::hypot(z.re, z.im); }
SB_COMPLEX T arg(const complex<T>& z) { return ::atan2(z.im, z.re); }
SB_COMPLEX T norm(const complex<T>& z) { return z.re * z.re + z.im * z.im; }
SB_COMPLEX complex<T> conj(const complex<T>& z) { return {z.re, -z.im}; }
SB_COMPLEX complex<T> polar(const T& r, const T& angle = T()) { return {r * ::cos(angle), r * ::sin(angle)}; }
SB_COMPLEX complex<T> exp(const complex<T>& z) { return thrust::polar<T>(::exp(z.re), z.im); }
SB_COMPLEX complex<T> log(const complex<T>& z) { return {::log(thrust::abs(z)), thrust::arg(z)}; }
SB_COMPLEX complex<T> log10(const complex<T>& z) { return thrust::log(z) / complex<T>(T(2.302585092994045684)); }
SB_COMPLEX complex<T> sqrt(const complex<T>& z) { return thrust::polar<T>(::sqrt(thrust::abs(z)), thrust::arg(z) / 2); }
SB_COMPLEX complex<T> pow(const complex<T>& z, const complex<T>& w) {
  return z.re == 0 && z.im == 0 ? complex<T>(w.re == 0 && w.im == 0 ? T(1) : T(0)) : thrust::exp(w * thrust::log(z));
}
SB_COMPLEX complex<T> pow(const complex<T>& z, const T& w) { return thrust::pow(z, complex<T>(w)); }
SB_COMPLEX complex<T> pow(const T& z, const complex<T>& w) { return thrust::pow(complex<T>(z), w); }
SB_COMPLEX complex<T> sinh(const complex<T>& z) { return {::sinh(z.re) * ::cos(z.im), ::cosh(z.re) * ::sin(z.im)}; }
SB_COMPLEX complex<T> cosh(const complex<T>& z) { return {::cosh(z.re) * ::cos(z.im), ::sinh(z.re) * ::sin(z.im)}; }
SB_COMPLEX complex<T> tanh(const complex<T>& z) { return thrust::sinh(z) / thrust::cosh(z); }
SB_COMPLEX complex<T> sin(const complex<T>& z) { return {::sin(z.re) * ::cosh(z.im), ::cos(z.re) * ::sinh(z.im)}; }
SB_COMPLEX complex<T> cos(const complex<T>& z) { return {::cos(z.re) * ::cosh(z.im), -::sin(z.re) * ::sinh(z.im)}; }
SB_COMPLEX complex<T> tan(const complex<T>& z) { return thrust::sin(z) / thrust::cos(z); }
SB_COMPLEX complex<T> asinh(const complex<T>& z) { return thrust::log(z + thrust::sqrt(z * z + complex<T>(T(1)))); }
SB_COMPLEX complex<T> acosh(const complex<T>& z) {
  return thrust::log(z + thrust::sqrt(z + complex<T>(T(1))) * thrust::sqrt(z - complex<T>(T(1))));
}
SB_COMPLEX complex<T> atanh(const complex<T>& z) {
  return (thrust::log(complex<T>(T(1)) + z) - thrust::log(complex<T>(T(1)) - z)) / complex<T>(T(2));
}
SB_COMPLEX complex<T> asin(const complex<T>& z) {
  const complex<T> turned = thrust::asinh(complex<T>(-z.im, z.re));
  return {turned.im, -turned.re};
}
SB_COMPLEX complex<T> acos(const complex<T>& z) { return complex<T>(T(1.5707963267948966192)) - thrust::asin(z); }
SB_COMPLEX complex<T> atan(const complex<T>& z) {
  const complex<T> turned = thrust::atanh(complex<T>(-z.im, z.re));
  return {turned.im, -turned.re};
}
#undef SB_COMPLEX

}  // namespace thrust
