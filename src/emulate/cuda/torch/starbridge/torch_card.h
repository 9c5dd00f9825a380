// Read before each source of a PyTorch extension that runs on the emulated card. A tensor of the reference run lies in host memory and
// is the CPU's for PyTorch, while the program takes it for the card's: so what a source says about CUDA devices is said about the CPU.
// All of PyTorch's headers come first: after these macros they could not be read.
#pragma once

#if defined(__CUDA__)
#include "cuda_runtime.h"
#endif

#include <torch/extension.h>
#include <torch/library.h>
#if defined(SB_TORCH_SCRIPT)
#include <torch/script.h>
#endif

#include "starbridge/card_memory.h"

#undef TORCH_LIBRARY_IMPL
#define TORCH_LIBRARY_IMPL(ns, k, m) SB_LIBRARY_IMPL(ns, SB_KEY_##k, m)
#define SB_LIBRARY_IMPL(ns, k, m) _TORCH_LIBRARY_IMPL(ns, k, m, C10_UID)
// One operator may have a kernel for the CPU and one for the card; where both are there, the CPU's steps aside to a key nobody uses.
#if defined(SB_TORCH_CARD_KERNELS)
#define SB_KEY_CPU PrivateUse3
#else
#define SB_KEY_CPU CPU
#endif
#define SB_KEY_CUDA CPU
#define SB_KEY_Autograd Autograd
#define SB_KEY_AutogradCPU AutogradCPU
#define SB_KEY_AutogradCUDA AutogradCPU
#define SB_KEY_Autocast AutocastCPU
#define SB_KEY_AutocastCPU AutocastCPU
#define SB_KEY_AutocastCUDA AutocastCPU
#define SB_KEY_ADInplaceOrView ADInplaceOrView
#define SB_KEY_BackendSelect BackendSelect
#define SB_KEY_CatchAll CatchAll
#define SB_KEY_CompositeExplicitAutograd CompositeExplicitAutograd
#define SB_KEY_CompositeImplicitAutograd CompositeImplicitAutograd
#define SB_KEY_Functionalize Functionalize
#define SB_KEY_Meta Meta
#define SB_KEY_MPS MPS
#define SB_KEY_PrivateUse1 PrivateUse1
#define SB_KEY_QuantizedCPU QuantizedCPU
#define SB_KEY_QuantizedCUDA QuantizedCPU
#define SB_KEY_XPU XPU

#define is_cuda() is_cpu()
#define cuda() cpu()
#define kCUDA kCPU
#define CUDA CPU
