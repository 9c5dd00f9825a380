// Discovery: the real cards of this machine, asked of the vendors' management libraries, opened at run time. A library that is
// absent means no cards of its vendor, and no error. Blocking; any thread.
#pragma once

#include <string>
#include <vector>

#include "pool/pool.h"

namespace starbridge::pool {

struct FoundCard {
  std::string vendor;  // "nvidia", "huawei", "cambricon"
  std::string name;    // as the library gives it: "NVIDIA A100-SXM4-80GB"
  std::int64_t memory_bytes = 0;
  int index = 0;
};

// Each opens the library under the given name (tests pass their own) and lists its cards; failures become `warnings`.
std::vector<FoundCard> discover_nvml(const std::string& library, std::vector<std::string>* warnings);   // libnvidia-ml.so.1
std::vector<FoundCard> discover_dcmi(const std::string& library, std::vector<std::string>* warnings);   // libdcmi.so
std::vector<FoundCard> discover_cndev(const std::string& library, std::vector<std::string>* warnings);  // libcndev.so

// The catalogue's chip for a card, by its name and memory; nullptr: not known.
const catalog::Chip* match_chip(const FoundCard& card, const catalog::Catalog& catalog);

// A pool of one node with the real cards; the default emulated pool when there are none.
base::Result<Pool> pool_of_this_machine(const catalog::Catalog& catalog, std::vector<std::string>* warnings = nullptr);

}  // namespace starbridge::pool
