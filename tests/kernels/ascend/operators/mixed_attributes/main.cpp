// Calls the operator by name, with the attributes' defaults and with each of them set.
#include <acl/acl_op.h>

#include "../../check.h"

constexpr int kCount = 64;

int main() {
  Stream stream;
  Inputs inputs;
  const std::vector<float> x = inputs.floats(kCount);
  OnChip<float> on_x(x), on_y(kCount);
  const int64_t dims[] = {kCount};
  CHECK(aclopSetModelDir("op_models"));
  aclTensorDesc* desc = aclCreateTensorDesc(ACL_FLOAT, 1, dims, ACL_FORMAT_ND);
  aclDataBuffer *in = aclCreateDataBuffer(on_x.data, kCount * sizeof(float)), *out = aclCreateDataBuffer(on_y.data, kCount * sizeof(float));
  auto call = [&](aclopAttr* attr, double scale, double shift) {
    on_y.zero();
    CHECK(aclopExecuteV2("MixedAttributes", 1, &desc, &in, 1, &desc, &out, attr, stream.handle));
    stream.sync();
    std::vector<float> wanted;
    for (float value : x) wanted.push_back(static_cast<float>(value * scale + shift));
    same(on_y.fetch(), wanted, 1e-6);
  };
  call(nullptr, 0.5, 3 + 2 + 30 + 0.25);
  aclopAttr* attr = aclopCreateAttr();
  call(attr, 0.5, 3 + 2 + 30 + 0.25);
  CHECK(aclopSetAttrInt(attr, "whole", -7));
  call(attr, 0.5, -7 + 2 + 30 + 0.25);
  CHECK(aclopSetAttrFloat(attr, "real", 1.75f));
  call(attr, 1.75, -7 + 2 + 30 + 0.25);
  CHECK(aclopSetAttrBool(attr, "keeps_sign", 0));
  call(attr, -1.75, -7 + 2 + 30 + 0.25);
  CHECK(aclopSetAttrString(attr, "text", "five5"));
  call(attr, -1.75, -7 + 5 + 30 + 0.25);
  const int64_t wholes[] = {1, 2, 4};
  CHECK(aclopSetAttrListInt(attr, "wholes", 3, wholes));
  call(attr, -1.75, -7 + 5 + 7 + 0.25);
  const float reals[] = {0.5f, 1.5f, -8, 0.125f};
  CHECK(aclopSetAttrListFloat(attr, "reals", 4, reals));
  call(attr, -1.75, -7 + 5 + 7 + 0.5 + 1.5 - 8 + 0.125);
  aclopDestroyAttr(attr);
  CHECK(aclDestroyDataBuffer(in));
  CHECK(aclDestroyDataBuffer(out));
  aclDestroyTensorDesc(desc);
}
