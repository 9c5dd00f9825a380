// Machines: what kind of chip a kernel program is written for, and which headers, library and cards stand for it. Plain data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace starbridge::kernel {

struct Machine {
  std::string_view id;                // folder of src/emulate: "cuda"
  std::string_view extension;         // of its sources: ".cu"
  std::string_view header_extension;  // ".cuh"
  std::string_view door;              // the header every program of it reads first
  std::string_view pass_mode;         // what the compiler's pass is told, before "run" or "check"
  std::string_view names;             // regular expression of the names its headers declare, for suggestions
  std::string_view default_card;
};

const std::vector<Machine>& machines();
const Machine& cuda_machine();
// By the ending of a source, of a .cpp file by its words; nullptr: a plain source of the host, or another file.
const Machine* machine_of_source(const std::string& path);

}  // namespace starbridge::kernel
