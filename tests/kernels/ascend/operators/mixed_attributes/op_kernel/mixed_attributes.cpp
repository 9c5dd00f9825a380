// The kernel of the operator reads its tiling data in each of the ways there are.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void mixed_attributes(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE(1, KERNEL_TYPE_AIV_ONLY);
  REGISTER_TILING_DEFAULT(MixedAttributesTilingData);
  REGISTER_TILING_FOR_TILINGKEY("TILING_KEY_VAR == 1", MixedAttributesTilingData);
  GET_TILING_DATA_WITH_STRUCT(MixedAttributesTilingData, whole, tiling);
  GET_TILING_DATA_MEMBER(MixedAttributesTilingData, part, part, tiling);
  GET_TILING_DATA_PTR_WITH_STRUCT(MixedAttributesTilingData, there, tiling);
  COPY_TILING_WITH_STRUCT(MixedAttributesTilingData, tiling, copied);
  COPY_TILING_WITH_ARRAY(float, 4, there->terms, terms);
  SetSysWorkspace(nullptr);
  SetSysWorkSpace(workspace);
  if (GetSysWorkSpacePtr() != workspace || copied->part.scale != part.scale) return;
  TPipe pipe;
  GlobalTensor<float> from, to;
  from.SetGlobalBuffer((__gm__ float*)x, whole.count);
  to.SetGlobalBuffer((__gm__ float*)y, whole.count);
  TBuf<TPosition::VECCALC> room;
  pipe.InitBuffer(room, whole.count * sizeof(float));
  LocalTensor<float> tile = room.Get<float>();
  DataCopy(tile, from, whole.count);
  PipeBarrier<PIPE_ALL>();
  Muls(tile, tile, part.scale, whole.count);
  float sum = part.shift;
  for (int i = 0; i < 4; ++i) sum += terms[i];
  Adds(tile, tile, sum, whole.count);
  PipeBarrier<PIPE_ALL>();
  DataCopy(to, tile, whole.count);
}
