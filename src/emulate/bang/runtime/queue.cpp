#include "emulate/bang/runtime/queue.h"

#include <set>

#include "cn_api.h"

#include "emulate/bang/loops/loops.h"
#include "emulate/bang/runtime/check.h"
#include "emulate/bang/runtime/chip.h"
#include "emulate/common/settings.h"

namespace starbridge::emulate::bang {

namespace {

cnrtQueueStruct g_default_queue;
std::set<cnrtQueue_t>& queues() {
  static auto* instance = new std::set<cnrtQueue_t>{&g_default_queue};
  return *instance;
}

cnrtQueueStruct* queue_of(cnrtQueue_t queue) {
  if (queue == nullptr) return &g_default_queue;
  return queues().count(queue) > 0 ? queue : nullptr;
}

cnrtRet_t g_last_error = cnrtSuccess;

}  // namespace

cnrtRet_t remember(cnrtRet_t error) {
  if (error != cnrtSuccess) g_last_error = error;
  return error;
}

cnrtRet_t enqueue(cnrtQueue_t queue, Work work) {
  cnrtQueueStruct* to = queue_of(queue);
  if (to == nullptr) return remember(cnrtErrorQueue);
  if (!settings().is_check) return remember(work.carry_out());
  to->work.push_back(std::move(work));
  return cnrtSuccess;
}

cnrtRet_t empty(cnrtQueue_t queue) {
  cnrtQueueStruct* from = queue_of(queue);
  if (from == nullptr) return remember(cnrtErrorQueue);
  cnrtRet_t first = cnrtSuccess;
  while (!from->work.empty()) {
    Work work = std::move(from->work.front());
    from->work.pop_front();
    if (cnrtRet_t error = work.carry_out(); error != cnrtSuccess && first == cnrtSuccess) first = error;
  }
  return remember(first);
}

cnrtRet_t empty_all() {
  cnrtRet_t first = cnrtSuccess;
  for (cnrtQueue_t queue : queues()) {
    if (cnrtRet_t error = empty(queue); error != cnrtSuccess && first == cnrtSuccess) first = error;
  }
  return first;
}

void before_host_access(const void* pointer, const char* call, const void* place) {
  if (!settings().is_check) return;
  std::optional<Allocation> allocation = find_allocation(pointer);
  if (!allocation) return;
  for (cnrtQueue_t queue : queues()) {
    for (const Work& work : queue->work) {
      for (const void* used : work.pointers) {
        if (used < allocation->start || used >= allocation->start + allocation->bytes) continue;
        report_at(
            "missing-queue-sync", place,
            std::string(call) + " touches memory that " + work.what + " in a queue may still use; no cnrtQueueSync lies between",
            std::string(call) + " 访问的内存可能仍被队列中的 " + work.what + " 使用，两者之间没有 cnrtQueueSync");
        (void)empty(queue);
        return;
      }
    }
  }
}

}  // namespace starbridge::emulate::bang

using namespace starbridge::emulate;
using namespace starbridge::emulate::bang;

extern "C" {

cnrtRet_t cnrtQueueCreate(cnrtQueue_t* queue) {
  if (queue == nullptr) return remember(cnrtErrorArgsInvalid);
  *queue = new cnrtQueueStruct;
  queues().insert(*queue);
  return cnrtSuccess;
}
cnrtRet_t cnrtCreateQueue(cnrtQueue_t* queue) { return cnrtQueueCreate(queue); }
cnrtRet_t cnrtQueueDestroy(cnrtQueue_t queue) {
  if (queue == nullptr || queues().count(queue) == 0) return remember(cnrtErrorQueue);
  cnrtRet_t error = empty(queue);
  queues().erase(queue);
  delete queue;
  return error;
}
cnrtRet_t cnrtDestroyQueue(cnrtQueue_t queue) { return cnrtQueueDestroy(queue); }
cnrtRet_t cnrtQueueSync(cnrtQueue_t queue) { return empty(queue); }
cnrtRet_t cnrtSyncQueue(cnrtQueue_t queue) { return empty(queue); }
cnrtRet_t cnrtQueueQuery(cnrtQueue_t queue) { return empty(queue); }
cnrtRet_t cnrtDeviceSynchronize(void) { return empty_all(); }
cnrtRet_t cnrtSyncDevice(void) { return empty_all(); }
cnrtRet_t cnrtGetLastError(void) {
  cnrtRet_t error = g_last_error;
  g_last_error = cnrtSuccess;
  return error;
}
cnrtRet_t cnrtPeekAtLastError(void) { return g_last_error; }

cnrtRet_t cnrtCastDataType_V2(const void* from, cnrtDataType_t from_type, void* to, cnrtDataType_t to_type, std::size_t count,
                              void* quantized, cnrtRoundingMode_t mode) {
  static const int types[] = {SB_F32, SB_F16, SB_BF16, SB_S32, SB_S16, SB_S8, SB_U32, SB_U16, SB_U8, SB_S64};
  if (quantized != nullptr || from_type > cnrtLonglong || to_type > cnrtLonglong) return remember(cnrtErrorArgsInvalid);
  const int rounding = mode == cnrtRounding_rz ? SB_TZ : mode == cnrtRounding_rn ? SB_RN : SB_RM;
  const bool is_done =
      loops().convert(types[from_type], types[to_type], rounding, to, from, static_cast<std::int64_t>(count), 0, 0);
  return is_done ? cnrtSuccess : remember(cnrtErrorArgsInvalid);
}
CNresult cnGetCtxMaxParallelUnionTasks(CNcontext, KernelClass type, int* count) {
  const int clusters = type == CN_KERNEL_CLASS_BLOCK ? 0 : static_cast<int>(type) / 4;
  *count = clusters == 0 ? chip().clusters * chip().cores : chip().clusters / clusters;
  return CN_SUCCESS;
}
CNresult cnCtxGetCurrent(CNcontext* context) {
  static int current = 0;
  *context = &current;
  return CN_SUCCESS;
}
}
