// cuRAND's host interface: ranges, moments, the published sequence, seeds and offsets, what is refused.
#include <curand.h>
#include <curand_kernel.h>

#include "check.h"

#define RAND(call) EXPECT((call) == CURAND_STATUS_SUCCESS)

struct Moments { double mean = 0, variance = 0, least = 1e300, most = -1e300; };
template <class T> Moments moments(const std::vector<T>& values) {
  Moments m;
  for (T x : values) m.mean += double(x), m.least = std::min(m.least, double(x)), m.most = std::max(m.most, double(x));
  m.mean /= double(values.size());
  for (T x : values) m.variance += (double(x) - m.mean) * (double(x) - m.mean);
  m.variance /= double(values.size());
  return m;
}

int main() {
  const int n = 20000;
  curandGenerator_t generator;
  RAND(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT));
  RAND(curandSetPseudoRandomGeneratorSeed(generator, 42));
  OnCard<float> reals(n);
  RAND(curandGenerateUniform(generator, reals, n));
  const std::vector<float> first = reals.fetch();
  Moments m = moments(first);
  EXPECT(m.least > 0 && m.most <= 1 && std::fabs(m.mean - 0.5) < 0.01 && std::fabs(m.variance - 1.0 / 12) < 0.005);
  RAND(curandGenerateNormal(generator, reals, n, 3.0f, 2.0f));
  m = moments(reals.fetch());
  EXPECT(std::fabs(m.mean - 3) < 0.06 && std::fabs(m.variance - 4) < 0.15);
  RAND(curandGenerateLogNormal(generator, reals, n, 0.0f, 0.5f));
  m = moments(reals.fetch());
  EXPECT(m.least > 0 && std::fabs(m.mean - std::exp(0.125)) < 0.03);
  OnCard<double> fine(n);
  RAND(curandGenerateUniformDouble(generator, fine, n));
  m = moments(fine.fetch());
  EXPECT(m.least > 0 && m.most <= 1 && std::fabs(m.mean - 0.5) < 0.01);
  RAND(curandGenerateNormalDouble(generator, fine, n, -1.0, 0.1));
  EXPECT(std::fabs(moments(fine.fetch()).mean + 1) < 0.004);
  OnCard<unsigned> whole(n);
  RAND(curandGeneratePoisson(generator, whole, n, 40.0));
  m = moments(whole.fetch());
  EXPECT(std::fabs(m.mean - 40) < 0.3 && std::fabs(m.variance - 40) < 2);

  // The same seed gives the same numbers; an offset skips that many.
  RAND(curandSetPseudoRandomGeneratorSeed(generator, 42));
  RAND(curandGenerateUniform(generator, reals, n));
  EXPECT(reals.fetch() == first);
  RAND(curandSetGeneratorOffset(generator, 1001));
  RAND(curandGenerateUniform(generator, reals, 100));
  const std::vector<float> later = reals.fetch();
  for (int i = 0; i < 100; ++i) EXPECT(later[i] == first[1001 + i]);
  RAND(curandSetPseudoRandomGeneratorSeed(generator, 43));
  RAND(curandGenerateUniform(generator, reals, n));
  EXPECT(reals.fetch() != first);

  // The words are Philox's, as kernels make them: published for key and counter of zero as 6627e8d5 e169c58d bc57ac4c 9b00dbd8.
  RAND(curandSetPseudoRandomGeneratorSeed(generator, 0));
  RAND(curandGenerate(generator, whole, n));
  const std::vector<unsigned> words = whole.fetch();
  EXPECT(words[0] == 0x6627e8d5u && words[1] == 0xe169c58du && words[2] == 0xbc57ac4cu && words[3] == 0x9b00dbd8u);

  EXPECT(curandGenerateNormal(generator, reals, 3, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
  EXPECT(curandGeneratePoisson(generator, whole, 2, -1) == CURAND_STATUS_OUT_OF_RANGE);
  curandGenerator_t other = nullptr;
  EXPECT(curandCreateGenerator(&other, CURAND_RNG_QUASI_SOBOL32) == CURAND_STATUS_TYPE_ERROR);
  RAND(curandCreateGeneratorHost(&other, CURAND_RNG_PSEUDO_PHILOX4_32_10));
  std::vector<unsigned> here(8);
  RAND(curandGenerate(other, here.data(), 8));
  for (int i = 0; i < 8; ++i) EXPECT(here[i] == words[i]);
  RAND(curandDestroyGenerator(other));
  RAND(curandDestroyGenerator(generator));
  return 0;
}
