// One vector in, one out, through queues: what most programs of this folder do around the instructions they are about.
#pragma once

#include "kernel_operator.h"

#include "check.h"

using namespace AscendC;

#if defined(__CUDA__)
// `work` gets the tensor in UB that goes out, the one that came in, and the pipe.
template <class In, class Out, class Work>
__aicore__ inline void through(GM_ADDR from, int in_count, GM_ADDR to, int out_count, Work work) {
  TPipe pipe;
  GlobalTensor<In> in;
  GlobalTensor<Out> out;
  in.SetGlobalBuffer((__gm__ In*)from, in_count);
  out.SetGlobalBuffer((__gm__ Out*)to, out_count);
  TQue<TPosition::VECIN, 1> in_queue;
  TQue<TPosition::VECOUT, 1> out_queue;
  pipe.InitBuffer(in_queue, 1, in_count * sizeof(In));
  pipe.InitBuffer(out_queue, 1, out_count * sizeof(Out));
  LocalTensor<In> a = in_queue.AllocTensor<In>();
  DataCopy(a, in, in_count);
  in_queue.EnQue(a);
  a = in_queue.DeQue<In>();
  LocalTensor<Out> b = out_queue.AllocTensor<Out>();
  work(b, a, pipe);
  out_queue.EnQue(b);
  in_queue.FreeTensor(a);
  b = out_queue.DeQue<Out>();
  DataCopy(out, b, out_count);
  out_queue.FreeTensor(b);
}
#endif

// Launches `kernel(in, out)` on one core and returns what it wrote.
#define RUN(kernel, In, in, Out, out_count)                          \
  [&] {                                                              \
    OnChip<In> on_in(in);                                            \
    OnChip<Out> on_out(static_cast<std::size_t>(out_count));         \
    kernel<<<1, nullptr, stream.handle>>>(on_in.bytes(), on_out.bytes()); \
    stream.sync();                                                   \
    return on_out.fetch();                                           \
  }()
