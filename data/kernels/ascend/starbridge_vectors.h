// Vector instructions over the lanes of ported programs. Read after starbridge_core.h.
#pragma once

#include "starbridge_core.h"

namespace port {

// `work` on aligned places; others are staged: by the lanes up to the next 32 bytes where all are shifted alike.
template <class T, class A, class B, class Work>
__aicore__ inline void lanes(At<T> to, At<A> a, At<B> b, int64_t count, Work work) {
  Core* core = to.core;
  while (count > 0) {
    if (to.is_aligned() && a.is_aligned() && b.is_aligned()) {
      core->turn(Core::kVector);
      return work(to, a, b, (int)count);
    }
    int64_t part = kStage;
    if (to.place % 32 == a.place % 32 && to.place % 32 == b.place % 32 && sizeof(T) == sizeof(A) && sizeof(T) == sizeof(B)) part = (32 - to.place % 32) / sizeof(T);
    if (part > count) part = count;
    At<T> staged_to = core->stage<T>(0);
    At<A> staged_a = core->stage<A>(1);
    At<B> staged_b = core->stage<B>(2);
    copy_lanes(staged_to, to, part);
    copy_lanes(staged_a, a, part);
    copy_lanes(staged_b, b, part);
    core->turn(Core::kVector);
    work(staged_to, staged_a, staged_b, (int)part);
    copy_lanes(to, staged_to, part);
    to = to + part, a = a + part, b = b + part, count -= part;
  }
}
// The same where the instruction cannot work in place or needs more than one step: `work` gets a staging area too, kStage lanes
// at a time.
template <class T, class A, class B, class Work>
__aicore__ inline void lanes_staged(At<T> to, At<A> a, At<B> b, int64_t count, Work work) {
  for (int64_t done = 0; done < count; done += kStage) {
    const int part = (int)(count - done < kStage ? count - done : kStage);
    At<T> result = to.core->template stage<T>(0);
    At<A> one = a + done;
    At<B> two = b + done;
    if (!one.is_aligned()) copy_lanes(to.core->template stage<A>(1), one, part), one = to.core->template stage<A>(1);
    if (!two.is_aligned()) copy_lanes(to.core->template stage<B>(2), two, part), two = to.core->template stage<B>(2);
    to.core->turn(Core::kVector);
    work(result, one, two, part);
    copy_lanes(to + done, result, part);
  }
}

template <class T>
__aicore__ inline void write_value(At<T> to, int64_t count, T value) {
  lanes(to, to, to, count, [value](At<T> x, At<T>, At<T>, int n) { AscendC::Duplicate(tensor(x), value, n); });
}
#define PORT_TWO(name, Call)                                                                                                 \
  template <class T>                                                                                                         \
  __aicore__ inline void name(At<T> to, At<T> a, At<T> b, int64_t count) {                                                   \
    lanes(to, a, b, count, [](At<T> x, At<T> y, At<T> z, int n) { AscendC::Call(tensor(x), tensor(y), tensor(z), n); });     \
  }                                                                                                                          \
  template <class T>                                                                                                         \
  __aicore__ inline void name##_scalar(At<T> to, At<T> a, T value, int64_t count) {                                          \
    lanes(to, a, a, count, [value](At<T> x, At<T> y, At<T>, int n) {                                                         \
      AscendC::Call##s(tensor(x), tensor(y), value, n);                                                                      \
    });                                                                                                                      \
  }
PORT_TWO(add, Add)
PORT_TWO(mul, Mul)
#undef PORT_TWO
#define PORT_TWO(name, Call)                                                                                                 \
  template <class T>                                                                                                         \
  __aicore__ inline void name(At<T> to, At<T> a, At<T> b, int64_t count) {                                                   \
    lanes(to, a, b, count, [](At<T> x, At<T> y, At<T> z, int n) { AscendC::Call(tensor(x), tensor(y), tensor(z), n); });     \
  }
PORT_TWO(sub, Sub)
PORT_TWO(div, Div)
PORT_TWO(maxequal, Max)
PORT_TWO(minequal, Min)
#undef PORT_TWO
template <class T>
__aicore__ inline void sub_scalar(At<T> to, At<T> a, T value, int64_t count) { add_scalar(to, a, (T)-value, count); }
#define PORT_BITS(name, Call)                                                                                                \
  __aicore__ inline void name(At<int> to, At<int> a, At<int> b, int64_t count) {                                             \
    lanes(to, a, b, count, [](At<int> x, At<int> y, At<int> z, int n) {                                                      \
      AscendC::Call(tensor((At<int16_t>)x), tensor((At<int16_t>)y), tensor((At<int16_t>)z), 2 * n);                          \
    });                                                                                                                      \
  }
