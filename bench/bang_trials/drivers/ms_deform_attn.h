// ms_deform_attn forward; a driver names the kernel of the twin in TWIN_KERNEL. Sizes: batches, heads, channels, levels, queries,
// points.
#pragma once
#ifndef TWIN_MLU
#include "ms_deform_attn_cuda_kernel.cuh"
#endif
#include "twin.h"

void twin::run() {
  const int batches = twin::size(0), heads = twin::size(1), channels = twin::size(2), levels = twin::size(3),
            queries = twin::size(4), points = twin::size(5), count = batches * queries * heads * channels;
  twin::Ints shapes, starts;
  int keys = 0;
  for (int level = 0; level < levels; ++level) {
    const int height = 9 - 3 * level, width = 7 - 2 * level;
    shapes.insert(shapes.end(), {height, width});
    starts.push_back(keys);
    keys += height * width;
  }
  const int samples = batches * queries * heads * levels * points;
  Real* value = twin::numbers(twin::features(batches * keys * heads * channels));
  Real* places = twin::numbers(twin::uniform(samples * 2, -0.1f, 1.1f));
  Real* weights = twin::numbers(twin::uniform(samples, 0, 1));
  Real* output = twin::unfilled<Real>(count);
#ifdef TWIN_MLU
  auto bytes = [](auto* memory) { return reinterpret_cast<std::int8_t*>(memory); };
  int* shape = twin::on_device(shapes);
  int* start = twin::on_device(starts);
  TWIN_KERNEL<float><<<cnrtDim3_t{4, 4, 1}, cnrtFuncTypeUnion1, kQueue>>>(bytes(value), bytes(shape), bytes(start), bytes(places),
                                                                          bytes(weights), batches, keys, heads, channels, levels,
                                                                          queries, points, bytes(output));
#else
  std::int64_t* shape = twin::on_device(twin::widened(shapes));
  std::int64_t* start = twin::on_device(twin::widened(starts));
  ms_deformable_im2col_gpu_kernel<Real><<<GET_BLOCKS(count), 512>>>(count, value, shape, start, places, weights, batches, keys,
                                                                    heads, channels, levels, queries, points, output);
#endif
  twin::save("output", output, count);
}
