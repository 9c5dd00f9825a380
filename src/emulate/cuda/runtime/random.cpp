// cuRAND's host interface. Value i of a generator is word i of Philox4x32-10 under its seed, so that an offset skips that many
// values.
#include "curand.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "cuda_runtime_api.h"
#include "emulate/cuda/runtime/api.h"

struct curandGenerator_st {
  std::uint64_t seed = 0;
  std::uint64_t next = 0;  // word
  bool is_host = false;
};

namespace starbridge::emulate::cuda {

namespace {

// Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011.
void philox(std::uint64_t counter, std::uint64_t seed, std::uint32_t words[4]) {
  std::uint32_t c[4] = {static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32), 0, 0};
  auto k0 = static_cast<std::uint32_t>(seed), k1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t left = 0xD2511F53ULL * c[0], right = 0xCD9E8D57ULL * c[2];
    const std::uint32_t next[4] = {static_cast<std::uint32_t>(right >> 32) ^ c[1] ^ k0, static_cast<std::uint32_t>(right),
                                   static_cast<std::uint32_t>(left >> 32) ^ c[3] ^ k1, static_cast<std::uint32_t>(left)};
    std::memcpy(c, next, sizeof c);
    k0 += 0x9E3779B9U;
    k1 += 0xBB67AE85U;
  }
  std::memcpy(words, c, sizeof c);
}

class Words {
 public:
  explicit Words(curandGenerator_st& generator) : generator_(generator) {}
  std::uint32_t word() {
    const std::uint64_t block = generator_.next / 4;
    if (!is_filled_ || block != block_) philox(block_ = block, generator_.seed, words_), is_filled_ = true;
    return words_[generator_.next++ % 4];
  }
  // In (0, 1].
  double unit() { return (static_cast<double>(word()) + 1) * 0x1p-32; }
  double fine_unit() {
    const std::uint64_t high = word(), low = word();
    return (static_cast<double>((high << 32 | low) >> 11) + 1) * 0x1p-53;
  }

 private:
  curandGenerator_st& generator_;
  std::uint64_t block_ = 0;
  std::uint32_t words_[4] = {};
  bool is_filled_ = false;
};

template <class T, class Make>
curandStatus_t generate(curandGenerator_t generator, T* to, std::size_t count, const void* place, Make make) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  std::vector<T> values(count);
  Words words(*generator);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(make(words));
  if (count == 0) return CURAND_STATUS_SUCCESS;
  if (generator->is_host) {
    std::memcpy(to, values.data(), count * sizeof(T));
    return CURAND_STATUS_SUCCESS;
  }
  const cudaError_t error = copy(to, values.data(), count * sizeof(T), cudaMemcpyHostToDevice, place);
  return error == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

// Box and Muller, 1958, two at a time: pseudo-random generators ask for an even number.
template <class Change>
auto normals(bool is_fine, Change change) {
  return [is_fine, change, kept = 0.0, has_kept = false](Words& words) mutable {
    has_kept = !has_kept;
    if (!has_kept) return change(kept);
    const double u = is_fine ? words.fine_unit() : words.unit(), v = is_fine ? words.fine_unit() : words.unit();
    const double size = std::sqrt(-2 * std::log(u)), angle = 6.283185307179586 * v;
    kept = size * std::sin(angle);
    return change(size * std::cos(angle));
  };
}

curandStatus_t create(curandGenerator_t* generator, curandRngType_t type, bool is_host) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  if (type < CURAND_RNG_PSEUDO_DEFAULT || type >= CURAND_RNG_QUASI_DEFAULT) return CURAND_STATUS_TYPE_ERROR;
  auto made = std::make_unique<curandGenerator_st>();
  made->is_host = is_host;
  *generator = made.release();
  return CURAND_STATUS_SUCCESS;
}

// Products of uniform numbers for small means (Knuth); large ones are sums of small ones.
std::uint64_t poisson(Words& words, double mean) {
  std::uint64_t count = 0;
  for (; mean > 16; mean -= 16) count += poisson(words, 16);
  const double limit = std::exp(-mean);
  for (double product = words.fine_unit(); product > limit; product *= words.fine_unit()) ++count;
  return count;
}

}  // namespace
}  // namespace starbridge::emulate::cuda

using namespace starbridge::emulate::cuda;

extern "C" {

curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type) {
  return create(generator, type, false);
}
curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t type) {
  return create(generator, type, true);
}
curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  delete generator;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetVersion(int* version) {
  *version = 10305;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t) {
  return generator == nullptr ? CURAND_STATUS_NOT_INITIALIZED : CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  generator->seed = seed;
  generator->next = 0;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  generator->next = offset;
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t) {
  return generator == nullptr ? CURAND_STATUS_NOT_INITIALIZED : CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
  return generator == nullptr ? CURAND_STATUS_NOT_INITIALIZED : CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int* to, size_t count) {
  return generate(generator, to, count, SB_PLACE, [](Words& words) { return words.word(); });
}
curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* to, size_t count) {
  return generate(generator, to, count, SB_PLACE, [](Words& words) { return words.unit(); });
}
curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* to, size_t count) {
  return generate(generator, to, count, SB_PLACE, [](Words& words) { return words.fine_unit(); });
}
curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* to, size_t count, float mean, float deviation) {
  if (count % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  return generate(generator, to, count, SB_PLACE,
                  normals(false, [mean, deviation](double x) { return double{mean} + double{deviation} * x; }));
}
curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* to, size_t count, double mean, double deviation) {
  if (count % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  return generate(generator, to, count, SB_PLACE, normals(true, [mean, deviation](double x) { return mean + deviation * x; }));
}
curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float* to, size_t count, float mean, float deviation) {
  if (count % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  return generate(generator, to, count, SB_PLACE,
                  normals(false, [mean, deviation](double x) { return std::exp(double{mean} + double{deviation} * x); }));
}
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double* to, size_t count, double mean,
                                             double deviation) {
  if (count % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  return generate(generator, to, count, SB_PLACE,
                  normals(true, [mean, deviation](double x) { return std::exp(mean + deviation * x); }));
}
curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned int* to, size_t count, double mean) {
  if (!(mean > 0) || mean > 1e6) return CURAND_STATUS_OUT_OF_RANGE;
  return generate(generator, to, count, SB_PLACE, [mean](Words& words) { return poisson(words, mean); });
}
}
