#ifdef TWIN_MLU
#include "kernels/focal_loss_sigmoid/focal_loss_sigmoid_forward_union1.mlu"
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
  mluOpBlockKernelFocalLossSigmoidForwardFloat({4, 4, 1}, cnrtFuncTypeUnion1, kQueue,
                                               static_cast<focalLossSigmoidPreference_t>(1), input, target, weights, samples,
                                               classes, alpha, gamma, output);
#else
  std::int64_t* target = twin::on_device(twin::widened(labels));
  sigmoid_focal_loss_forward_cuda_kernel<Real>
      <<<GET_BLOCKS(count), 512>>>(count, input, target, weights, output, gamma, alpha, classes);
#endif
  twin::save("output", output, count);
}
