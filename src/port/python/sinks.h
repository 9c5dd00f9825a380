// Sinks: the positions of PyTorch code where a text names a device or a collective. Data; any thread.
#pragma once

#include <string_view>

#include "port/python/flow.h"

namespace starbridge::port::python {

struct PositionalSink {
  std::string_view path;  // function by its dotted path
  int position;
  TextRole role;
};

// Role of a keyword argument of any call, or of a variable, parameter, field or option of this name; nullptr: none.
const TextRole* role_of_name(std::string_view name);
// Role of the arguments of a function of torch; up to two per function.
const PositionalSink* positional_sink(std::string_view path, int position);

// Names that stand for too many things to follow from file to file.
bool is_common_name(std::string_view name);

}  // namespace starbridge::port::python
