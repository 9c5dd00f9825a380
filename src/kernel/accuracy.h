// Accuracy: how far one set of numbers lies from another, in the figures of both vendors, and whether that is near enough. Pure.
//   diff1 sum|e| / sum|b|, diff2 sqrt(sum e^2 / sum b^2), diff3 largest relative and absolute error, diff4 share of errors
//   upwards: the accuracy standard of mlu-ops. MERE and MARE, mean and largest |e| / (|b| + 1e-7): the ecosystem standard of
//   CANN.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace starbridge::kernel {

// What a program did with its numbers decides how near they must be.
enum class AccuracyClass : std::uint8_t {
  kExact,        // moves, integers, arithmetic in the same order: every bit
  kReordered,    // sums in another order: no farther from a reference in double than twice the original, or the limits and
                 // the rule for small values
  kApproximate,  // functions: the limits
};
std::optional<AccuracyClass> accuracy_class(std::string_view word);  // "exact" or "E", "reordered" or "R", "approximate" or "A"
std::string_view to_string(AccuracyClass which);

enum class Precision : std::uint8_t { kHalf, kBfloat, kSingle, kDouble };
std::optional<Precision> precision(std::string_view word);  // "fp16", "bf16", "fp32", "fp64"
// The limit of MERE for numbers of that precision; MARE may be ten times as large.
double mere_limit(Precision precision);

struct Figures {
  std::uint64_t count = 0;
  std::uint64_t unequal = 0;           // not the same number
  std::uint64_t pattern_unequal = 0;   // NaN or infinity on one side only, or of the other sign
  std::optional<std::uint64_t> first;  // index of the first unequal
  double diff1 = 0, diff2 = 0, diff3_relative = 0, diff3_absolute = 0, diff4_up = 0, diff4_down = 0;
  double mere = 0, mare = 0;
};
// `golden` and `got` have the same size.
Figures measure(const std::vector<double>& golden, const std::vector<double>& got);

// Sums whose terms nearly cancel have no relative accuracy in any order. Where the reference is below `value` of its largest number
// (or of 1, if that is larger), CANN's standard counts errors above `error` (of the same) instead.
struct SmallValues {
  double value, error;
};
SmallValues small_values(Precision precision);
struct SmallErrors {
  std::uint64_t count = 0;   // small values of the reference
  std::uint64_t golden = 0;  // of them, with an error in `golden`
  std::uint64_t got = 0;     // with one in `got`: at most twice as many, where `golden` has at least one
};

struct Verdict {
  bool agrees = false;
  Figures figures;                    // of `got` against `golden`
  std::optional<Figures> golden_own;  // of `golden` against the reference
  std::optional<Figures> got_own;     // of `got` against the reference
  std::optional<SmallErrors> small;   // of a reordered one with a reference
};
// `reference` (the same in double) may be empty.
Verdict judge(AccuracyClass which, Precision precision, const std::vector<double>& golden, const std::vector<double>& got,
              const std::vector<double>& reference);

// The numbers in a program's output, and the words between them with every number as one mark.
struct OutputNumbers {
  std::vector<double> numbers;
  std::string words;
};
OutputNumbers read_numbers(std::string_view output);

}  // namespace starbridge::kernel
