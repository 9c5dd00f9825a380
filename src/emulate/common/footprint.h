// Footprint: which lines of the chip's memory a launch reads and writes, each counted once. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace starbridge::emulate {

class Footprint {
 public:
  static constexpr std::uintptr_t kLineBytes = 64;

  void note(std::uintptr_t start, std::uint64_t bytes, bool is_write);
  std::uint64_t bytes_read() const { return lines_[0] * kLineBytes; }
  std::uint64_t bytes_written() const { return lines_[1] * kLineBytes; }
  void clear();

 private:
  static constexpr std::uintptr_t kPageLines = 1U << 14;
  struct Page {
    std::array<std::array<std::uint64_t, kPageLines / 64>, 2> seen{};
  };
  std::uintptr_t first_page_ = 0;  // number of pages_[0]
  std::vector<std::unique_ptr<Page>> pages_;
  std::array<std::uint64_t, 2> lines_{};
};

}  // namespace starbridge::emulate
