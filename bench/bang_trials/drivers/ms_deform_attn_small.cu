#ifdef TWIN_MLU
#include "kernels/ms_deform_attn/ms_deform_attn_forward/msda_forward_small_channel_union1.mlu"
#define TWIN_KERNEL MLUKernelMsDeformAttnForwardSmallChannel
#endif
#include "ms_deform_attn.h"
