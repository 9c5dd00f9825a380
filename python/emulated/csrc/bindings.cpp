// Bindings: the door from Python. The Python side reads and checks the profile; here it arrives as plain values.
#include <torch/csrc/Generator.h>
#include <torch/csrc/utils/pybind.h>

#include "alias.h"
#include "allocator.h"
#include "collective.h"
#include "device_state.h"
#include "generator.h"
#include "kernels.h"
#include "op_table.h"

namespace py = pybind11;

namespace starbridge::emulated {
namespace {

OpMode mode_of(const std::string& status) {
  if (status == "cpu_fallback") return OpMode::kFallsBack;
  if (status == "unsupported") return OpMode::kUnsupported;
  return OpMode::kRuns;
}

// rules: (name, status, dtypes_ok, source, is_documentation_only)
using Rule = std::tuple<std::string, std::string, std::vector<std::string>, std::string, bool>;

void configure(const py::dict& settings, const std::vector<Rule>& rules) {
  auto text = [&](const char* key) { return settings[key].cast<std::string>(); };
  int count = settings["device_count"].cast<int>();
  Policy policy;
  policy.label = text("label");
  policy.backend = text("backend");
  policy.chip_name = text("chip_name");
  policy.refuses_fallback = settings["refuses_fallback"].cast<bool>();
  policy.dtypes_source = text("dtypes_source");
  std::vector<OpRule> list;
  for (const auto& [name, status, dtypes, source, is_documentation] : rules) {
    list.push_back({name, mode_of(status), source, dtypes, is_documentation});
  }
  configure_policy(std::move(policy), settings["dtypes_unsupported"].cast<std::vector<std::string>>(), std::move(list));
  configure_memory(text("label"), count, settings["memory_bytes"].cast<int64_t>());
  configure_devices(count);
  configure_generators(count, settings["shares_random_stream"].cast<bool>());
  register_operators();
}

py::dict memory(int device) {
  MemoryCounts counts = memory_counts(device);
  py::dict result;
  result["allocated_bytes"] = counts.allocated_bytes;
  result["allocated_bytes_max"] = counts.allocated_bytes_max;
  result["reserved_bytes"] = counts.reserved_bytes;
  result["reserved_bytes_max"] = counts.reserved_bytes_max;
  result["allocations"] = counts.allocations;
  result["frees"] = counts.frees;
  result["out_of_memory"] = counts.out_of_memory;
  result["allocated_bytes_total"] = counts.allocated_bytes_total;
  result["capacity_bytes"] = memory_capacity(device);
  return result;
}

py::list counts() {
  py::list result;
  for (const CountRow& row : count_rows()) result.append(py::make_tuple(row.op, row.dtype, row.ran, row.fell_back, row.refused));
  return result;
}

}  // namespace
}  // namespace starbridge::emulated

PYBIND11_MODULE(_C, m) {
  using namespace starbridge::emulated;
  m.def("configure", &configure);
  m.def("use_chip_memory", &use_chip_memory);
  m.def("counts", &counts);
  m.def("reset_counts", &reset_counts);
  m.def("memory", &memory);
  m.def("reset_peak", &reset_peak);
  m.def("reset_accumulated", &reset_accumulated);
  m.def("release_cached", &release_cached);
  m.def("set_memory_fraction", &set_memory_fraction);
  m.def("device_count", &device_count);
  m.def("current_device", &current_device);
  m.def("set_device", &set_current_device);
  m.def("default_generator", [](int device) {
    return py::reinterpret_steal<py::object>(THPGenerator_initDefaultGenerator(default_generator(device)));
  });
  m.def("make_collective", &make_collective, py::arg("inner"), py::arg("name"), py::call_guard<py::gil_scoped_release>());
  m.def("share_memory", [](const at::Tensor& tensor) {
    SharedBlock block = share_memory(tensor.storage());
    return py::make_tuple(block.file, block.bytes, block.device);
  });
  m.def("map_shared_memory", [](int file, int64_t bytes, int device) {
    c10::Storage storage = map_shared_memory(file, bytes, device);
    at::Tensor tensor = at::detail::make_tensor<c10::TensorImpl>(std::move(storage), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                                                caffe2::TypeMeta::Make<uint8_t>());
    tensor.unsafeGetTensorImpl()->set_sizes_contiguous({bytes});
    return tensor;
  });
  m.def("host_tensor", [](const at::Tensor& tensor) { return host_tensor(tensor); });
}
