#pragma once
#define C10_CUDA_API
#define TORCH_CUDA_CPP_API
