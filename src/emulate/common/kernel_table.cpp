#include "emulate/common/kernel_table.h"

#include <cxxabi.h>
#include <dlfcn.h>

#include <cstddef>
#include <cstdlib>

namespace starbridge::emulate {

std::string readable_name(const char* mangled) {
  int status = 0;
  char* text = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  std::string result = status == 0 ? text : mangled;
  std::free(text);
  return result;
}

void* find_symbol(const std::string& name, const void* beside) {
  Dl_info info{};
  if (beside != nullptr && dladdr(beside, &info) != 0 && info.dli_fname != nullptr) {
    // Libraries that Python loads do not see each other's names, and two of them may well have a kernel of the same name.
    if (void* library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD); library != nullptr) {
      void* found = dlsym(library, name.c_str());
      dlclose(library);
      if (found != nullptr) return found;
    }
  }
  return dlsym(RTLD_DEFAULT, name.c_str());
}

}  // namespace starbridge::emulate

// Device code is in the program's own library: there is no binary to load.
extern "C" {

void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterManagedVar(void**, void**, char*, const char*, std::size_t, unsigned) {}
char __cudaInitModule(void**) { return 1; }
}
