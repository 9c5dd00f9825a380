// The data cache of a core: 64-byte lines, written back when they must or, in a check, whenever the seed says. Not coherent with
// the other cores. One task.
#pragma once

#include "emulate/ascend/runtime/task.h"

namespace starbridge::emulate::ascend {

void write_back_all(Task& task);
// The core's own movers wrote [start, start + bytes) of GM past the cache.
void note_moved(Task& task, const char* start, std::int64_t bytes);
// Bytes that a mover is about to read must not be newer in the core's cache.
void check_flushed(Task& task, const Segment& segment, const char* name, const void* place);

}  // namespace starbridge::emulate::ascend
