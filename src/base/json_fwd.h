// Json: the one JSON value type of the house, keys in the order they were written. Include base/json.h to use it.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace starbridge::base {
using Json = nlohmann::ordered_json;
}
