// Branches: code that tells families of devices apart by itself, "if npu ... elif cuda ...", and lists of several of them. Its
// sites are settled: renaming one branch would make it a second branch for the other's card, or a branch nobody takes. Pure; any
// thread.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "port/python/sites.h"

namespace starbridge::port::python {

// Marks the sites in such code and notes the places in sites.branches.
void settle_branches(const Syntax& syntax, std::string_view source, Sites& sites);

// Every site of a file that is one family's own.
void settle_all(Sites& sites);
// Files that exist once per family: cuda_accelerator.py beside npu_accelerator.py, device/mlu/x.py beside device/npu/x.py.
std::set<std::string> files_of_families(const std::vector<std::string>& paths);

}  // namespace starbridge::port::python
