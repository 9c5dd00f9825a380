// Calls the operator with a short input and with one that several cores share.
#include "aclnn_max_scale.h"

#include "../../check.h"

static void call(Stream& stream, Inputs& inputs, int count) {
  const std::vector<float> x = inputs.floats(count);
  float most = 0;
  for (float value : x) most = std::max(most, std::fabs(value));
  std::vector<float> wanted;
  for (float value : x) wanted.push_back(value / most);
  OnChip<float> on_x(x), on_y(count);
  const int64_t dims[] = {count};
  aclTensor* in = aclCreateTensor(dims, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 1, on_x.data);
  aclTensor* out = aclCreateTensor(dims, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 1, on_y.data);
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  CHECK(aclnnMaxScaleGetWorkspaceSize(in, out, &bytes, &executor));
  void* workspace = nullptr;
  if (bytes > 0) CHECK(aclrtMalloc(&workspace, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclnnMaxScale(workspace, bytes, executor, stream.handle));
  stream.sync();
  same(on_y.fetch(), wanted, 1e-6);
  if (workspace != nullptr) CHECK(aclrtFree(workspace));
  aclDestroyTensor(in);
  aclDestroyTensor(out);
}

int main() {
  Stream stream;
  Inputs inputs;
  call(stream, inputs, 301);
  call(stream, inputs, 2777);
}
