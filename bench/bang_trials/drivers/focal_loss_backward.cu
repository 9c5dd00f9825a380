#ifdef TWIN_MLU
#include "kernels/focal_loss_sigmoid/focal_loss_sigmoid_backward_union1.mlu"
#else
#include "sigmoid_focal_loss_cuda_kernel.cuh"
#endif
#include "twin.h"

// Sizes: samples, classes.
void twin::run() {
  const int samples = twin::size(0), classes = twin::size(1), count = samples * classes;
  const float gamma = 2, alpha = 0.25f;
  Real* input = twin::numbers(twin::uniform(count, -3, 3));
  Real* weights = twin::numbers(twin::uniform(classes, 0, 1));
  const twin::Ints labels = twin::below(samples, classes);
  Real* output = twin::unfilled<Real>(count);
#ifdef TWIN_MLU
  int* target = twin::on_device(labels);
  // Samples that the NRAM takes at once: five rows of classes and a label for each, twice, beside the weights.
  const int taken = 14 * 128 + 128 + (classes * 4 + 127) / 128 * 128, row = (classes + 31) / 32 * 32 * 4;
  const int at_once = (MAX_NRAM_SIZE - taken) / ((5 * row + 4) * 2);
  mluOpBlockKernelFocalLossSigmoidBackwardFloat({4, 4, 1}, cnrtFuncTypeUnion1, kQueue, input, target, weights, gamma, alpha,
                                                samples, at_once, classes, output);
#else
  std::int64_t* target = twin::on_device(twin::widened(labels));
  sigmoid_focal_loss_backward_cuda_kernel<Real>
      <<<GET_BLOCKS(count), 512>>>(count, input, target, weights, output, gamma, alpha, classes);
#endif
  twin::save("gradient", output, count);
}
