// Atomics on GDRAM: with the old values (atomic_*), without (atomic_reduce_*), compare and exchange.
#include <cstring>
#include <mutex>

#include "emulate/bang/runtime/builtin.h"
#include "emulate/bang/runtime/shadow.h"

namespace starbridge::emulate::bang {

namespace {

std::mutex g_mutex;  // the memory controller: one update at a time

template <class T>
T updated(int operation, T old, T value) {
  switch (operation) {
    case SB_ATOMIC_INC:
      return old >= value ? T(0) : static_cast<T>(old + 1);
    case SB_ATOMIC_DEC:
      return old == 0 || old > value ? value : static_cast<T>(old - 1);
    case SB_ATOMIC_AND:
      return static_cast<T>(old & value);
    case SB_ATOMIC_OR:
      return static_cast<T>(old | value);
    case SB_ATOMIC_XOR:
      return static_cast<T>(old ^ value);
    default:
      return value;
  }
}

template <class T>
void update_bits(int operation, void* at, const void* value) {
  T old, operand;
  std::memcpy(&old, at, sizeof old);
  std::memcpy(&operand, value, sizeof operand);
  const T result = updated(operation, old, operand);
  std::memcpy(at, &result, sizeof result);
}

void update(const Builtin& builtin, int operation, int type, void* at, const void* value) {
  const int size = kTypeBytes[type];
  switch (operation) {
    case SB_ATOMIC_EXCH:
      std::memcpy(at, value, static_cast<std::size_t>(size));
      return;
    case SB_ATOMIC_ADD:
    case SB_ATOMIC_MAX:
    case SB_ATOMIC_MIN: {
      const int binary = operation == SB_ATOMIC_ADD ? SB_ADD : operation == SB_ATOMIC_MAX ? SB_MAX : SB_MIN;
      loops().binary(binary, type, at, at, value, 1);
      return;
    }
    default:
      if (is_floating(type) || size > 4) refuse(builtin, "not for this element type", "不支持该元素类型");
      if (size == 4)
        update_bits<std::uint32_t>(operation, at, value);
      else if (size == 2)
        update_bits<std::uint16_t>(operation, at, value);
      else
        update_bits<std::uint8_t>(operation, at, value);
  }
}

}  // namespace

extern "C" {

// `old` may be nullptr (the reduce forms), `values` may be nullptr: `value` for every element.
void __sb_bang_atomic(const char* name, int operation, int type, void* old, void* at, const void* values, std::uint64_t value,
                      std::int64_t n) {
  const int size = kTypeBytes[type];
  Builtin builtin{name, SB_HERE, Pipe::kIo, false, Overlap::kAny, true};
  if (n <= 0) return report_argument(builtin, "the count is " + std::to_string(n), "元素个数为 " + std::to_string(n));
  Operand target = writes("src1", at, n * size, kGdram | kSramSpace);
  target.align = size;
  perform(
      builtin,
      {target, writes("dst", old, old == nullptr ? 0 : n * size, kNram | kLdramSpace),
       reads("src2", values, values == nullptr ? 0 : n * size)},
      [=] {
        std::lock_guard lock(g_mutex);
        for (std::int64_t i = 0; i < n; ++i) {
          char* place = static_cast<char*>(at) + i * size;
          if (old != nullptr) std::memcpy(static_cast<char*>(old) + i * size, place, static_cast<std::size_t>(size));
          update(builtin, operation, type, place,
                 values == nullptr ? static_cast<const void*>(&value) : static_cast<const char*>(values) + i * size);
        }
      },
      [=] {
        if (old != nullptr) copy_poison(old, at, static_cast<std::size_t>(n * size));
      });
}

void __sb_bang_atomic_cas(const char* name, int type, void* old, void* at, std::uint64_t expected, std::uint64_t value) {
  const int size = kTypeBytes[type];
  const Builtin builtin{name, SB_HERE, Pipe::kIo, false, Overlap::kAny, true};
  Operand target = writes("src1", at, size, kGdram | kSramSpace);
  target.align = size;
  perform(
      builtin, {target, writes("dst", old, size, kNram | kLdramSpace)},
      [=] {
        std::lock_guard lock(g_mutex);
        std::memcpy(old, at, static_cast<std::size_t>(size));
        if (std::memcmp(at, &expected, static_cast<std::size_t>(size)) == 0)
          std::memcpy(at, &value, static_cast<std::size_t>(size));
      },
      [=] { copy_poison(old, at, static_cast<std::size_t>(size)); });
}
}

}  // namespace starbridge::emulate::bang
