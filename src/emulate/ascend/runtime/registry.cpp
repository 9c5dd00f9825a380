// Registration: what the compiled host half calls before main, and how kernels are found by their host functions.
#include <cctype>

#include "emulate/ascend/runtime/shadow.h"
#include "emulate/ascend/runtime/task.h"
#include "emulate/common/settings.h"

namespace starbridge::emulate::ascend {

namespace {

KernelTable<Kernel>& kernels() {
  static auto* instance = new KernelTable<Kernel>;
  return *instance;
}

void complete(Kernel& kernel, const void* host_function) {
  kernel.code = find_symbol(kernel.name, host_function);
  kernel.note = static_cast<const KernelNote*>(find_symbol("__sb_units$" + kernel.name, host_function));
}

}  // namespace

std::string letters_of_name(const std::string& name) {
  std::string letters;
  for (const char c : name) {
    if (c != '_') letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return letters;
}

Kernel* find_kernel(const void* host_function) {
  return kernels().find(host_function, [=](Kernel& kernel) { complete(kernel, host_function); });
}

Kernel* find_kernel_of_operator(const std::string& name) {
  return kernels().find_if([&](const std::string& other) { return letters_of_name(other) == letters_of_name(name); }, complete);
}

}  // namespace starbridge::emulate::ascend

using namespace starbridge::emulate::ascend;

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
