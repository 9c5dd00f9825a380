// What the host half of an operator and the runtime tell each other. Not part of CANN.
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SB_OP_DIMS_MAX 16

struct sb_op_tensor {
  int type, format;  // numbers of ge::DataType and ge::Format
  int is_given;
  int dim_count;
  int64_t dims[SB_OP_DIMS_MAX];
  void* data;
};
struct sb_op_value {
  enum { kWhole, kReal, kBool, kText, kWholes, kReals } kind;
  int is_given;
  int64_t whole;
  float real;
  const char* text;
  const int64_t* wholes;
  const float* reals;
  size_t count;
};
struct sb_op_call {
  sb_op_tensor *inputs, *outputs;
  sb_op_value* values;
};
// What the operator's tiling function decided. `tiling` lives until the next plan of the operator.
struct sb_op_plan {
  unsigned blocks;
  uint64_t key;
  const void* tiling;
  size_t tiling_bytes, workspace_bytes;
};
struct sb_op_description {
  const char* name;
  int input_count, output_count, value_count;
  const char* const* value_names;
  void* self;
  int (*plan)(void* self, sb_op_call* call, sb_op_plan* plan);  // 0: done
};

// One argument of aclnnNAMEGetWorkspaceSize, in the order of the call.
struct sb_op_argument {
  const void* tensor;  // aclTensor; nullptr with is_tensor: an optional one that is not given
  int is_tensor;
  sb_op_value value;
};

#ifdef __cplusplus
extern "C" {
#endif
void sb_op_register(const sb_op_description* description);
int sb_op_prepare(const char* name, const sb_op_argument* arguments, size_t count, uint64_t* workspace_bytes, void** executor);
int sb_op_execute(void* executor, void* workspace, uint64_t workspace_bytes, void* stream);
// The kernels of an operator were compiled for this column of its declared types; -1: its kernels do not ask.
void sb_op_note_types(const char* stem, int column);
int sb_op_types_column(const char* name);
// By number: npu_arch, cubes, vectors, UB, L1, L0A, L0B, L0C bytes.
int64_t sb_chip_fact(int what);
const char* aclrtGetSocName(void);
#ifdef __cplusplus
}
#endif
