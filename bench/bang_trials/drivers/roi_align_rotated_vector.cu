#ifdef TWIN_MLU
#include "kernels/roi_align_rotated/roi_align_rotated_forward_vector.mlu"
#define TWIN_LAUNCH KernelRoiAlignRotatedForwardVector
#endif
#include "roi_align_rotated.h"
