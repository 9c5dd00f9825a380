// Registration: what the compiled host half calls before main, and how kernels are found by their host functions.
#include "emulate/bang/runtime/shadow.h"
#include "emulate/bang/runtime/task.h"
#include "emulate/common/settings.h"

namespace starbridge::emulate::bang {

namespace {

KernelTable<Kernel>& kernels() {
  static auto* instance = new KernelTable<Kernel>;
  return *instance;
}

}  // namespace

Kernel* find_kernel(const void* host_function) {
  return kernels().find(host_function, [host_function](Kernel& kernel) {
    kernel.code = find_symbol(kernel.name, host_function);
    kernel.spaces = static_cast<const SpaceMap*>(find_symbol("__sb_spaces$" + kernel.name, host_function));
  });
}

}  // namespace starbridge::emulate::bang

using namespace starbridge::emulate::bang;

extern "C" {

void __cudaRegisterFunction(void**, const char* host_function, char*, const char* name, int, void*, void*, void*, void*, int*) {
  kernels().add(host_function, name);
}
void __sb_register_invoker(const void* host_function, void* invoker, const std::uint32_t* sizes) {
  kernels().add_invoker(host_function, invoker, sizes);
}
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int) {}
}

// The chip's addresses are there before any code of the program runs.
__attribute__((constructor)) static void reserve_chip() {
  reserve_memory();
  if (starbridge::emulate::settings().is_check) reserve_shadow();
}
