// Operators called by name.
#pragma once

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif
typedef struct aclTensorDesc aclTensorDesc;
typedef struct aclDataBuffer aclDataBuffer;
typedef struct aclopAttr aclopAttr;
aclTensorDesc* aclCreateTensorDesc(aclDataType type, int dim_count, const int64_t* dims, aclFormat format);
void aclDestroyTensorDesc(const aclTensorDesc* desc);
size_t aclGetTensorDescSize(const aclTensorDesc* desc);
size_t aclGetTensorDescElementCount(const aclTensorDesc* desc);
aclDataType aclGetTensorDescType(const aclTensorDesc* desc);
aclDataBuffer* aclCreateDataBuffer(void* data, size_t size);
aclError aclDestroyDataBuffer(const aclDataBuffer* buffer);
void* aclGetDataBufferAddr(const aclDataBuffer* buffer);
aclopAttr* aclopCreateAttr(void);
void aclopDestroyAttr(const aclopAttr* attr);
aclError aclopSetAttrInt(aclopAttr* attr, const char* name, int64_t value);
aclError aclopSetAttrFloat(aclopAttr* attr, const char* name, float value);
aclError aclopSetAttrBool(aclopAttr* attr, const char* name, uint8_t value);
aclError aclopSetAttrString(aclopAttr* attr, const char* name, const char* value);
aclError aclopSetAttrListInt(aclopAttr* attr, const char* name, int count, const int64_t* values);
aclError aclopSetAttrListFloat(aclopAttr* attr, const char* name, int count, const float* values);
aclError aclopSetModelDir(const char* folder);
aclError aclopExecuteV2(const char* name, int input_count, aclTensorDesc* input_descs[], aclDataBuffer* inputs[], int output_count, aclTensorDesc* output_descs[], aclDataBuffer* outputs[], aclopAttr* attr, aclrtStream stream);
#ifdef __cplusplus
}
#endif
