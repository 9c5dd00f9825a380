// device_profile: what the emulated PyTorch device needs to know to behave like `count` cards of a chip: names, memory, dtypes
// and operators its plug-in lacks. Pure; any thread.
//
// Schema starbridge.device_profile/1:
//   {schema, chip, chip_name, vendor, backend, torch_device, plugin_module, dist_backend, memory_bytes, device_count,
//    visible_devices_env, properties{...}, dtypes_unsupported[], dtypes_limited[],
//    ops{"aten::x": {status: cpu_fallback|unsupported, source}}, dtype_limits{"aten::x": {dtypes_ok[], source}},
//    policy{fallback: warn}, torch_version_of_lists, sources{id: ref}}
// Only operators that a source calls missing are listed in ops (all overloads by their full names); absent ones run.
// dtype_limits repeats what the vendor's pages say is allowed; pages are fallible, so exceeding them deserves a warning only.
#pragma once

#include <string_view>

#include "base/json_fwd.h"
#include "base/result.h"
#include "catalog/api_table.h"
#include "catalog/catalog.h"

namespace starbridge::catalog {

struct ProfileOptions {
  int device_count = 1;            // 1..64
  std::string_view torch_version;  // of the plug-in whose lists are used; empty: the newest known
};

// Error: catalog.no_profile when the chip keeps torch.cuda (nothing to emulate) or its memory is unknown.
base::Result<base::Json> device_profile(const Chip& chip, const ApiTable& table, const ProfileOptions& options);

}  // namespace starbridge::catalog
