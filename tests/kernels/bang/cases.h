// Built-ins one by one against a plain reference on the host, at lengths that are and are not multiples of anything.
#pragma once

#include <bang.h>

#include <cstring>
#include <limits>
#include <string>

#include "check.h"

constexpr int kCaseMax = 1024;
constexpr int kLengths[] = {1, 7, 64, 100, 333, 1024};

__nram__ char case_first[kCaseMax * 8], case_second[kCaseMax * 8], case_result[kCaseMax * 8];

// As an element of the chip. The host's compiler has no rounding of its own to bfloat16: to the nearest, even.
template <class T>
T case_element(double value) {
  if constexpr (std::is_same_v<T, bfloat16_t>) {
    const float single = static_cast<float>(value);
    unsigned bits = 0;
    std::memcpy(&bits, &single, sizeof bits);
    if (single == single) bits += 0x7fff + (bits >> 16 & 1);
    const unsigned short upper = static_cast<unsigned short>(bits >> 16);
    T result;
    std::memcpy(&result, &upper, sizeof result);
    return result;
  } else {
    return static_cast<T>(static_cast<float>(value));
  }
}

// Inputs of every kind: small, whole, negative, zero, large, subnormal, infinite.
template <class T>
std::vector<T> case_inputs(int n, unsigned seed, bool is_tame) {
  Inputs inputs;
  inputs.state = seed;
  std::vector<T> values(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    const unsigned draw = inputs.next();
    double value = static_cast<int>(draw % 2001) / 100.0 - 10.0;
    if (draw % 7 == 1) value = static_cast<int>(draw % 9) - 4;
    if (draw % 11 == 2) value = 0;
    if (!is_tame && !std::numeric_limits<T>::is_integer) {
      if (draw % 23 == 3) value = 60000.0;
      if (draw % 23 == 4) value = 3e-6;
      if (draw % 23 == 5) value = std::numeric_limits<double>::infinity();
    }
    values[static_cast<std::size_t>(i)] = case_element<T>(value);
    if constexpr (std::numeric_limits<T>::is_integer)
      values[static_cast<std::size_t>(i)] = is_tame ? static_cast<T>(static_cast<int>(value)) : static_cast<T>(static_cast<long long>(draw) * 2654435761LL);
  }
  return values;
}

template <class T>
bool case_same(T got, T wanted) {
  if (got != got || wanted != wanted) return got != got && wanted != wanted;
  return std::memcmp(&got, &wanted, sizeof got) == 0 || got == wanted;
}

template <class To>
void case_compare(const char* name, const std::vector<To>& got, const std::vector<To>& wanted, double tolerance) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (case_same(got[i], wanted[i])) continue;
    const double error = std::fabs(static_cast<double>(got[i]) - static_cast<double>(wanted[i]));
    if (error <= tolerance * std::max(1e-6, std::fabs(static_cast<double>(wanted[i])))) continue;
    std::printf("%s at %zu of %zu: got %.9g, wanted %.9g\n", name, i, wanted.size(), static_cast<double>(got[i]), static_cast<double>(wanted[i]));
    std::exit(1);
  }
}

// Case::run(dst, a, b, n) on the chip.
template <class Case, class To, class From>
__mlu_entry__ void case_kernel(To* to, const From* a, const From* b, int n) {
  From* first = (From*)case_first;
  From* second = (From*)case_second;
  To* result = (To*)case_result;
  __memcpy(first, a, n * sizeof(From), GDRAM2NRAM);
  __memcpy(second, b, n * sizeof(From), GDRAM2NRAM);
  Case::run(result, first, second, n);
  __memcpy(to, result, n * sizeof(To), NRAM2GDRAM);
}

inline int& case_count() {
  static int count = 0;
  return count;
}

template <class To, class From>
struct Called {
  void (*launch)(To* to, const From* a, const From* b, int n, cnrtQueue_t queue);
  To (*reference)(From a, From b);
};

template <class To, class From>
void run_case(const char* name, Called<To, From> called, bool is_tame, double tolerance) {
  Queue queue;
  for (int n : kLengths) {
    const std::vector<From> a = case_inputs<From>(n, 17u + n, is_tame), b = case_inputs<From>(n, 91u + n, is_tame);
    OnChip<From> a_chip(a), b_chip(b);
    OnChip<To> to(static_cast<std::size_t>(n));
    called.launch(to, a_chip, b_chip, n, queue);
    queue.sync();
    std::vector<To> wanted;
    for (int i = 0; i < n; ++i) wanted.push_back(called.reference(a[i], b[i]));
    case_compare(name, to.fetch(), wanted, tolerance);
  }
  ++case_count();
}

inline int finish_cases() {
  std::printf("%d cases ok\n", case_count());
  return 0;
}

// One built-in: how it is called on the chip (d, a, b, n) and what one element (x, y) of type From becomes.
#define CASE(id, To, From, is_tame, tolerance, call, expression)                                     \
  {                                                                                                  \
    struct Case {                                                                                    \
      static __mlu_func__ void run(To* d, const From* a, const From* b, int n) { call; }             \
      static To reference(From x, From y) { return static_cast<To>(expression); }                    \
      static void launch(To* to, const From* a, const From* b, int n, cnrtQueue_t queue) {           \
        case_kernel<Case, To, From><<<cnrtDim3_t{1, 1, 1}, cnrtFuncTypeBlock, queue>>>(to, a, b, n); \
      }                                                                                              \
    };                                                                                               \
    run_case<To, From>(id, {&Case::launch, &Case::reference}, is_tame, tolerance);                   \
  }
