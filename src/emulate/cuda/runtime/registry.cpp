// Registration: what the compiled host half calls before main, and how kernels and variables are found by their stubs and
// shadows.
#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "emulate/cuda/runtime/checker.h"
#include "emulate/cuda/runtime/launch.h"
#include "emulate/cuda/runtime/registry.h"

namespace starbridge::emulate::cuda {

namespace {

struct Registry {
  std::mutex mutex;
  std::map<const void*, Kernel> kernels;
  std::map<const void*, DeviceVariable> variables;
};

Registry& registry() {
  static Registry* instance = new Registry;
  return *instance;
}

std::string readable(const char* mangled) {
  int status = 0;
  char* text = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  std::string result = status == 0 ? text : mangled;
  std::free(text);
  return result;
}

}  // namespace

Kernel* find_kernel(const void* stub) {
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  auto found = all.kernels.find(stub);
  if (found == all.kernels.end()) return nullptr;
  Kernel& kernel = found->second;
  if (kernel.loop == nullptr) {
    kernel.loop = dlsym(RTLD_DEFAULT, ("__sb_loop$" + kernel.name).c_str());
    kernel.shared = static_cast<const SharedMap*>(dlsym(RTLD_DEFAULT, ("__sb_shared$" + kernel.name).c_str()));
  }
  return &kernel;
}

const DeviceVariable* find_variable(const void* shadow) {
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  auto found = all.variables.find(shadow);
  if (found != all.variables.end()) return &found->second;
  // A symbol may be named by its address on the card too, and by an address inside it.
  for (auto& [key, variable] : all.variables) {
    const auto* start = static_cast<const char*>(variable.address);
    if (shadow >= start && shadow < start + variable.bytes) return &variable;
  }
  return nullptr;
}

const DeviceVariable* find_variable_at(const void* address) {
  for (auto& [key, variable] : registry().variables) {
    const auto* start = static_cast<const char*>(variable.address);
    if (address >= start && address < start + variable.bytes) return &variable;
  }
  return nullptr;
}

}  // namespace starbridge::emulate::cuda

using namespace starbridge::emulate;
using namespace starbridge::emulate::cuda;

extern "C" {

void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}

void __cudaRegisterFunction(void**, const char* stub, char*, const char* name, int, void*, void*, void*, void*, int*) {
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  Kernel& kernel = all.kernels[stub];
  kernel.name = name;
  kernel.readable = readable(name);
}

void __sb_register_invoker(const void* stub, void* invoker, const std::uint32_t* sizes) {
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  for (; *sizes != ~0U; ++sizes) all.kernels[stub].argument_bytes.push_back(*sizes);
  all.kernels[stub].invoke = reinterpret_cast<Invoker>(invoker);
}

void __cudaRegisterVar(void**, char* shadow, char*, const char* name, int, std::size_t bytes, int is_constant, int) {
  void* address = dlsym(RTLD_DEFAULT, name);
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  // A managed variable has one home, the host's; the device half reaches it through a pointer that the pass made.
  std::string holder = std::string("__sb_managed$") + name;
  if (void* pointer = dlsym(RTLD_DEFAULT, holder.c_str()); pointer != nullptr && address != nullptr) {
    std::memcpy(shadow, address, bytes);
    *static_cast<void**>(pointer) = shadow;
    address = shadow;
  }
  all.variables[shadow] = {readable(name), address, bytes, is_constant != 0};
}

void __cudaRegisterManagedVar(void**, void**, char*, const char*, std::size_t, unsigned) {}
void __cudaRegisterSurface(void**, const void*, const void**, const char*, int, int) {}
void __cudaRegisterTexture(void**, const void*, const void**, const char*, int, int, int) {}
char __cudaInitModule(void**) { return 1; }
}
