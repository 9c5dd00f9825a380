// Who sees what a libcu++ object does, and in which order.
#pragma once

#include <type_traits>

namespace cuda {
enum thread_scope { thread_scope_system = 0, thread_scope_device = 1, thread_scope_block = 2, thread_scope_thread = 3 };
namespace std {
enum memory_order_kind { order_relaxed = __ATOMIC_RELAXED, order_consume = __ATOMIC_CONSUME, order_acquire = __ATOMIC_ACQUIRE,
                         order_release = __ATOMIC_RELEASE, order_acq_rel = __ATOMIC_ACQ_REL, order_seq_cst = __ATOMIC_SEQ_CST };
typedef memory_order_kind memory_order;
constexpr memory_order memory_order_relaxed = order_relaxed, memory_order_consume = order_consume, memory_order_acquire = order_acquire,
                       memory_order_release = order_release, memory_order_acq_rel = order_acq_rel, memory_order_seq_cst = order_seq_cst;
}  // namespace std
using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;
}  // namespace cuda
