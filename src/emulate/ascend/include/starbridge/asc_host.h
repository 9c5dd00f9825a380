// Launches of host code that do not use <<<>>>: by macro, with memory of the chip that host code fills directly.
#pragma once

#include "acl/acl.h"

#if !defined(GM_ADDR) && !defined(__CUDA__)
#define GM_ADDR uint8_t*
#endif
#define ACLRT_LAUNCH_KERNEL(kernel) aclrtlaunch_##kernel
#define ICPU_RUN_KF(kernel, blocks, ...) kernel<<<blocks, nullptr, nullptr>>>(__VA_ARGS__)
#define ICPU_SET_TILING_KEY(key) sb_set_tiling_key(key)
extern "C" void sb_set_tiling_key(unsigned key);
extern "C" void* sb_gm_alloc(size_t bytes);
extern "C" void sb_gm_free(void* pointer);
enum class KernelMode { AIV_MODE, AIC_MODE, MIX_MODE, MIX_AIC_1_1 };
namespace AscendC {
inline void* GmAlloc(size_t bytes) { return sb_gm_alloc(bytes); }
inline void GmFree(void* pointer) { sb_gm_free(pointer); }
inline void SetKernelMode(KernelMode) {}
}  // namespace AscendC
