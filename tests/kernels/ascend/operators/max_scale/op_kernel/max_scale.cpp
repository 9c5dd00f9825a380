// y = x / max|x|. With key 2 blocks leave their maxima in the workspace and meet before they read all of them.
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t kTile = 256;

class Scale {
 public:
  __aicore__ inline Scale(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, uint32_t count, uint32_t per_block) : count_(count) {
    start_ = GetBlockIdx() * per_block;
    end_ = start_ + per_block < count ? start_ + per_block : count;
    x_.SetGlobalBuffer((__gm__ float*)x, count);
    y_.SetGlobalBuffer((__gm__ float*)y, count);
    maxima_.SetGlobalBuffer((__gm__ float*)workspace, GetBlockNum() * 8);
    pipe_.InitBuffer(tile_, kTile * sizeof(float));
    pipe_.InitBuffer(most_, kTile * sizeof(float));
    pipe_.InitBuffer(scratch_, kTile * sizeof(float));
    pipe_.InitBuffer(shared_, 64 * 32);
  }
  __aicore__ inline float Own() {
    LocalTensor<float> tile = tile_.Get<float>(), most = most_.Get<float>(), scratch = scratch_.Get<float>();
    Duplicate(most, 0.0f, kTile);
    for (uint32_t at = start_; at < end_; at += kTile) {
      const uint32_t count = Load(tile, at);
      Abs(tile, tile, count);
      Max(most, most, tile, count);
    }
    ReduceMax(most, most, scratch, kTile);
    return most.GetValue(0);
  }
  __aicore__ inline float OfAll(float own) {
    LocalTensor<float> all = shared_.Get<float>(), mine = most_.Get<float>();
    Duplicate(mine, own, 8);
    PipeBarrier<PIPE_ALL>();
    DataCopy(maxima_[GetBlockIdx() * 8], mine, 8);
    PipeBarrier<PIPE_ALL>();
    SyncAll();
    DataCopy(all, maxima_, GetBlockNum() * 8);
    PipeBarrier<PIPE_ALL>();
    for (int64_t i = 0; i < GetBlockNum(); ++i) own = all.GetValue(i * 8) > own ? all.GetValue(i * 8) : own;
    return own;
  }
  __aicore__ inline void Write(float most) {
    LocalTensor<float> tile = tile_.Get<float>();
    for (uint32_t at = start_; at < end_; at += kTile) {
      const uint32_t count = Load(tile, at);
      Muls(tile, tile, 1.0f / most, count);
      PipeBarrier<PIPE_ALL>();
      DataCopyPad(y_[at], tile, DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0});
      PipeBarrier<PIPE_ALL>();
    }
  }

 private:
  __aicore__ inline uint32_t Load(LocalTensor<float>& tile, uint32_t at) {
    const uint32_t count = end_ - at < kTile ? end_ - at : kTile;
    PipeBarrier<PIPE_ALL>();
    DataCopyPad(tile, x_[at], DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0}, DataCopyPadExtParams<float>{false, 0, 0, 0});
    PipeBarrier<PIPE_ALL>();
    return count;
  }
  TPipe pipe_;
  TBuf<TPosition::VECCALC> tile_, most_, scratch_, shared_;
  GlobalTensor<float> x_, y_, maxima_;
  uint32_t count_, start_, end_;
};

extern "C" __global__ __aicore__ void max_scale(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  Scale scale(x, y, GetUserWorkspace(workspace), data.count, data.per_block);
  if (TILING_KEY_IS(1)) {
    scale.Write(scale.Own());
  } else if (TILING_KEY_IS(2)) {
    scale.Write(scale.OfAll(scale.Own()));
  }
}
