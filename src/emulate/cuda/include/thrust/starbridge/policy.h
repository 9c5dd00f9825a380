// Where an algorithm runs: named by a policy, or by what its iterators point to. On the card it is a kernel with one thread, whose
// order is the sequential one; on the host, and inside kernels (thrust::seq), it is a plain loop.
#pragma once

#include <stdlib.h>

#include "thrust/starbridge/vectors.h"

namespace thrust {

struct host_policy { static constexpr bool is_device = false; };
struct seq_policy { static constexpr bool is_device = false; };
struct device_policy {
  static constexpr bool is_device = true;
  cudaStream_t stream = nullptr;
  device_policy on(cudaStream_t where) const { return device_policy{where}; }
  template <class A> device_policy operator()(const A&) const { return *this; }
};
static constexpr host_policy host{};
static constexpr seq_policy seq{};
static constexpr device_policy device{};
namespace cuda {
static constexpr device_policy par{}, par_nosync{};
}  // namespace cuda
namespace cuda_cub {
static constexpr device_policy par{};
}  // namespace cuda_cub

namespace details {
template <class T> struct is_policy { static constexpr bool value = false; };
template <> struct is_policy<host_policy> { static constexpr bool value = true; };
template <> struct is_policy<seq_policy> { static constexpr bool value = true; };
template <> struct is_policy<device_policy> { static constexpr bool value = true; };
template <class P> using if_policy = typename std::enable_if<is_policy<P>::value, int>::type;
template <class P> using if_iterator = typename std::enable_if<!is_policy<P>::value, int>::type;
template <class... It> using policy_of = typename std::conditional<(is_device<It>::value || ...), device_policy, host_policy>::type;

template <class Body> __global__ void alone(Body body) { body(); }
template <class Body> static inline void launch_alone(const device_policy& policy, Body body) {
  alone<<<1, 1, 0, policy.stream>>>(body);
  cudaStreamSynchronize(policy.stream);
}
template <class Policy, class Body> __host__ __device__ inline void carry_out(const Policy& policy, Body body) {
  if constexpr (Policy::is_device) launch_alone(policy, body);
  else body();
}
// What body(R*) writes.
template <class R, class Body> static inline R launch_and_fetch(const device_policy& policy, Body body) {
  R* place = nullptr;
  cudaMalloc((void**)&place, sizeof(R));
  alone<<<1, 1, 0, policy.stream>>>([=] __device__() { body(place); });
  R value;
  cudaMemcpy((void*)&value, (const void*)place, sizeof(R), cudaMemcpyDeviceToHost);
  cudaFree(place);
  return value;
}
template <class R, class Policy, class Body> __host__ __device__ inline R fetch(const Policy& policy, Body body) {
  if constexpr (Policy::is_device) {
    return launch_and_fetch<R>(policy, body);
  } else {
    R value;
    body(&value);
    return value;
  }
}
// Iterators as kernels take them; on the host only.
template <class Policy, class It> __host__ __device__ inline auto plain(const Policy&, const It& it) {
  if constexpr (Policy::is_device) return unwrap(it);
  else return it;
}
}  // namespace details

}  // namespace thrust
