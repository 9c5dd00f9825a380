// Branches: code that tells families of devices apart by itself, "if npu ... elif cuda ...", and lists of several of them. Its
// sites are settled: renaming one branch would make it a second branch for the other's card, or a branch nobody takes. Pure; any
// thread.
#pragma once

#include <array>
#include <set>
#include <string>
#include <vector>

#include "port/python/sites.h"

namespace starbridge::port::python {

// Marks the sites in such code and notes the places in sites.branches.
void settle_branches(const Syntax& syntax, std::string_view source, Sites& sites);

// Every site of a file that is one family's own.
void settle_all(Sites& sites);
// Files that exist once per family: cuda_accelerator.py beside npu_accelerator.py, device/mlu/x.py beside device/npu/x.py, and
// the x.py above such folders.
std::set<std::string> files_of_families(const std::vector<std::string>& paths);

// Which family a project is written for: how often each is named the way code does, by position in families(); the device named
// most.
std::array<std::size_t, 4> count_families(std::string_view source);
std::array<std::size_t, 4> count_families(const Sites& sites);  // of a file alone: what is known to be a device
std::string_view device_of_source(const std::array<std::size_t, 4>& counts);
// Settles what names a family that is neither CUDA nor `device`, which the project is written for: branches for a third card. And
// lines that carry "#ignore-cuda", the remark of a project that keeps watch over its CUDA names itself.
void settle_others(Sites& sites, std::string_view source, std::string_view device);

}  // namespace starbridge::port::python
