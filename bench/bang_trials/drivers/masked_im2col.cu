#ifdef TWIN_MLU
#include "kernels/masked_im2col/masked_im2col_forward/masked_im2col_forward_union1.mlu"
#else
#include "masked_conv2d_cuda_kernel.cuh"
#endif
#include "twin.h"

// Sizes: channels, height, width, kernel side, padding, places.
void twin::run() {
  const int channels = twin::size(0), height = twin::size(1), width = twin::size(2), side = twin::size(3),
            padding = twin::size(4), places = twin::size(5);
  const int count = channels * side * side * places;
  const twin::Floats image = twin::features(channels * height * width);
  const twin::Ints rows = twin::below(places, height), columns = twin::below(places, width);
  Real* output = twin::filled<Real>(count, 0);
#ifdef TWIN_MLU
  Real* input = twin::numbers(twin::permuted(image, {channels, height, width}, {1, 2, 0}));
  int* row = twin::on_device(rows);
  int* column = twin::on_device(columns);
  KernelMaskedIm2colForward({4, 4, 1}, cnrtFuncTypeUnion1, kQueue, MLUOP_DTYPE_FLOAT, input, height, width, channels, side, side,
                            padding, padding, row, column, places, output);
  twin::save("columns", twin::permuted(twin::from_device(output, count), {places, side * side, channels}, {2, 1, 0}));
#else
  Real* input = twin::numbers(image);
  std::int64_t* row = twin::on_device(twin::widened(rows));
  std::int64_t* column = twin::on_device(twin::widened(columns));
  MaskedIm2colForward<Real><<<GET_BLOCKS(channels * places), 512>>>(channels * places, input, height, width, side, side,
                                                                      padding, padding, row, column, places, output);
  twin::save("columns", output, count);
#endif
}
