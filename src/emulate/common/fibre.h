// Fibres: stacks that the threads of a block run on, and the switch between them. A fibre stays on its worker.
#pragma once

#include <cstddef>
#include <vector>

extern "C" void sb_switch(void** save, void* load);

namespace starbridge::emulate {

constexpr std::size_t kStackBytes = 256UL << 10;  // of one thread; only touched pages take memory
constexpr std::size_t kStackGuardBytes = 4096;

struct Fibre {
  void* saved = nullptr;  // stack pointer while it does not run
  char* low = nullptr;    // first usable byte
  int index = 0;
};

// The fibres of one worker. Stacks are made in groups and never given back: a kernel that needs many will be launched again.
class FibrePool {
 public:
  // A fibre that will call entry() when it is switched to; entry must not return.
  Fibre* take(void (*entry)());
  void give(Fibre* fibre) { free_.push_back(fibre); }
  // True when `address` lies in the guard below a stack.
  bool is_guard(const void* address) const;
  bool is_stack(const void* address) const;

 private:
  void grow();
  std::vector<Fibre*> free_;
  std::vector<std::pair<char*, char*>> regions_;
  int count_ = 0;
};

}  // namespace starbridge::emulate
