// ShareTiles: which variables kept per thread may lie in one tile, one after the other. For kernels whose variables would not fit
// the core's memory each in a tile of its own. Pure; any thread.
#pragma once

#include <map>
#include <string>

#include "front/node.h"

namespace starbridge::kernel::port {

// For each of `tiles` that may take over another's tile: whose. Only of equal width, since threads go through a statement one
// after the other where it has no vector; only where an assignment of all of it begins each life, so that nothing is carried
// over.
std::map<std::string, std::string> share_tiles(const front::Tree& body, const std::map<std::string, int>& tiles);

}  // namespace starbridge::kernel::port
