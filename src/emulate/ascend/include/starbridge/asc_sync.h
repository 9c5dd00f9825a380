// Order: flags between pipes, barriers, meetings of cores; which core this is; printing.
#pragma once

namespace AscendC {

template <HardEvent event>
SB_DEVICE void SetFlag(int32_t id) { __sb_asc_set_flag(static_cast<int>(event) / 16, static_cast<int>(event) % 16, id); }
template <HardEvent event>
SB_DEVICE void WaitFlag(int32_t id) { __sb_asc_wait_flag(static_cast<int>(event) / 16, static_cast<int>(event) % 16, id); }
template <pipe_t pipe>
SB_DEVICE void PipeBarrier() {
  static_assert(pipe != PIPE_S, "PipeBarrier<PIPE_S> is not allowed: the chip raises an exception");
  __sb_asc_barrier(pipe);
}
template <MemDsbT where>
SB_DEVICE void DataSyncBarrier() { __sb_asc_barrier(SB_PIPE_ALL); }
template <HardEvent event, MemoryT memory, bool isVirtual>
class TQueSyncEvent {};
// SetFlag and WaitFlag with the two pipes named.
template <pipe_t src, pipe_t dst>
class TQueSync_ {
 public:
  SB_METHOD void SetFlag(TEventID id) { __sb_asc_set_flag(src, dst, id); }
  SB_METHOD void WaitFlag(TEventID id) { __sb_asc_wait_flag(src, dst, id); }
};

template <bool isAIVOnly = true>
SB_DEVICE void SyncAll(const GlobalTensor<int32_t>& gm, const LocalTensor<int32_t>& ub, const int32_t used = 0) { __sb_asc_sync_all(isAIVOnly, gm.GetPhyAddr(), ub.sb_address, used); }
template <bool isAIVOnly = true>
SB_DEVICE void SyncAll() { __sb_asc_sync_all(isAIVOnly, nullptr, nullptr, 0); }
template <bool isAIVOnly = true>
SB_DEVICE void IBSet(const GlobalTensor<int32_t>& gm, const LocalTensor<int32_t>& ub, int32_t block, int32_t event) { __sb_asc_ib_set(gm.GetPhyAddr(), ub.sb_address, block, event); }
template <bool isAIVOnly = true>
SB_DEVICE void IBWait(const GlobalTensor<int32_t>& gm, const LocalTensor<int32_t>& ub, int32_t block, int32_t event) { __sb_asc_ib_wait(gm.GetPhyAddr(), ub.sb_address, block, event); }
template <uint8_t mode, pipe_t pipe>
SB_DEVICE void CrossCoreSetFlag(uint16_t id) { __sb_asc_cross_set(mode, pipe, id); }
template <uint8_t mode = 0, pipe_t pipe = PIPE_S>
SB_DEVICE void CrossCoreWaitFlag(uint16_t id) { __sb_asc_cross_wait(id, pipe); }

SB_DEVICE int64_t GetBlockIdx() { return __sb_asc_system(0); }
SB_DEVICE int64_t GetBlockNum() { return __sb_asc_system(1); }
SB_DEVICE int64_t GetSubBlockIdx() { return __sb_asc_system(2); }
SB_DEVICE int64_t GetSubBlockNum() { return __sb_asc_system(3); }
SB_DEVICE int64_t GetTaskRation() { return __sb_asc_system(4); }
SB_DEVICE int64_t GetTaskRatio() { return __sb_asc_system(4); }
SB_DEVICE int64_t GetSystemCycle() { return __sb_asc_system(5); }
SB_DEVICE int64_t GetProgramCounter() { return 0; }
SB_DEVICE int64_t GetArchVersion() { return __sb_asc_system(6); }
SB_DEVICE constexpr int16_t GetDataBlockSizeInBytes() { return 32; }
SB_DEVICE void InitSocState() {
  SetAtomicNone();
  ResetMask();
  SetMaskNorm();
}
template <typename T>
SB_DEVICE void SetDeqScale(T scale) {
  if (static_cast<float>(scale) != 1.0f) __sb_asc_refuse("SetDeqScale", "with a scale other than 1", "的缩放系数不为 1");
}
SB_DEVICE void Trap() { __sb_asc_trap(); }
SB_DEVICE void SetNextTaskStart() {}
SB_DEVICE void WaitPreTaskEnd() {}
template <class T>
SB_DEVICE void ICachePreLoad(const T) {}
SB_DEVICE void OOMCheckAddrRange(GM_ADDR, uint64_t) {}

SB_DEVICE int64_t ScalarGetCountOfValue1(uint64_t value) { return __builtin_popcountll(value); }
template <int countValue>
SB_DEVICE int64_t ScalarGetCountOfValue(uint64_t value) { return countValue == 1 ? __builtin_popcountll(value) : 64 - __builtin_popcountll(value); }
SB_DEVICE int64_t ScalarCountLeadingZero(uint64_t value) { return value == 0 ? 64 : __builtin_clzll(value); }
template <int value>
SB_DEVICE int64_t ScalarGetSFFValue(uint64_t bits) {
  const uint64_t wanted = value == 1 ? bits : ~bits;
  return wanted == 0 ? -1 : __builtin_ctzll(wanted);
}
template <typename T, typename U, RoundMode mode>
SB_DEVICE U ScalarCast(T value) {
  const float x = static_cast<float>(value);
  const float y = mode == RoundMode::CAST_FLOOR ? __builtin_floorf(x) : mode == RoundMode::CAST_CEIL ? __builtin_ceilf(x) : mode == RoundMode::CAST_ROUND ? __builtin_roundf(x) : mode == RoundMode::CAST_TRUNC ? __builtin_truncf(x) : __builtin_rintf(x);
  return static_cast<U>(sizeof(U) == 2 ? x : y);
}
SB_DEVICE float ToFloat(const bfloat16_t& value) { return static_cast<float>(value); }
SB_DEVICE bfloat16_t ToBfloat16(const float& value) { return static_cast<bfloat16_t>(value); }

template <typename T>
SB_DEVICE void DumpTensor(const LocalTensor<T>& tensor, uint32_t number, uint32_t count) { __sb_asc_dump("DumpTensor", sb_code<T>::value, tensor.sb_address, count, number); }
template <typename T>
SB_DEVICE void DumpTensor(const GlobalTensor<T>& tensor, uint32_t number, uint32_t count) { __sb_asc_dump("DumpTensor", sb_code<T>::value, tensor.GetPhyAddr(), count, number); }

#if !defined(SB_HOST_PRINTS)
template <class... A>
SB_DEVICE void printf(const char* format, A... arguments) { ::printf(format, arguments...); }
template <class... A>
SB_DEVICE void PRINTF(const char* format, A... arguments) { ::printf(format, arguments...); }
#endif

}  // namespace AscendC

