// Calls the operator by its two-phase call and by name, and finds calls refused that do not fit.
#include "aclnn_scale_add.h"

#include "../../check.h"

constexpr int kCount = 1003;

int main() {
  Stream stream;
  Inputs inputs;
  const std::vector<float> x = inputs.floats(kCount), y = inputs.floats(kCount);
  std::vector<float> wanted;
  for (int i = 0; i < kCount; ++i) wanted.push_back(x[i] + 0.5f * y[i]);
  OnChip<float> on_x(x), on_y(y), on_z(kCount);
  const int64_t dims[] = {17, 59};
  aclTensor* tensors[3];
  void* data[] = {on_x.data, on_y.data, on_z.data};
  for (int i = 0; i < 3; ++i) tensors[i] = aclCreateTensor(dims, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 2, data[i]);
  uint64_t workspace = 0;
  aclOpExecutor* executor = nullptr;
  CHECK(aclnnScaleAddGetWorkspaceSize(tensors[0], tensors[1], 0.5, tensors[2], &workspace, &executor));
  EXPECT(workspace == 0);
  CHECK(aclnnScaleAdd(nullptr, workspace, executor, stream.handle));
  stream.sync();
  same(on_z.fetch(), wanted, 1e-6);

  // By name, with the attribute's default.
  for (int i = 0; i < kCount; ++i) wanted[i] = x[i] + 2.0f * y[i];
  aclTensorDesc* desc = aclCreateTensorDesc(ACL_FLOAT, 2, dims, ACL_FORMAT_ND);
  aclTensorDesc* descs[] = {desc, desc};
  aclDataBuffer* buffers[3];
  for (int i = 0; i < 3; ++i) buffers[i] = aclCreateDataBuffer(data[i], kCount * sizeof(float));
  CHECK(aclopExecuteV2("ScaleAdd", 2, descs, buffers, 1, descs, buffers + 2, nullptr, stream.handle));
  stream.sync();
  same(on_z.fetch(), wanted, 1e-6);

  // Halves were not compiled for; another operator does not exist; shapes must agree.
  aclTensorDesc* narrow = aclCreateTensorDesc(ACL_FLOAT16, 2, dims, ACL_FORMAT_ND);
  aclTensorDesc* narrows[] = {narrow, narrow};
  EXPECT(aclopExecuteV2("ScaleAdd", 2, narrows, buffers, 1, narrows, buffers + 2, nullptr, stream.handle) != ACL_SUCCESS);
  EXPECT(aclopExecuteV2("ScaleSub", 2, descs, buffers, 1, descs, buffers + 2, nullptr, stream.handle) != ACL_SUCCESS);
  const int64_t other_dims[] = {1003};
  aclTensorDesc* mixed[] = {desc, aclCreateTensorDesc(ACL_FLOAT, 1, other_dims, ACL_FORMAT_ND)};
  EXPECT(aclopExecuteV2("ScaleAdd", 2, mixed, buffers, 1, descs, buffers + 2, nullptr, stream.handle) != ACL_SUCCESS);
}
