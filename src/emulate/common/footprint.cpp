#include "emulate/common/footprint.h"

namespace starbridge::emulate {

void Footprint::note(std::uintptr_t start, std::uint64_t bytes, bool is_write) {
  if (bytes == 0) return;
  const unsigned side = is_write ? 1 : 0;
  for (std::uintptr_t line = start / kLineBytes; line <= (start + bytes - 1) / kLineBytes; ++line) {
    const std::uintptr_t number = line / kPageLines;
    if (pages_.empty()) first_page_ = number;
    if (number < first_page_) {
      std::vector<std::unique_ptr<Page>> more(first_page_ - number);
      for (auto& page : pages_) more.push_back(std::move(page));
      pages_ = std::move(more);
      first_page_ = number;
    }
    if (number - first_page_ >= pages_.size()) pages_.resize(number - first_page_ + 1);
    std::unique_ptr<Page>& page = pages_[number - first_page_];
    if (page == nullptr) page = std::make_unique<Page>();
    std::uint64_t& word = page->seen[side][line % kPageLines / 64];
    const std::uint64_t bit = 1ULL << (line % 64);
    lines_[side] += (word & bit) == 0 ? 1 : 0;
    word |= bit;
  }
}

void Footprint::clear() {
  pages_.clear();
  lines_ = {};
}

}  // namespace starbridge::emulate
