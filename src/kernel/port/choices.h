// Choices: what may be chosen when a kernel is emitted, by default, by the tuner or by hand. Plain values.
#pragma once

namespace starbridge::kernel::port {

struct Choices {
  // Every statement thread by thread, with its operations counted: the port one would get without vectors, to compare with.
  bool is_scalar = false;
  // Variables of kernels that are double are computed as float. Data that lies in memory as double stays refused.
  bool narrows_double = false;
  // Variables whose lives do not meet may lie in one tile. Taken when a block of 1024 threads would not fit otherwise.
  bool shares_tiles = false;
};

}  // namespace starbridge::kernel::port
