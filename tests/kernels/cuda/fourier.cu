// A fast Fourier transform of 128 points per block: float2 in shared memory, sincospif, forward and back.
#include <complex>

#include "check.h"

constexpr int kPoints = 128;

template <int kSign> __global__ void transform(float2* signal) {
  __shared__ float2 x[kPoints];
  const int t = threadIdx.x, bits = 7;
  for (int i = t; i < kPoints; i += blockDim.x) x[__brev(i) >> (32 - bits)] = signal[blockIdx.x * kPoints + i];
  __syncthreads();
  for (int half = 1; half < kPoints; half *= 2) {
    const int k = t % half, a = t / half * 2 * half + k, b = a + half;
    float s, c;
    sincospif(kSign * float(k) / half, &s, &c);
    const float2 u = x[a], v = make_float2(x[b].x * c - x[b].y * s, x[b].x * s + x[b].y * c);
    x[a] = make_float2(u.x + v.x, u.y + v.y);
    x[b] = make_float2(u.x - v.x, u.y - v.y);
    __syncthreads();
  }
  const float scale = kSign > 0 ? 1.0f / kPoints : 1.0f;
  for (int i = t; i < kPoints; i += blockDim.x) signal[blockIdx.x * kPoints + i] = make_float2(x[i].x * scale, x[i].y * scale);
}

int main() {
  Inputs inputs;
  std::vector<float2> signal(2 * kPoints);
  for (float2& v : signal) v = {inputs.unit(), inputs.unit()};
  OnCard<float2> card(signal);
  transform<-1><<<2, kPoints / 2>>>(card);
  std::vector<float2> got = card.fetch();
  for (int s = 0; s < 2; ++s)
    for (int k = 0; k < kPoints; ++k) {
      std::complex<double> sum = 0;
      for (int i = 0; i < kPoints; ++i)
        sum += std::complex<double>(signal[s * kPoints + i].x, signal[s * kPoints + i].y) * std::polar(1.0, -2 * M_PI * i * k / kPoints);
      EXPECT(std::abs(sum - std::complex<double>(got[s * kPoints + k].x, got[s * kPoints + k].y)) < 1e-4);
    }
  transform<1><<<2, kPoints / 2>>>(card);
  got = card.fetch();
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT(std::fabs(got[i].x - signal[i].x) < 1e-5 && std::fabs(got[i].y - signal[i].y) < 1e-5);
  return 0;
}
