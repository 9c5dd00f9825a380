#ifdef TWIN_MLU
#include "kernels/tin_shift/tin_shift_union1.mlu"
#else
#include "tin_shift_cuda_kernel.cuh"
#endif
#include "twin.h"

// Sizes: batches, frames, channels, pixels, groups.
void twin::run() {
  const int batches = twin::size(0), frames = twin::size(1), channels = twin::size(2), pixels = twin::size(3),
            groups = twin::size(4);
  const std::size_t count = static_cast<std::size_t>(batches) * frames * channels * pixels;
  Real* input = twin::numbers(twin::features(count));
  twin::Ints drawn(batches * groups);
  for (int& each : drawn) each = twin::draw_below(2 * frames) - frames;
  int* shifts = twin::on_device(drawn);
  Real* output = twin::filled<Real>(count, 0);
#ifdef TWIN_MLU
  // How much of a channel the NRAM takes decides which of three ways the kernel goes.
  const int channels_at_once = MAX_NRAM_SIZE / (frames * pixels * 4);
  const int frames_at_once = channels_at_once == 0 ? MAX_NRAM_SIZE / (pixels * 4) : 0;
  const int pixels_at_once = channels_at_once == 0 && frames_at_once == 0 ? MAX_NRAM_SIZE / 4 : 0;
  KernelTinShift({4, 4, 1}, cnrtFuncTypeUnion1, kQueue, MLUOP_DTYPE_FLOAT, input, shifts, batches, frames, channels, pixels,
                 groups, channels / groups, channels_at_once, frames_at_once, pixels_at_once, output);
#else
  const int threads = batches * channels * pixels;
  tin_shift_forward_cuda_kernel<Real><<<GET_BLOCKS(threads), 512>>>(threads, input, shifts, output, batches, channels, frames,
                                                                      pixels, groups, channels / groups);
#endif
  twin::save("output", output, count);
}
