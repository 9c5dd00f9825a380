// What the Python packages call.
#include <torch/csrc/utils/pybind.h>
#include <torch/extension.h>

#include "collective.h"
#include "generator.h"
#include "machine.h"

namespace starbridge::device {

void register_hooks();

namespace {

void configure(const std::string& chip_name, const std::string& backend, int device_count, std::int64_t memory_bytes, const std::vector<py::object>& dtypes_unsupported,
               const std::map<std::string, std::pair<bool, std::string>>& rules, bool refuses_fallback) {
  Config config;
  config.chip_name = chip_name;
  config.backend = backend;
  config.device_count = device_count;
  config.memory_bytes = memory_bytes;
  for (const py::object& dtype : dtypes_unsupported) config.dtypes_unsupported.insert(dtype.cast<c10::ScalarType>());
  for (const auto& [name, rule] : rules) config.rules[name] = {rule.first, rule.second};
  config.refuses_fallback = refuses_fallback;
  Machine::get().configure(std::move(config));
  register_hooks();
}

}  // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  py::module::import("torch.distributed");  // knows c10d::Backend for Python
  m.def("configure", &configure);
  m.def("device_count", [] { return Machine::get().config().device_count; });
  m.def("current_device", [] { return Machine::get().current_device(); });
  m.def("set_device", [](int index) { Machine::get().set_device(index); });
  m.def("memory", [](int device) {
    Memory memory = Machine::get().memory(device);
    return std::make_tuple(memory.allocated, memory.peak, memory.allocation_count);
  });
  m.def("reset_peak", [](int device) { Machine::get().reset_peak(device); });
  m.def("counts", [] { return Machine::get().counts(); });
  m.def("default_generator", [](int device) { return default_generator(device); });
  py::class_<Collective, c10::intrusive_ptr<Collective>, c10d::Backend>(m, "Collective").def(py::init<c10::intrusive_ptr<c10d::Backend>, std::string>());
}

}  // namespace starbridge::device
