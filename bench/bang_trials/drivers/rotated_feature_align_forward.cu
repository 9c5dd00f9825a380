#ifdef TWIN_MLU
#include "kernels/rotated_feature_align/rotated_feature_align_block.mlu"
#define TWIN_LAUNCH KernelRotatedFeatureAlignForward
#else
#include "rotated_feature_align_cuda_kernel.cuh"
#define TWIN_LAUNCH rotated_feature_align_forward_kernel<Real>
#endif
#include "rotated_feature_align.h"