#define ASCEND_IS_AIC (__sb_asc_system(7) == 1)
#define ASCEND_IS_AIV (__sb_asc_system(7) != 1)
#define ASCEND_IS_NOT_AIC (__sb_asc_system(7) != 1)
#define ASCEND_IS_NOT_AIV (__sb_asc_system(7) == 1)
#define g_coreType __sb_asc_system(7)
namespace AscendC {
constexpr int AIC = 1, AIV = 2, MIX = 0;
}

#define KERNEL_TASK_TYPE_DEFAULT(type) __sb_asc_task_type(-1, type)
#define KERNEL_TASK_TYPE(key, type) __sb_asc_task_type(key, type)

// The words below the interface, as kernels sometimes use them.
SB_DEVICE void set_flag(pipe_t from, pipe_t to, int id) { __sb_asc_set_flag(from, to, id); }
SB_DEVICE void wait_flag(pipe_t from, pipe_t to, int id) { __sb_asc_wait_flag(from, to, id); }
SB_DEVICE void pipe_barrier(pipe_t pipe) { __sb_asc_barrier(pipe); }
SB_DEVICE int64_t get_block_idx() { return __sb_asc_system(8); }
SB_DEVICE int64_t get_block_num() { return __sb_asc_system(1); }
SB_DEVICE int64_t get_subblockid() { return __sb_asc_system(2); }
SB_DEVICE int64_t get_subblockdim() { return __sb_asc_system(3); }
SB_DEVICE void trap() { __sb_asc_trap(); }
#define ASSERT(condition) ((condition) ? (void)0 : __assert_fail(#condition, __FILE__, __LINE__, __func__))
#define ASCENDC_ASSERT(condition, ...) ((condition) ? (void)0 : __assert_fail(#condition, __FILE__, __LINE__, __func__))
