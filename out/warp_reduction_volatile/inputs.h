// What the programs of all chips share: expectations, a small generator of inputs, comparison with the host's result.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define EXPECT(condition)                                                                \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
      std::exit(1);                                                                      \
    }                                                                                    \
  } while (0)

// Numbers that look random and are the same everywhere: a linear congruential generator (Knuth, MMIX constants).
struct Inputs {
  unsigned long long state = 12345;
  unsigned next() {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<unsigned>(state >> 33);
  }
  float unit() { return static_cast<float>(next() % 20001) / 10000.0f - 1.0f; }
  std::vector<float> floats(int count) {
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values) value = unit();
    return values;
  }
  std::vector<int> ints(int count, int below) {
    std::vector<int> values(static_cast<std::size_t>(count));
    for (int& value : values) value = static_cast<int>(next() % static_cast<unsigned>(below));
    return values;
  }
};

inline void same(const std::vector<float>& got, const std::vector<float>& wanted, double tolerance) {
  EXPECT(got.size() == wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    double error = std::fabs(double(got[i]) - double(wanted[i]));
    if (!(error <= tolerance * std::max(1.0, std::fabs(double(wanted[i]))))) {
      std::printf("at %zu: got %g, wanted %g\n", i, double(got[i]), double(wanted[i]));
      std::exit(1);
    }
  }
}