PORT_BITS(band, And)
PORT_BITS(bor, Or)
#undef PORT_BITS
__aicore__ inline void bxor(At<int> to, At<int> a, At<int> b, int64_t count) {
  lanes_staged(to, a, b, count, [](At<int> x, At<int> y, At<int> z, int n) {
    At<int16_t> result(x), one(y), two(z), both(x.core->sums());
    AscendC::And(tensor(both), tensor(one), tensor(two), 2 * n);
    AscendC::Or(tensor(result), tensor(one), tensor(two), 2 * n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Not(tensor(both), tensor(both), 2 * n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::And(tensor(result), tensor(result), tensor(both), 2 * n);
  });
}
#define PORT_ONE(name, Call)                                                                                                 \
  __aicore__ inline void name(At<float> to, At<float> a, int64_t count) {                                                    \
    lanes(to, a, a, count, [](At<float> x, At<float> y, At<float>, int n) { AscendC::Call(tensor(x), tensor(y), n); });      \
  }
PORT_ONE(sqrt, Sqrt)
PORT_ONE(exp, Exp)
PORT_ONE(log, Ln)
PORT_ONE(abs, Abs)
#undef PORT_ONE
__aicore__ inline void abs(At<int> to, At<int> a, int64_t count) {
  lanes_staged(to, a, a, count, [](At<int> x, At<int> y, At<int>, int n) {
    AscendC::Muls(tensor(x), tensor(y), (int32_t)-1, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Max(tensor(x), tensor(x), tensor(y), n);
  });
}
#define PORT_APART(name, Call)                                                                                               \
  __aicore__ inline void name(At<float> to, At<float> a, int64_t count) {                                                    \
    lanes_staged(to, a, a, count, [](At<float> x, At<float> y, At<float>, int n) { AscendC::Call(tensor(x), tensor(y), x.core->library(), (uint32_t)n); }); \
  }
PORT_APART(tanh, Tanh)
PORT_APART(sin, Sin)
PORT_APART(cos, Cos)
PORT_APART(log2, Log2)
PORT_APART(floor, Floor)
PORT_APART(ceil, Ceil)
PORT_APART(trunc, Trunc)
#undef PORT_APART
__aicore__ inline void pow2(At<float> to, At<float> a, int64_t count) {
  lanes_staged(to, a, a, count, [](At<float> x, At<float> y, At<float>, int n) {
    AscendC::Muls(tensor(x), tensor(y), 0.69314718056f, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Exp(tensor(x), tensor(x), n);
  });
}
// Reciprocal and Rsqrt miss the accuracy of a division.
__aicore__ inline void recip(At<float> to, At<float> a, int64_t count) {
  lanes_staged(to, a, a, count, [](At<float> x, At<float> y, At<float>, int n) {
    AscendC::Duplicate(tensor(x), 1.0f, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Div(tensor(x), tensor(x), tensor(y), n);
  });
}
__aicore__ inline void rsqrt(At<float> to, At<float> a, int64_t count) {
  lanes_staged(to, a, a, count, [](At<float> x, At<float> y, At<float>, int n) {
    At<float> root = x.core->sums();
    AscendC::Sqrt(tensor(root), tensor(y), n);
    AscendC::Duplicate(tensor(x), 1.0f, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Div(tensor(x), tensor(x), tensor(root), n);
  });
}
__aicore__ inline void int322float_rn(At<float> to, At<int> a, int64_t count) {
  lanes(to, a, a, count, [](At<float> x, At<int> y, At<int>, int n) { AscendC::Cast(tensor(x), tensor(y), AscendC::RoundMode::CAST_RINT, (uint32_t)n); });
}
__aicore__ inline void float2int32_tz(At<int> to, At<float> a, int64_t count) {
  lanes(to, a, a, count, [](At<int> x, At<float> y, At<float>, int n) { AscendC::Cast(tensor(x), tensor(y), AscendC::RoundMode::CAST_TRUNC, (uint32_t)n); });
}
__aicore__ inline void half2float(At<float> to, At<half> a, int64_t count) {
  lanes(to, a, a, count, [](At<float> x, At<half> y, At<half>, int n) { AscendC::Cast(tensor(x), tensor(y), AscendC::RoundMode::CAST_NONE, (uint32_t)n); });
}
__aicore__ inline void float2half_rn(At<half> to, At<float> a, int64_t count) {
  lanes(to, a, a, count, [](At<half> x, At<float> y, At<float>, int n) { AscendC::Cast(tensor(x), tensor(y), AscendC::RoundMode::CAST_RINT, (uint32_t)n); });
}

// Conditions are tiles of 1 and 0. Compare takes whole repeats of 64 lanes; what lies behind the last lane is not looked at.
template <class T>
__aicore__ inline void chosen(At<T> to, At<float> yes, bool has_no, int n) {
  Core* core = to.core;
  core->turn(Core::kVector);
  At<float> out(to);
  if (has_no)
    AscendC::Select(tensor(out), core->bits(), tensor(yes), tensor(out), AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, (uint32_t)n);
  else
    AscendC::Select(tensor(out), core->bits(), tensor(yes), 0.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, (uint32_t)n);
}
__aicore__ inline void compare(At<float> to, At<float> a, At<float> b, int64_t count, AscendC::CMPMODE mode) {
  for (int64_t done = 0; done < count; done += kBitLanes) {
    const int64_t part = count - done < kBitLanes ? count - done : kBitLanes;
    lanes(to + done, a + done, b + done, part, [mode](At<float> x, At<float> y, At<float> z, int n) {
      AscendC::Compare(x.core->bits(), tensor(y), tensor(z), mode, (uint32_t)((n + 63) / 64 * 64));
      x.core->turn(Core::kVector);
      AscendC::Duplicate(tensor(x), 1.0f, n);
      chosen(x, x, false, n);
    });
  }
}
// 910B compares integers for equality alone: a < b where the larger of the two is not a.
__aicore__ inline void compare(At<int> to, At<int> a, At<int> b, int64_t count, AscendC::CMPMODE mode) {
  const bool is_of_max = mode == AscendC::CMPMODE::LT || mode == AscendC::CMPMODE::GE;
  const bool is_of_min = mode == AscendC::CMPMODE::GT || mode == AscendC::CMPMODE::LE;
  const bool is_inverse = mode == AscendC::CMPMODE::LT || mode == AscendC::CMPMODE::GT || mode == AscendC::CMPMODE::NE;
  lanes_staged(to, a, b, count, [=](At<int> x, At<int> y, At<int> z, int n) {
    Core* core = x.core;
    if (is_of_max) AscendC::Max(tensor(x), tensor(y), tensor(z), n);
    if (is_of_min) AscendC::Min(tensor(x), tensor(y), tensor(z), n);
    core->turn(Core::kVector);
    AscendC::Compare(core->bits(), tensor(is_of_max || is_of_min ? x : z), tensor(y), AscendC::CMPMODE::EQ, (uint32_t)((n + 63) / 64 * 64));
    core->turn(Core::kVector);
    AscendC::Duplicate(tensor(x), (int32_t)1, n);
    chosen(x, (At<float>)x, false, n);
    if (is_inverse) {
      core->turn(Core::kVector);
      AscendC::Muls(tensor(x), tensor(x), (int32_t)-1, n);
      core->turn(Core::kVector);
      AscendC::Adds(tensor(x), tensor(x), (int32_t)1, n);
    }
  });
}
template <class T> __aicore__ inline void lt(At<T> to, At<T> a, At<T> b, int64_t count) { compare(to, a, b, count, AscendC::CMPMODE::LT); }
template <class T> __aicore__ inline void le(At<T> to, At<T> a, At<T> b, int64_t count) { compare(to, a, b, count, AscendC::CMPMODE::LE); }
template <class T> __aicore__ inline void gt(At<T> to, At<T> a, At<T> b, int64_t count) { compare(to, a, b, count, AscendC::CMPMODE::GT); }
template <class T> __aicore__ inline void ge(At<T> to, At<T> a, At<T> b, int64_t count) { compare(to, a, b, count, AscendC::CMPMODE::GE); }
template <class T> __aicore__ inline void eq(At<T> to, At<T> a, At<T> b, int64_t count) { compare(to, a, b, count, AscendC::CMPMODE::EQ); }
template <class T> __aicore__ inline void ne(At<T> to, At<T> a, At<T> b, int64_t count) { compare(to, a, b, count, AscendC::CMPMODE::NE); }
__aicore__ inline void mask_and(At<float> to, At<float> a, At<float> b, int64_t count) { mul(to, a, b, count); }
__aicore__ inline void mask_or(At<float> to, At<float> a, At<float> b, int64_t count) { maxequal(to, a, b, count); }
__aicore__ inline void mask_not(At<float> to, At<float> a, int64_t count) {
  mul_scalar(to, a, -1.0f, count);
  add_scalar(to, to, 1.0f, count);
}
// Where the mask is not 0, `to` gets `from`.
template <class T>
__aicore__ inline void maskmove(At<T> to, At<T> from, At<float> mask, int64_t count) {
  for (int64_t done = 0; done < count; done += kBitLanes) {
    const int64_t part = count - done < kBitLanes ? count - done : kBitLanes;
    lanes(to + done, from + done, mask + done, part, [](At<T> x, At<T> y, At<float> z, int n) {
      AscendC::CompareScalar(x.core->bits(), tensor(z), 0.0f, AscendC::CMPMODE::NE, (uint32_t)((n + 63) / 64 * 64));
      chosen(x, (At<float>)y, true, n);
    });
  }
}
__aicore__ inline float sum(At<float> from, int64_t count) {
  Core* core = from.core;
  float total = 0;
  int64_t done = 0;
  for (; done < count && !(from + done).is_aligned(); ++done) total += from[done].value();
  if (done < count) {
    core->turn(Core::kVector);
    AscendC::ReduceSum(tensor(core->slot<float>()), tensor(from + done), tensor(core->sums()), (int32_t)(count - done));
    total += core->slot<float>()[0].value();
  }
  return total;
}

}  // namespace port
