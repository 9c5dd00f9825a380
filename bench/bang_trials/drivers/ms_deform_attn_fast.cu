#ifdef TWIN_MLU
#include "kernels/ms_deform_attn/ms_deform_attn_forward/msda_forward_fast_union1.mlu"
#define TWIN_KERNEL MLUKernelMsDeformAttnForwardFast
#endif
#include "ms_deform_attn.h"
