// Tensors and scalars as calls of operators (aclnn...) take them.
#pragma once

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif
typedef int32_t aclnnStatus;
typedef struct aclTensor aclTensor;
typedef struct aclScalar aclScalar;
typedef struct aclIntArray aclIntArray;
typedef struct aclFloatArray aclFloatArray;
typedef struct aclBoolArray aclBoolArray;
typedef struct aclTensorList aclTensorList;
typedef struct aclOpExecutor aclOpExecutor;
#define ACLNN_SUCCESS 0

aclTensor* aclCreateTensor(const int64_t* dims, uint64_t dim_count, aclDataType type, const int64_t* strides, int64_t offset, aclFormat format, const int64_t* storage_dims, uint64_t storage_dim_count, void* data);
aclnnStatus aclDestroyTensor(const aclTensor* tensor);
aclScalar* aclCreateScalar(void* value, aclDataType type);
aclnnStatus aclDestroyScalar(const aclScalar* scalar);
aclIntArray* aclCreateIntArray(const int64_t* values, uint64_t count);
aclnnStatus aclDestroyIntArray(const aclIntArray* array);
aclFloatArray* aclCreateFloatArray(const float* values, uint64_t count);
aclnnStatus aclDestroyFloatArray(const aclFloatArray* array);
#ifdef __cplusplus
}
#endif
