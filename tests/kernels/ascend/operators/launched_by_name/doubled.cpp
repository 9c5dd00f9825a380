// A kernel in a source of its own, launched through the header that is made for it.
#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void doubled(GM_ADDR in, GM_ADDR out) {
  TPipe pipe;
  GlobalTensor<float> from, to;
  from.SetGlobalBuffer((__gm__ float*)in + GetBlockIdx() * 64, 64);
  to.SetGlobalBuffer((__gm__ float*)out + GetBlockIdx() * 64, 64);
  TBuf<TPosition::VECCALC> room;
  pipe.InitBuffer(room, 64 * sizeof(float));
  LocalTensor<float> tile = room.Get<float>();
  DataCopy(tile, from, 64);
  PipeBarrier<PIPE_ALL>();
  Add(tile, tile, tile, 64);
  PipeBarrier<PIPE_ALL>();
  DataCopy(to, tile, 64);
}
