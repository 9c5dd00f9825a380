// Random numbers in kernels and on the host: four at a time are the same words as one at a time, doubles and normals follow from
// the words by their formulas, and what is left has the moments of its distribution.
#include <curand.h>
#include <curand_kernel.h>

#include "check.h"

constexpr int kEach = 512, kThreads = 64;

__global__ void draw(unsigned* words, unsigned* fours, float* units, double* fine, float* normals, double* fine_normals, float* logs) {
  const int t = threadIdx.x;
  curandStatePhilox4_32_10_t one, four;
  curand_init(99, t, 0, &one), curand_init(99, t, 0, &four);
  for (int i = 0; i < kEach; i += 4) {
    for (int k = 0; k < 4; ++k) words[t * kEach + i + k] = curand(&one);
    const uint4 all = curand4(&four);
    fours[t * kEach + i] = all.x, fours[t * kEach + i + 1] = all.y, fours[t * kEach + i + 2] = all.z, fours[t * kEach + i + 3] = all.w;
  }
  curand_init(99, t, 0, &one), curand_init(99, t, 0, &four);
  for (int i = 0; i < kEach; i += 4) {
    const float4 all = curand_uniform4(&one);
    units[t * kEach + i] = all.x, units[t * kEach + i + 1] = all.y, units[t * kEach + i + 2] = all.z, units[t * kEach + i + 3] = all.w;
  }
  for (int i = 0; i < kEach / 2; ++i) fine[t * kEach / 2 + i] = curand_uniform_double(&four);
  curand_init(99, t, 0, &one), curand_init(99, t, 0, &four);
  for (int i = 0; i < kEach; i += 2) {
    const float2 both = curand_normal2(&one);
    normals[t * kEach + i] = both.x, normals[t * kEach + i + 1] = both.y;
  }
  for (int i = 0; i < kEach / 4; ++i) fine_normals[t * kEach / 4 + i] = curand_normal_double(&four);
  curand_init(99, t, 0, &one);
  for (int i = 0; i < kEach; ++i) logs[t * kEach + i] = curand_log_normal(&one, 0.5f, 0.25f);
}

template <class T> void expect_moments(const std::vector<T>& values, double mean, double deviation, bool of_logarithms) {
  double sum = 0, squares = 0;
  for (T value : values) {
    const double x = of_logarithms ? std::log(double(value)) : double(value);
    sum += x, squares += x * x;
  }
  const double n = double(values.size()), got = sum / n;
  EXPECT(std::fabs(got - mean) < 5 * deviation / std::sqrt(n));
  EXPECT(std::fabs(std::sqrt(squares / n - got * got) - deviation) < 5 * deviation / std::sqrt(n));
}

#define RAND(call) EXPECT((call) == CURAND_STATUS_SUCCESS)

int main() {
  const int n = kEach * kThreads;
  OnCard<unsigned> words(n), fours(n);
  OnCard<float> units(n), normals(n), logs(n);
  OnCard<double> fine(n / 2), fine_normals(n / 4);
  draw<<<1, kThreads>>>(words, fours, units, fine, normals, fine_normals, logs);
  const std::vector<unsigned> word = words.fetch();
  EXPECT(word == fours.fetch());
  const std::vector<float> unit = units.fetch(), normal = normals.fetch(), log_normal = logs.fetch();
  const std::vector<double> fine_unit = fine.fetch(), fine_normal = fine_normals.fetch();
  for (int i = 0; i < n; ++i) EXPECT(unit[i] > 0 && unit[i] <= 1 && std::fabs(unit[i] - (word[i] + 0.5) / 4294967296.0) < 1e-7);
  // Box and Muller's pairs, from the words, in double.
  auto turned = [&](int i, bool second) {
    const double u = (word[i] + 0.5) / 4294967296.0, v = (word[i + 1] + 0.5) / 4294967296.0 * 6.283185307179586;
    return std::sqrt(-2 * std::log(u)) * (second ? std::cos(v) : std::sin(v));
  };
  for (int i = 0; i < n; i += 2) EXPECT(std::fabs(normal[i] - turned(i, false)) < 1e-4 && std::fabs(normal[i + 1] - turned(i, true)) < 1e-4);
  for (int i = 0; i < n; ++i) EXPECT(std::fabs(std::log(double(log_normal[i])) - (0.5 + 0.25 * normal[i])) < 1e-5);
  for (double x : fine_unit) EXPECT(x > 0 && x <= 1);
  expect_moments(fine_unit, 0.5, std::sqrt(1 / 12.0), false);
  expect_moments(fine_normal, 0, 1, false);

  int version = 0;
  RAND(curandGetVersion(&version));
  EXPECT(version > 10000);
  curandGenerator_t generator;
  RAND(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10));
  RAND(curandSetPseudoRandomGeneratorSeed(generator, 7));
  RAND(curandSetGeneratorOrdering(generator, CURAND_ORDERING_PSEUDO_BEST));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  RAND(curandSetStream(generator, stream));
  RAND(curandGenerateSeeds(generator));
  OnCard<double> host_made(4096), again(4096);
  RAND(curandGenerateLogNormalDouble(generator, host_made, 4096, -1.0, 0.5));
  CHECK(cudaStreamSynchronize(stream));
  expect_moments(host_made.fetch(), -1.0, 0.5, true);
  RAND(curandSetPseudoRandomGeneratorSeed(generator, 7));  // the same seed, the same numbers
  RAND(curandGenerateLogNormalDouble(generator, again, 4096, -1.0, 0.5));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(host_made.fetch() == again.fetch());
  EXPECT(curandGenerateLogNormalDouble(generator, again, 4095, -1.0, 0.5) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
  RAND(curandDestroyGenerator(generator));
  EXPECT(curandSetStream(nullptr, stream) == CURAND_STATUS_NOT_INITIALIZED);
  EXPECT(curandGenerateSeeds(nullptr) == CURAND_STATUS_NOT_INITIALIZED);
  CHECK(cudaStreamDestroy(stream));
}
