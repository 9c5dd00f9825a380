#ifdef TWIN_MLU
#include "kernels/roi_align_rotated/roi_align_rotated_block.mlu"
#define TWIN_LAUNCH KernelRoiAlignRotatedForward
#endif
#include "roi_align_rotated.h"
