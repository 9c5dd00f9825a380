// One import statement as several, for names that live in different modules on a chip. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "port/python/sites.h"

namespace starbridge::port::python {

// The statements that stand for `site`, a "from MODULE import NAMES" of `source`; `targets`: each of its names in order and its
// full name on the chip. Names keep the words by which the file knows them. Nothing where it takes a person: a remark inside the
// list, more than the statement in its lines, a name whose own module would have to be left out of every import.
std::optional<std::string> split_import(std::string_view source, const Site& site,
                                        const std::vector<std::pair<const ImportedName*, std::string>>& targets);

}  // namespace starbridge::port::python
