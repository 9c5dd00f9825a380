// The heap of a chip's memory in a reserved range of addresses: what the host allocates and frees, what was freed, and what of it
// the host may touch. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace starbridge::emulate {

struct Allocation {
  char* start = nullptr;
  std::size_t bytes = 0;
  const void* place = nullptr;  // who asked for it
};

struct HeapPlan {
  std::uintptr_t start = 0, heap_end = 0, end = 0;  // of the heap; of all that is reserved behind it
  std::size_t capacity = 0;                         // of the chip
  std::size_t heap_bytes() const { return heap_end - start; }
};

// In a check, host code may touch the heap only inside the runtime's own calls: while one of these lives.
class OpenMemory {
 public:
  OpenMemory();
  ~OpenMemory();
  OpenMemory(const OpenMemory&) = delete;
};

// Ends the process when the addresses are taken. `what` is for the message.
void reserve_addresses(std::uintptr_t start, std::size_t bytes, const char* what);
void reserve_heap(const HeapPlan& plan);
// nullptr: the chip has no more. The machine's own `allocate` says what is known of the new bytes.
void* heap_allocate(std::size_t bytes, const void* place);
// False when nothing starts there.
bool release(void* start, const void* place);
std::optional<Allocation> find_allocation(const void* address, bool nearest = false);
std::optional<Allocation> find_freed(const void* address);
std::size_t memory_bytes();
std::size_t memory_bytes_used();
std::size_t count_leaks(std::size_t& bytes);

}  // namespace starbridge::emulate
