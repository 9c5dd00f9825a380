// Warp operations in their old and new forms and in sections, reductions over part of a warp, loads and stores with hints, the spaces of
// pointers, fast functions: each against a loop over the lanes or the C library.
#include <mma.h>

#include <cstring>

#include "check.h"

constexpr int kAnswers = 24;

__global__ void lanes(const int* in, int* out, int width) {
  const int lane = threadIdx.x, v = in[lane];
  int* to = out + lane * kAnswers;
  const unsigned all = 0xffffffffu;
  to[0] = __shfl(v, lane * 7 + 3, width), to[1] = __shfl_up(v, 3, width), to[2] = __shfl_down(v, 5, width), to[3] = __shfl_xor(v, 6, width);
  to[4] = __shfl_sync(all, v, lane * 7 + 3, width), to[5] = __shfl_up_sync(all, v, 3, width), to[6] = __shfl_down_sync(all, v, 5, width), to[7] = __shfl_xor_sync(all, v, 6, width);
  to[8] = int(__ballot(v % 3 == 0)), to[9] = __any(v == in[5]) != 0, to[10] = __all(v >= 0) != 0, to[11] = int(__activemask());
  to[12] = int(__ballot_sync(all, v % 3 == 0)), to[13] = __any_sync(all, v > 1000000) != 0, to[14] = __all_sync(all, v >= 0) != 0;
  const unsigned part = lane % 3 == 0 ? 0x49249249u : lane % 3 == 1 ? 0x92492492u : 0x24924924u;  // every third lane
  to[15] = __reduce_add_sync(part, v), to[16] = __reduce_min_sync(part, v), to[17] = __reduce_max_sync(part, v);
  to[18] = int(__reduce_and_sync(part, unsigned(v))), to[19] = int(__reduce_or_sync(part, unsigned(v))), to[20] = int(__reduce_xor_sync(part, unsigned(v)));
  to[21] = int(__match_any_sync(all, v % 4));
  int same = 0;
  to[22] = int(__match_all_sync(part, v, &same)) * (same != 0), to[23] = int(__reduce_max_sync(all, unsigned(v)) & 0x7fffffff);
}

__constant__ int fixed[2] = {3, 4};

__global__ void hints(const int* in, int* out, float* f, float x) {
  __shared__ int block_word;
  int own = 0;
  out[0] = __ldg(in), out[1] = __ldca(in + 1), out[2] = __ldcg(in + 2), out[3] = __ldcs(in + 3), out[4] = __ldcv(in + 4), out[5] = __ldlu(in + 5);
  __stwb(out + 6, in[6]), __stcg(out + 7, in[7]), __stcs(out + 8, in[8]), __stwt(out + 9, in[9]);
  block_word = 1;
  int* volatile hidden = &own;
  out[10] = __isGlobal(in) != 0, out[11] = __isGlobal(&block_word) != 0, out[12] = __isShared(&block_word) != 0, out[13] = __isShared(in) != 0;
  out[14] = __isLocal(hidden) != 0, out[15] = __isLocal(in) != 0, out[16] = __isConstant(&fixed[1]) != 0, out[17] = __isConstant(in) != 0;
  out[18] = *(const int*)__cvta_global_to_generic(__cvta_generic_to_global(in + 3));
  out[19] = *(const int*)__cvta_shared_to_generic(__cvta_generic_to_shared(&block_word));
  __threadfence_block(), __threadfence_system(), __nanosleep(100), __prof_trigger(1);
  float s, c;
  __sincosf(x, &s, &c);
  f[0] = s, f[1] = c, f[2] = __tanf(x), f[3] = __tanhf(x), f[4] = __exp10f(x), f[5] = __log10f(x), f[6] = nvcuda::wmma::__float_to_tf32(1 + 0x1p-11f + 0x1p-20f);
  f[7] = nvcuda::wmma::__float_to_tf32(1 + 0x1p-12f), f[8] = __log2f(x), f[9] = __expf(x), f[10] = __powf(x, 1.7f), f[11] = __saturatef(x - 5), f[12] = __frsqrt_rn(x);
}

int main() {
  Inputs inputs;
  const std::vector<int> v = inputs.ints(32, 1000);
  OnCard<int> in(v), out(32 * kAnswers);
  for (int width : {32, 16, 8, 4}) {
    lanes<<<1, 32>>>(in, out, width);
    const std::vector<int> got = out.fetch();
    for (int lane = 0; lane < 32; ++lane) {
      const int* at = &got[lane * kAnswers];
      const int base = lane / width * width;
      const int up = lane - 3 < base ? lane : lane - 3, down = lane + 5 >= base + width ? lane : lane + 5;
      const int across = (lane ^ 6) >= base + width ? lane : lane ^ 6;
      const int index[4] = {base + (lane * 7 + 3) % width, up, down, across};
      for (int k = 0; k < 8; ++k) EXPECT(at[k] == v[index[k % 4]]);
      unsigned thirds = 0, like = 0;
      int sum = 0, least = 1 << 30, most = -1, both = -1, either = 0, odd = 0, top = 0;
      bool is_one_value = true;
      for (int other = 0; other < 32; ++other) {
        if (v[other] % 3 == 0) thirds |= 1u << other;
        if (v[other] % 4 == v[lane] % 4) like |= 1u << other;
        top = std::max(top, v[other]);
        if (other % 3 != lane % 3) continue;
        sum += v[other], least = std::min(least, v[other]), most = std::max(most, v[other]), both &= v[other], either |= v[other], odd ^= v[other];
        is_one_value = is_one_value && v[other] == v[lane];
      }
      EXPECT(at[8] == int(thirds) && at[12] == int(thirds) && at[9] == 1 && at[10] == 1 && at[11] == -1 && at[13] == 0 && at[14] == 1);
      EXPECT(at[15] == sum && at[16] == least && at[17] == most && at[18] == both && at[19] == either && at[20] == odd);
      EXPECT(at[21] == int(like) && !is_one_value && at[22] == 0 && at[23] == top);
    }
  }
  OnCard<int> words(20);
  OnCard<float> f(13);
  const float x = 0.7f;
  hints<<<1, 1>>>(in, words, f, x);
  const std::vector<int> w = words.fetch();
  for (int i = 0; i < 10; ++i) EXPECT(w[i] == v[i]);
  const std::vector<int> spaces = {1, 0, 1, 0, 1, 0, 1, 0, v[3], 1};
  EXPECT(std::equal(spaces.begin(), spaces.end(), w.begin() + 10));
  const double d = x;
  const std::vector<double> wanted = {std::sin(d), std::cos(d), std::tan(d), std::tanh(d), std::pow(10, d), std::log10(d), 1 + 0x1p-10, 1, std::log2(d), std::exp(d), std::pow(d, double(1.7f)), 0, 1 / std::sqrt(d)};
  const std::vector<float> got = f.fetch();
  for (int i = 0; i < 13; ++i) EXPECT(std::fabs(got[i] - wanted[i]) <= 2e-6 * std::fabs(wanted[i]));
}
