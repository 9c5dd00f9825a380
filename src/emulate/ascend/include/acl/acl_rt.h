// Calls of ACL's runtime.
#pragma once

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif
aclError aclInit(const char* configuration);
aclError aclFinalize(void);
aclError aclrtSetDevice(int32_t device);
aclError aclrtGetDevice(int32_t* device);
aclError aclrtResetDevice(int32_t device);
aclError aclrtGetDeviceCount(uint32_t* count);
aclError aclrtGetRunMode(aclrtRunMode* mode);
const char* aclrtGetSocName(void);
aclError aclrtCreateContext(aclrtContext* context, int32_t device);
aclError aclrtDestroyContext(aclrtContext context);
aclError aclrtSetCurrentContext(aclrtContext context);
aclError aclrtGetCurrentContext(aclrtContext* context);
aclError aclrtCreateStream(aclrtStream* stream);
aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag);
aclError aclrtDestroyStream(aclrtStream stream);
aclError aclrtSynchronizeStream(aclrtStream stream);
aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout);
aclError aclrtSynchronizeDevice(void);
aclError aclrtCreateEvent(aclrtEvent* event);
aclError aclrtDestroyEvent(aclrtEvent event);
aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream);
aclError aclrtSynchronizeEvent(aclrtEvent event);
aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event);
aclError aclrtEventElapsedTime(float* ms, aclrtEvent start, aclrtEvent end);
aclError aclrtMalloc(void** pointer, size_t size, aclrtMemMallocPolicy policy);
aclError aclrtFree(void* pointer);
aclError aclrtMallocHost(void** pointer, size_t size);
aclError aclrtFreeHost(void* pointer);
aclError aclrtMemcpy(void* dst, size_t capacity, const void* src, size_t count, aclrtMemcpyKind kind);
aclError aclrtMemcpyAsync(void* dst, size_t capacity, const void* src, size_t count, aclrtMemcpyKind kind, aclrtStream stream);
aclError aclrtMemset(void* pointer, size_t capacity, int32_t value, size_t count);
aclError aclrtMemsetAsync(void* pointer, size_t capacity, int32_t value, size_t count, aclrtStream stream);
aclError aclrtGetMemInfo(aclrtMemAttr attribute, size_t* free, size_t* total);
const char* aclGetRecentErrMsg(void);
size_t aclDataTypeSize(aclDataType type);
float aclFloat16ToFloat(aclFloat16 value);
aclFloat16 aclFloatToFloat16(float value);
#ifdef __cplusplus
}
#endif
