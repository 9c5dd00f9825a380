// Registration: what the compiled host half calls before main, and how kernels and variables are found by their host functions
// and shadows.
#include <cstring>
#include <map>
#include <mutex>

#include "emulate/cuda/runtime/checker.h"
#include "emulate/cuda/runtime/launch.h"
#include "emulate/cuda/runtime/registry.h"

namespace starbridge::emulate::cuda {

namespace {

struct Variables {
  std::mutex mutex;
  std::map<const void*, DeviceVariable> by_shadow;
};

Variables& variables() {
  static auto* instance = new Variables;
  return *instance;
}

KernelTable<Kernel>& kernels() {
  static auto* instance = new KernelTable<Kernel>;
  return *instance;
}

}  // namespace

Kernel* find_kernel(const void* host_function) {
  return kernels().find(host_function, [host_function](Kernel& kernel) {
    kernel.code = find_symbol("__sb_loop$" + kernel.name, host_function);
    kernel.shared = static_cast<const SharedMap*>(find_symbol("__sb_shared$" + kernel.name, host_function));
  });
}

const DeviceVariable* find_variable(const void* shadow) {
  Variables& all = variables();
  std::lock_guard lock(all.mutex);
  auto found = all.by_shadow.find(shadow);
  if (found != all.by_shadow.end()) return &found->second;
  // A symbol may be named by its address on the card too, and by an address inside it.
  for (auto& [key, variable] : all.by_shadow) {
    const auto* start = static_cast<const char*>(variable.address);
    if (shadow >= start && shadow < start + variable.bytes) return &variable;
  }
  return nullptr;
}

const DeviceVariable* find_variable_at(const void* address) {
  for (auto& [key, variable] : variables().by_shadow) {
    const auto* start = static_cast<const char*>(variable.address);
    if (address >= start && address < start + variable.bytes) return &variable;
  }
  return nullptr;
}

}  // namespace starbridge::emulate::cuda

using namespace starbridge::emulate;
using namespace starbridge::emulate::cuda;

extern "C" {

void __cudaRegisterFunction(void**, const char* host_function, char*, const char* name, int, void*, void*, void*, void*, int*) {
  kernels().add(host_function, name);
}
void __sb_register_invoker(const void* host_function, void* invoker, const std::uint32_t* sizes) {
  kernels().add_invoker(host_function, invoker, sizes);
}

void __cudaRegisterVar(void**, char* shadow, char*, const char* name, int, std::size_t bytes, int is_constant, int) {
  void* address = find_symbol(name, shadow);
  Variables& all = variables();
  std::lock_guard lock(all.mutex);
  // A managed variable has one home, the host's; the device half reaches it through a pointer that the pass made.
  std::string holder = std::string("__sb_managed$") + name;
  if (void* pointer = find_symbol(holder, shadow); pointer != nullptr && address != nullptr) {
    std::memcpy(shadow, address, bytes);
    *static_cast<void**>(pointer) = shadow;
    address = shadow;
  }
  all.by_shadow[shadow] = {readable_name(name), address, bytes, is_constant != 0};
}

void __cudaRegisterSurface(void**, const void*, const void**, const char*, int, int) {}
void __cudaRegisterTexture(void**, const void*, const void**, const char*, int, int, int) {}
}
