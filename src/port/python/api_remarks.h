// ApiRemarks: the codes of the support tables in words. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/text.h"

namespace starbridge::port::python {

// "torch.erfinv has limits on Ascend 910B3: lower precision"; `codes` as in data/compat, separated by commas, may be empty.
base::Text describe_limits(const std::string& api, const std::string& chip, std::string_view codes);

}  // namespace starbridge::port::python
