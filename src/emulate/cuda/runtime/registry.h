// Variables of the card that host code names by their shadows. Any thread.
#pragma once

#include <cstddef>
#include <string>

namespace starbridge::emulate::cuda {

struct DeviceVariable {
  std::string name;
  void* address = nullptr;
  std::size_t bytes = 0;
  bool is_constant = false;
};

// By the host's shadow of the variable, or by an address in the variable itself. nullptr: no variable.
const DeviceVariable* find_variable(const void* shadow);
// By its address on the card alone; called by the checkers, after registration is over.
const DeviceVariable* find_variable_at(const void* address);

}  // namespace starbridge::emulate::cuda
