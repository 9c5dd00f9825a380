// Cards that the emulator can stand for: the tables of data/emulate. Plain values; any thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/machine.h"

namespace starbridge::kernel {

struct EmulatedCard {
  std::string id;                           // "a100"
  std::string name;                         // as the card itself reports it
  std::string row;                          // what the runtime reads: the fields from the name on, separated by tabs
  std::vector<std::string> options;         // of the compiler, for both halves of a program
  std::vector<std::string> device_options;  // for the card's half alone
  std::map<std::string, long long, std::less<>> numbers;  // by the names of the table's columns
};

// Errors: catalog.bad_data, those of reading.
base::Result<std::vector<EmulatedCard>> emulated_cards(const Machine& machine);
// An empty id: the machine's default. Error: kernel.unknown_card, with the cards there are.
base::Result<EmulatedCard> find_card(const Machine& machine, const std::string& id);

}  // namespace starbridge::kernel
