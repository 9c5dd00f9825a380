// What kernel<<<blocks, l2ctrl, stream>>>(...) becomes. Clang looks these up by the names CUDA gave them; their parameters are ours.
#pragma once

extern "C" unsigned __cudaPushCallConfiguration(unsigned blocks, void* l2ctrl, void* stream);
struct sb_launch_shape {
  unsigned blocks, y, z;
};
extern "C" int cudaLaunchKernel(const void* host_function, sb_launch_shape blocks, sb_launch_shape unused, void** arguments, size_t l2ctrl, void* stream);
