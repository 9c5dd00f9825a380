// Registration: what the compiled host half calls before main, and how kernels are found by their stubs.
#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdlib>
#include <map>
#include <mutex>

#include "emulate/bang/runtime/shadow.h"
#include "emulate/bang/runtime/task.h"
#include "emulate/common/settings.h"

namespace starbridge::emulate::bang {

namespace {

struct Registry {
  std::mutex mutex;
  std::map<const void*, Kernel> kernels;
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
  if (kernel.code == nullptr) {
    kernel.code = dlsym(RTLD_DEFAULT, kernel.name.c_str());
    kernel.spaces = static_cast<const SpaceMap*>(dlsym(RTLD_DEFAULT, ("__sb_spaces$" + kernel.name).c_str()));
  }
  return &kernel;
}

}  // namespace starbridge::emulate::bang

using namespace starbridge::emulate::bang;

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

void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int) {}
void __cudaRegisterManagedVar(void**, void**, char*, const char*, std::size_t, unsigned) {}
char __cudaInitModule(void**) { return 1; }
}

// The chip's addresses are there before any code of the program runs.
__attribute__((constructor)) static void reserve_chip() {
  reserve_memory();
  if (starbridge::emulate::settings().is_check) reserve_shadow();
}
