// Series: named numbers by step, read from what a run printed or recorded, and their comparison. Pure; any thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace starbridge::verify {

using Series = std::map<std::string, std::vector<double>>;

// Numbers after the word "loss" in lines ("step 3 loss 1.25", "loss: 0.5", {"loss": 0.5}), in order, as the series "loss"; words
// before it make series of their own ("val_loss").
Series read_printed_losses(std::string_view output);

// How far two numbers may lie apart: |original - port| <= absolute + relative * |original|.
struct Tolerance {
  double relative = 2e-3;
  double absolute = 1e-4;
};

struct SeriesComparison {
  std::string name;
  std::size_t original_count = 0;
  std::size_t port_count = 0;
  double difference_max = 0;                        // absolute
  double relative_max = 0;                          // beside |original|
  std::optional<std::size_t> first_diverging_step;  // index in the series
  bool agrees() const { return !first_diverging_step && original_count == port_count; }
};

std::vector<SeriesComparison> compare(const Series& original, const Series& port, const Tolerance& tolerance);

// A plot of both curves in text, `width` x `height` characters: o original, x port, * both.
std::string plot(const std::vector<double>& original, const std::vector<double>& port, std::size_t width, std::size_t height);

}  // namespace starbridge::verify
