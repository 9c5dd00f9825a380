// Cards that the emulator can stand for: data/emulate/cuda_cards.tsv. Plain values; any thread.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace starbridge::kernel {

struct EmulatedCard {
  std::string id;      // "a100"
  std::string name;    // as the card itself reports it
  int capability = 0;  // 80
  std::string row;     // what the runtime reads: the fields from the name on, separated by tabs
};

// Errors: catalog.bad_data, those of reading.
base::Result<std::vector<EmulatedCard>> emulated_cards();
// Error: kernel.unknown_card, with the nearest name.
base::Result<EmulatedCard> find_card(const std::string& id);

}  // namespace starbridge::kernel
