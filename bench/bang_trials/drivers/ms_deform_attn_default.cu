#ifdef TWIN_MLU
#include "kernels/ms_deform_attn/ms_deform_attn_forward/msda_forward_union1_default.mlu"
#define TWIN_KERNEL MLUKernelMsDeformAttnForwardDefault
#endif
#include "ms_deform_attn.h"
