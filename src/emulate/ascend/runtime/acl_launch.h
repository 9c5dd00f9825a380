// What the pieces of ACL share: launches of a kernel, and what aclGetRecentErrMsg tells. One thread.
#pragma once

#include <string>

#include "acl/acl_base.h"
#include "emulate/ascend/runtime/task.h"

namespace starbridge::emulate::ascend {

// Puts a launch into the stream. The arguments are copied.
aclError launch(Kernel* kernel, unsigned blocks, unsigned tiling_key, void** arguments, aclrtStream stream, const void* place);
// `code`, after `words` were kept.
aclError fail_with(aclError code, std::string words);

}  // namespace starbridge::emulate::ascend
