// The kernel of the operator: element type and tiling data come from its host half.
#include "kernel_operator.h"

using namespace AscendC;

constexpr int kTile = 256;

extern "C" __global__ __aicore__ void scale_add(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  TPipe pipe;
  const uint64_t start = data.per_block * GetBlockIdx(), end = start + data.per_block < data.count ? start + data.per_block : data.count;
  GlobalTensor<DTYPE_X> from_x, from_y, to;
  from_x.SetGlobalBuffer((__gm__ DTYPE_X*)x, data.count);
  from_y.SetGlobalBuffer((__gm__ DTYPE_Y*)y, data.count);
  to.SetGlobalBuffer((__gm__ DTYPE_Z*)z, data.count);
  TQue<TPosition::VECIN, 2> xs, ys;
  TQue<TPosition::VECOUT, 2> zs;
  pipe.InitBuffer(xs, 2, kTile * sizeof(DTYPE_X));
  pipe.InitBuffer(ys, 2, kTile * sizeof(DTYPE_Y));
  pipe.InitBuffer(zs, 2, kTile * sizeof(DTYPE_Z));
  for (uint64_t at = start; at < end; at += kTile) {
    const uint32_t count = end - at < kTile ? end - at : kTile;
    DataCopyExtParams length{1, static_cast<uint32_t>(count * sizeof(DTYPE_X)), 0, 0, 0};
    DataCopyPadExtParams<DTYPE_X> padding{false, 0, 0, 0};
    LocalTensor<DTYPE_X> a = xs.AllocTensor<DTYPE_X>(), b = ys.AllocTensor<DTYPE_Y>();
    DataCopyPad(a, from_x[at], length, padding);
    DataCopyPad(b, from_y[at], length, padding);
    xs.EnQue(a);
    ys.EnQue(b);
    a = xs.DeQue<DTYPE_X>();
    b = ys.DeQue<DTYPE_Y>();
    LocalTensor<DTYPE_Z> c = zs.AllocTensor<DTYPE_Z>();
    Muls(b, b, static_cast<DTYPE_X>(data.scale), count);
    Add(c, a, b, count);
    xs.FreeTensor(a);
    ys.FreeTensor(b);
    zs.EnQue(c);
    c = zs.DeQue<DTYPE_Z>();
    DataCopyPad(to[at], c, length);
    zs.FreeTensor(c);
  }
}
