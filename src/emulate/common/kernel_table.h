// KernelTable: the kernels of the program that runs, by the host functions that launches name. Clang's host half enters them
// before main, by the calls it makes for CUDA whatever the machine; the pass enters how their arguments are taken apart. Any
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace starbridge::emulate {

using Invoker = void (*)(void* code, void** arguments);

// What every machine knows of a kernel; each adds what its own pass left.
struct KernelEntry {
  std::string name;      // mangled
  std::string readable;  // as the user wrote it
  void* code = nullptr;  // what `invoke` runs
  Invoker invoke = nullptr;
  std::vector<std::uint32_t> argument_bytes;
};

// A mangled name as the user wrote it; the name itself where it is not mangled.
std::string readable_name(const char* mangled);
// Of the program itself or what it is linked with; nullptr when there is none. `beside` is something of the half that asks: when
// that lies in a library the program loaded (a Python extension), the library and what it is linked with come first.
void* find_symbol(const std::string& name, const void* beside = nullptr);

template <class Kernel>
class KernelTable {
 public:
  void add(const void* host_function, const char* name) {
    std::lock_guard lock(mutex_);
    Kernel& kernel = kernels_[host_function];
    kernel.name = name;
    kernel.readable = readable_name(name);
  }
  // `sizes` ends with ~0.
  void add_invoker(const void* host_function, void* invoker, const std::uint32_t* sizes) {
    std::lock_guard lock(mutex_);
    Kernel& kernel = kernels_[host_function];
    for (; *sizes != ~0U; ++sizes) kernel.argument_bytes.push_back(*sizes);
    kernel.invoke = reinterpret_cast<Invoker>(invoker);
  }
  // nullptr: no kernel. `complete` is called until it has found the code: libraries may come late.
  template <class Complete>
  Kernel* find(const void* host_function, Complete complete) {
    std::lock_guard lock(mutex_);
    auto found = kernels_.find(host_function);
    if (found == kernels_.end()) return nullptr;
    if (found->second.code == nullptr) complete(found->second);
    return &found->second;
  }
  // The first kernel whose mangled name `fits`.
  template <class Fits, class Complete>
  Kernel* find_if(Fits fits, Complete complete) {
    std::lock_guard lock(mutex_);
    for (auto& [host_function, kernel] : kernels_) {
      if (!fits(kernel.name)) continue;
      if (kernel.code == nullptr) complete(kernel, host_function);
      return &kernel;
    }
    return nullptr;
  }

 private:
  std::mutex mutex_;
  std::map<const void*, Kernel> kernels_;
};

}  // namespace starbridge::emulate
