#include "verify/series.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "base/text.h"

namespace starbridge::verify {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '/';
}

// A number right after separators; nullopt when something else comes first.
std::optional<double> number_after(std::string_view line, std::size_t at) {
  while (at < line.size() && (line[at] == ' ' || line[at] == ':' || line[at] == '=' || line[at] == '"' || line[at] == '\'' ||
                              line[at] == '\t' || line[at] == '|'))
    ++at;
  if (at < line.size() && line[at] == '+') ++at;
  std::string_view rest = line.substr(at);
  std::string word = base::to_lower(rest.substr(0, 4));
  if (word.substr(0, 3) == "nan") return std::nan("");
  if (word.substr(0, 3) == "inf") return HUGE_VAL;
  if (word == "-inf") return -HUGE_VAL;
  double number = 0;
  auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (failure != std::errc() || end == rest.data()) return std::nullopt;
  return number;
}

bool is_close(double original, double port, const Tolerance& tolerance) {
  if (std::isnan(original) || std::isnan(port)) return std::isnan(original) && std::isnan(port);
  if (std::isinf(original) || std::isinf(port)) return original == port;
  return std::abs(original - port) <= tolerance.absolute + tolerance.relative * std::abs(original);
}

}  // namespace

Series read_printed_losses(std::string_view output) {
  Series series;
  while (!output.empty()) {
    std::size_t end = std::min(output.find('\n'), output.size());
    std::string lower = base::to_lower(output.substr(0, end));
    output.remove_prefix(std::min(output.size(), end + 1));
    for (std::size_t at = lower.find("loss"); at != std::string::npos; at = lower.find("loss", at + 4)) {
      std::size_t begin = at;
      while (begin > 0 && is_word(lower[begin - 1])) --begin;
      std::size_t after = at + 4;
      if (after < lower.size() && is_word(lower[after])) continue;
      if (std::optional<double> number = number_after(lower, after))
        series[lower.substr(begin, after - begin)].push_back(*number);
    }
  }
  return series;
}

std::vector<SeriesComparison> compare(const Series& original, const Series& port, const Tolerance& tolerance) {
  std::set<std::string> names;
  for (const auto& [name, values] : original) names.insert(name);
  for (const auto& [name, values] : port) names.insert(name);
  std::vector<SeriesComparison> comparisons;
  for (const std::string& name : names) {
    static const std::vector<double> kNone;
    const std::vector<double>& left = original.count(name) > 0 ? original.at(name) : kNone;
    const std::vector<double>& right = port.count(name) > 0 ? port.at(name) : kNone;
    SeriesComparison row{name, left.size(), right.size(), 0, 0, std::nullopt};
    for (std::size_t step = 0; step < std::min(left.size(), right.size()); ++step) {
      double difference = std::abs(left[step] - right[step]);
      if (std::isfinite(difference)) {
        row.difference_max = std::max(row.difference_max, difference);
        if (left[step] != 0) row.relative_max = std::max(row.relative_max, difference / std::abs(left[step]));
      }
      if (!row.first_diverging_step && !is_close(left[step], right[step], tolerance)) row.first_diverging_step = step;
    }
    if (!row.first_diverging_step && left.size() != right.size()) row.first_diverging_step = std::min(left.size(), right.size());
    comparisons.push_back(row);
  }
  return comparisons;
}

std::string plot(const std::vector<double>& original, const std::vector<double>& port, std::size_t width, std::size_t height) {
  double low = HUGE_VAL;
  double high = -HUGE_VAL;
  std::size_t count = std::max(original.size(), port.size());
  for (const auto* values : {&original, &port}) {
    for (double value : *values) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  if (count < 2 || low > high || height < 2) return "";
  if (high == low) high = low + 1;
  std::vector<std::string> cells(height, std::string(width, ' '));
  auto draw = [&](const std::vector<double>& values, char mark) {
    for (std::size_t step = 0; step < values.size(); ++step) {
      if (!std::isfinite(values[step])) continue;
      auto column =
          static_cast<std::size_t>(static_cast<double>(step) / static_cast<double>(count - 1) * static_cast<double>(width - 1));
      auto row = static_cast<std::size_t>(std::lround((high - values[step]) / (high - low) * static_cast<double>(height - 1)));
      char& cell = cells[row][column];
      cell = cell == ' ' || cell == mark ? mark : '*';
    }
  };
  draw(original, 'o');
  draw(port, 'x');
  std::string out;
  for (std::size_t row = 0; row < height; ++row) {
    std::string label = row == 0            ? fmt::format("{:>9.4f}", high)
                        : row + 1 == height ? fmt::format("{:>9.4f}", low)
                                            : std::string(9, ' ');
    std::string line = cells[row];
    line.erase(line.find_last_not_of(' ') + 1);
    out += label + " |" + line + "\n";
  }
  return out;
}

}  // namespace starbridge::verify
