#include "kernel/accuracy.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include "base/check.h"

namespace starbridge::kernel {

std::optional<AccuracyClass> accuracy_class(std::string_view word) {
  if (word == "exact" || word == "E") return AccuracyClass::kExact;
  if (word == "reordered" || word == "R") return AccuracyClass::kReordered;
  if (word == "approximate" || word == "A") return AccuracyClass::kApproximate;
  return std::nullopt;
}

std::string_view to_string(AccuracyClass which) {
  return which == AccuracyClass::kExact ? "exact" : which == AccuracyClass::kReordered ? "reordered" : "approximate";
}

std::optional<Precision> precision(std::string_view word) {
  if (word == "fp16") return Precision::kHalf;
  if (word == "bf16") return Precision::kBfloat;
  if (word == "fp32") return Precision::kSingle;
  if (word == "fp64") return Precision::kDouble;
  return std::nullopt;
}

double mere_limit(Precision precision) {
  switch (precision) {
    case Precision::kHalf:
      return 0x1p-10;
    case Precision::kBfloat:
      return 0x1p-7;
    case Precision::kSingle:
      return 0x1p-13;
    case Precision::kDouble:
      break;
  }
  return 0x1p-40;  // no vendor states one; as far above the last bit (2^-52) as 2^-13 is above that of single precision, and a bit
}

Figures measure(const std::vector<double>& golden, const std::vector<double>& got) {
  SB_CHECK(golden.size() == got.size());
  Figures f;
  f.count = golden.size();
  double error_sum = 0, golden_sum = 0, error_square = 0, golden_square = 0, mere_sum = 0;
  std::uint64_t up = 0, down = 0, finite = 0;
  for (std::size_t i = 0; i < golden.size(); ++i) {
    const double b = golden[i], e = got[i] - b;
    const bool both_nan = std::isnan(b) && std::isnan(got[i]);
    const bool is_same = both_nan || b == got[i];
    if (!is_same) {
      ++f.unequal;
      if (!f.first) f.first = i;
    }
    if (!std::isfinite(b) || !std::isfinite(got[i])) {
      f.pattern_unequal += is_same ? 0 : 1;
      continue;
    }
    ++finite;
    const double size = std::fabs(e);
    error_sum += size, golden_sum += std::fabs(b);
    error_square += e * e, golden_square += b * b;
    if (b != 0) f.diff3_relative = std::max(f.diff3_relative, size / std::fabs(b));
    f.diff3_absolute = std::max(f.diff3_absolute, size);
    const double relative = size / (std::fabs(b) + 1e-7);
    mere_sum += relative;
    f.mare = std::max(f.mare, relative);
    up += e > 0 ? 1 : 0, down += e < 0 ? 1 : 0;
  }
  // A base of zeros has no share: any error against it is infinitely large.
  auto share = [](double error, double base) { return error == 0 ? 0 : base == 0 ? HUGE_VAL : error / base; };
  f.diff1 = share(error_sum, golden_sum);
  f.diff2 = std::sqrt(share(error_square, golden_square));
  f.mere = finite == 0 ? 0 : mere_sum / static_cast<double>(finite);
  if (up + down > 0) {
    f.diff4_up = static_cast<double>(up) / static_cast<double>(up + down);
    f.diff4_down = static_cast<double>(down) / static_cast<double>(up + down);
  }
  return f;
}

SmallValues small_values(Precision precision) {
  switch (precision) {
    case Precision::kHalf:
      return {0x1p-11, 0x1p-16};
    case Precision::kBfloat:
      return {0x1p-8, 0x1p-16};
    case Precision::kSingle:
      return {0x1p-14, 0x1p-30};
    case Precision::kDouble:
      break;
  }
  return {0x1p-41, 0x1p-59};  // as far above the last bit as in single precision
}

namespace {

double largest(const std::vector<double>& values) {
  double result = 0;
  for (double each : values) result = std::isfinite(each) ? std::max(result, std::fabs(each)) : result;
  return result;
}

// Within the limits where the reference is not small, and with few enough errors where it is.
bool is_within_but_small(Precision precision, const std::vector<double>& golden, const std::vector<double>& got,
                         const std::vector<double>& reference, SmallErrors& small) {
  const SmallValues limits = small_values(precision);
  const double unit = std::max(1.0, largest(reference));
  std::vector<double> others, others_got;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    if (std::fabs(reference[i]) < limits.value * unit) {
      ++small.count;
      small.golden += std::fabs(golden[i] - reference[i]) > limits.error * unit ? 1 : 0;
      small.got += std::fabs(got[i] - reference[i]) > limits.error * unit ? 1 : 0;
    } else {
      others.push_back(reference[i]);
      others_got.push_back(got[i]);
    }
  }
  const Figures f = measure(others, others_got);
  const double limit = mere_limit(precision);
  return f.mere <= limit && f.mare <= 10 * limit && small.got <= 2 * std::max<std::uint64_t>(small.golden, 1);
}

}  // namespace

Verdict judge(AccuracyClass which, Precision precision, const std::vector<double>& golden, const std::vector<double>& got,
              const std::vector<double>& reference) {
  Verdict verdict;
  verdict.figures = measure(golden, got);
  if (!reference.empty()) {
    verdict.golden_own = measure(reference, golden);
    verdict.got_own = measure(reference, got);
  }
  if (verdict.figures.pattern_unequal > 0) return verdict;
  if (which == AccuracyClass::kExact) {
    verdict.agrees = verdict.figures.unequal == 0;
    return verdict;
  }
  const double limit = mere_limit(precision);
  auto is_within = [&](const Figures& f) { return f.pattern_unequal == 0 && f.mere <= limit && f.mare <= 10 * limit; };
  if (which == AccuracyClass::kReordered && verdict.got_own) {
    const bool is_no_worse = verdict.got_own->pattern_unequal == 0 && verdict.got_own->mere <= 2 * verdict.golden_own->mere &&
                             verdict.got_own->mare <= 2 * verdict.golden_own->mare;
    verdict.small.emplace();
    const bool is_within_rule = verdict.got_own->pattern_unequal == 0 &&
                                is_within_but_small(precision, golden, got, reference, *verdict.small);
    verdict.agrees = is_no_worse || is_within(*verdict.got_own) || is_within_rule;
    return verdict;
  }
  verdict.agrees = is_within(verdict.figures);
  return verdict;
}

OutputNumbers read_numbers(std::string_view output) {
  OutputNumbers result;
  const std::string text(output);
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const bool starts_word =
        at == 0 || (std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0 && text[at - 1] != '_' && text[at - 1] != '.');
    const bool may_be_number = std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '+' || c == '.' || c == 'n' ||
                               c == 'i' || c == 'N' || c == 'I';
    if (starts_word && may_be_number) {
      char* end = nullptr;
      const double number = std::strtod(text.c_str() + at, &end);
      const auto next = static_cast<std::size_t>(end - text.c_str());
      const bool ends_word =
          next >= text.size() || (std::isalpha(static_cast<unsigned char>(text[next])) == 0 && text[next] != '_');
      if (next > at && ends_word) {
        result.numbers.push_back(number);
        result.words += '#';
        at = next;
        continue;
      }
    }
    result.words += c;
    ++at;
  }
  return result;
}

}  // namespace starbridge::kernel
