#include "emulate/bang/runtime/memory.h"

#include "emulate/bang/runtime/chip.h"
#include "emulate/bang/runtime/shadow.h"
#include "emulate/common/settings.h"

namespace starbridge::emulate::bang {

const char* name_of(Space space) {
  static const char* const names[] = {"NRAM", "WRAM", "SRAM", "LDRAM", "GDRAM", "host memory"};
  return names[static_cast<unsigned>(space)];
}

char* start_of(Space space, int core) {
  const auto index = static_cast<std::uintptr_t>(core);
  std::uintptr_t address = 0;
  switch (space) {
    case Space::kNram:
      address = kCoreStart + index * kCoreBytes;
      break;
    case Space::kWram:
      address = kCoreStart + index * kCoreBytes + kWramOffset;
      break;
    case Space::kLdram:
      address = kCoreStart + index * kCoreBytes + kLdramOffset;
      break;
    default:
      address = kSramStart + index * kSramBytes;
  }
  return reinterpret_cast<char*>(address);
}

void reserve_memory() {
  reserve_heap({kWindow, kWindow + kGdramBytes, kWindowEnd, static_cast<std::size_t>(chip().memory_mib) << 20});
}

void* allocate(std::size_t bytes, const void* place) {
  void* start = heap_allocate(bytes, place);
  if (start != nullptr && settings().is_check) set_poison(start, bytes, true);
  return start;
}

}  // namespace starbridge::emulate::bang
