// Host: the host half of a CUDA source brought to CNRT or ACL by names and ranges; every other byte stays. Pure; any thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "front/node.h"

namespace starbridge::kernel::port {

// What the host's words become, and whose they are then.
struct HostNames {
  std::map<std::string, std::string, std::less<>> words;
  std::string runtime;
};
const HostNames& cnrt_names();
const HostNames& acl_names();

struct HostRequest {
  const HostNames* names = &cnrt_names();
  std::string path;  // as the front end names it
  std::string text;
  std::vector<front::Tree> nodes;              // remove, symbol and launch nodes of this file
  std::set<std::string> own_names;             // of macros and functions the program defines itself, however they sound
  std::map<std::string, std::string> kernels;  // what stands in place of a kernel's definition, by its name
};

// Error: kernel.cannot_port with the place of a host call that has no counterpart.
base::Result<std::string> translate_host(const HostRequest& request);
// Macros and functions that the text defines.
std::set<std::string> defined_names(const std::string& text);
// Names of headers in quotes.
std::vector<std::string> quoted_includes(const std::string& text);

}  // namespace starbridge::kernel::port
