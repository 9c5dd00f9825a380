// Device-wide primitives of CUB that choose, count and group: selection, partition, runs, histograms, segments.
#pragma once

#include "cub/device_primitives.cuh"

namespace cub {
namespace details {
template <class In, class Out, class Count, class Choose> struct Select {
  In in; Out out; Count chosen; long long count; Choose choose; bool keep_others;
  SB_MEMBER void operator()() const {
    long long found = 0, others = count;
    for (long long i = 0; i < count; ++i) {
      if (choose(in, i)) out[found++] = in[i];
      else if (keep_others) out[--others] = in[i];  // what is not chosen comes last, in reverse
    }
    *chosen = found;
  }
};
template <class Flags> struct ByFlag {
  Flags flags;
  template <class In> SB_MEMBER bool operator()(In, long long i) const { return flags[i] ? true : false; }
};
template <class Test> struct ByTest {
  Test test;
  template <class In> SB_MEMBER bool operator()(In in, long long i) const { return test(in[i]); }
};
struct FirstOfRun {
  template <class In> SB_MEMBER bool operator()(In in, long long i) const { return i == 0 || !(in[i] == in[i - 1]); }
};
template <class In, class Values, class Lengths, class Runs> struct Encode {
  In in; Values values; Lengths lengths; Runs runs; long long count;
  SB_MEMBER void operator()() const {
    long long run = -1;
    for (long long i = 0; i < count; ++i) {
      if (i > 0 && in[i] == in[i - 1]) lengths[run] = lengths[run] + 1;
      else ++run, values[run] = in[i], lengths[run] = 1;
    }
    *runs = run + 1;
  }
};
template <class In, class Offsets, class Lengths, class Runs> struct LongRuns {
  In in; Offsets offsets; Lengths lengths; Runs runs; long long count;
  SB_MEMBER void operator()() const {
    long long run = 0;
    for (long long i = 0, end; i < count; i = end) {
      for (end = i + 1; end < count && in[end] == in[i];) ++end;
      if (end - i > 1) offsets[run] = i, lengths[run] = end - i, ++run;
    }
    *runs = run;
  }
};
// Samples of several channels; the last channels of a sample may have no histogram.
template <class In, class Counter, class Bin, int Channels, int Active> struct Histogram {
  In in; Counter* bins[Active]; int levels[Active]; Bin bin[Active]; long long row_samples, rows; size_t row_bytes;
  SB_MEMBER void operator()() const {
    typedef typename std::iterator_traits<In>::value_type T;
    for (int channel = 0; channel < Active; ++channel)
      for (int i = 0; i < levels[channel] - 1; ++i) bins[channel][i] = 0;
    for (long long row = 0; row < rows; ++row) {
      const long long start = row * (long long)(row_bytes / sizeof(T));
      for (long long i = 0; i < row_samples; ++i) {
        for (int channel = 0; channel < Active; ++channel) {
          const int place = bin[channel](in[start + i * Channels + channel], levels[channel]);
          if (place >= 0) bins[channel][place] += 1;
        }
      }
    }
  }
};
template <class Level> struct EvenBin {
  Level lower, upper;
  template <class T> SB_MEMBER int operator()(T sample, int levels) const {
    if (sample < lower || !(sample < upper)) return -1;
    if (std::is_integral<Level>::value) return (int)((unsigned long long)(sample - lower) * (unsigned long long)(levels - 1) / (unsigned long long)(upper - lower));
    return (int)((sample - lower) * ((levels - 1) / (double)(upper - lower)));
  }
};
template <class Level> struct RangeBin {
  const Level* bounds;
  template <class T> SB_MEMBER int operator()(T sample, int levels) const {
    int place = -1;
    while (place + 1 < levels && !(sample < bounds[place + 1])) ++place;
    return place < levels - 1 ? place : -1;
  }
};
template <class In, class Out, class Begin, class End, class Operation, class T> struct FoldSegments {
  In in; Out out; int segments; Begin begin; End end; Operation operation; T initial;
  SB_MEMBER void operator()() const {
    for (int s = 0; s < segments; ++s) {
      T sum = initial;
      for (long long i = begin[s]; i < (long long)end[s]; ++i) sum = operation(sum, (T)in[i]);
      out[s] = sum;
    }
  }
};
template <class Body> struct ForBody {
  Body body; long long count;
  SB_MEMBER void operator()() const { for (long long i = 0; i < count; ++i) body(i); }
};
}  // namespace details

struct DeviceSelect {
  template <class In, class Flags, class Out, class Count>
  static cudaError_t Flagged(void* storage, size_t& bytes, In in, Flags flags, Out out, Count chosen, int count, cudaStream_t stream = 0) {
    return details::carry_out(storage, bytes, stream, details::Select<In, Out, Count, details::ByFlag<Flags>>{in, out, chosen, count, {flags}, false});
  }
  template <class In, class Out, class Count, class Test>
  static cudaError_t If(void* storage, size_t& bytes, In in, Out out, Count chosen, int count, Test test, cudaStream_t stream = 0) {
    return details::carry_out(storage, bytes, stream, details::Select<In, Out, Count, details::ByTest<Test>>{in, out, chosen, count, {test}, false});
  }
  template <class In, class Out, class Count>
  static cudaError_t Unique(void* storage, size_t& bytes, In in, Out out, Count chosen, int count, cudaStream_t stream = 0) {
    return details::carry_out(storage, bytes, stream, details::Select<In, Out, Count, details::FirstOfRun>{in, out, chosen, count, {}, false});
  }
};
struct DevicePartition {
  template <class In, class Flags, class Out, class Count>
  static cudaError_t Flagged(void* storage, size_t& bytes, In in, Flags flags, Out out, Count chosen, int count, cudaStream_t stream = 0) {
    return details::carry_out(storage, bytes, stream, details::Select<In, Out, Count, details::ByFlag<Flags>>{in, out, chosen, count, {flags}, true});
  }
  template <class In, class Out, class Count, class Test>
  static cudaError_t If(void* storage, size_t& bytes, In in, Out out, Count chosen, int count, Test test, cudaStream_t stream = 0) {
    return details::carry_out(storage, bytes, stream, details::Select<In, Out, Count, details::ByTest<Test>>{in, out, chosen, count, {test}, true});
  }
};
struct DeviceRunLengthEncode {
  template <class In, class Values, class Lengths, class Runs>
  static cudaError_t Encode(void* storage, size_t& bytes, In in, Values values, Lengths lengths, Runs runs, int count, cudaStream_t stream = 0) {
    return details::carry_out(storage, bytes, stream, details::Encode<In, Values, Lengths, Runs>{in, values, lengths, runs, count});
  }
  template <class In, class Offsets, class Lengths, class Runs>
  static cudaError_t NonTrivialRuns(void* storage, size_t& bytes, In in, Offsets offsets, Lengths lengths, Runs runs, int count, cudaStream_t stream = 0) {
    return details::carry_out(storage, bytes, stream, details::LongRuns<In, Offsets, Lengths, Runs>{in, offsets, lengths, runs, count});
  }
};
struct DeviceHistogram {
  template <class In, class Counter, class Level>
  static cudaError_t HistogramEven(void* storage, size_t& bytes, In in, Counter* bins, int levels, Level lower, Level upper, int count, cudaStream_t stream = 0) {
    return details::carry_out(storage, bytes, stream, details::Histogram<In, Counter, details::EvenBin<Level>, 1, 1>{in, {bins}, {levels}, {{lower, upper}}, count, 1, 0});
  }
  template <class In, class Counter, class Level>
  static cudaError_t HistogramEven(void* storage, size_t& bytes, In in, Counter* bins, int levels, Level lower, Level upper, int row_samples, int rows,
                                   size_t row_bytes, cudaStream_t stream = 0) {
    return details::carry_out(storage, bytes, stream,
                              details::Histogram<In, Counter, details::EvenBin<Level>, 1, 1>{in, {bins}, {levels}, {{lower, upper}}, row_samples, rows, row_bytes});
  }
  template <class In, class Counter, class Level>
  static cudaError_t HistogramRange(void* storage, size_t& bytes, In in, Counter* bins, int levels, const Level* bounds, int count, cudaStream_t stream = 0) {
    return details::carry_out(storage, bytes, stream, details::Histogram<In, Counter, details::RangeBin<Level>, 1, 1>{in, {bins}, {levels}, {{bounds}}, count, 1, 0});
  }
  template <int Channels, int Active, class In, class Counter, class Level>
  static cudaError_t MultiHistogramEven(void* storage, size_t& bytes, In in, Counter** bins, const int* levels, const Level* lower, const Level* upper, int pixels,
                                        cudaStream_t stream = 0) {
    details::Histogram<In, Counter, details::EvenBin<Level>, Channels, Active> body;
    body.in = in, body.row_samples = pixels, body.rows = 1, body.row_bytes = 0;
    for (int i = 0; i < Active; ++i) body.bins[i] = bins[i], body.levels[i] = levels[i], body.bin[i] = {lower[i], upper[i]};
    return details::carry_out(storage, bytes, stream, body);
  }
};
struct DeviceSegmentedReduce {
  template <class In, class Out, class Begin, class End, class Operation, class T>
  static cudaError_t Reduce(void* storage, size_t& bytes, In in, Out out, int segments, Begin begin, End end, Operation operation, T initial, cudaStream_t stream = 0) {
    return details::carry_out(storage, bytes, stream, details::FoldSegments<In, Out, Begin, End, Operation, T>{in, out, segments, begin, end, operation, initial});
  }
  template <class In, class Out, class Begin, class End>
  static cudaError_t Sum(void* storage, size_t& bytes, In in, Out out, int segments, Begin begin, End end, cudaStream_t stream = 0) {
    typedef typename std::iterator_traits<In>::value_type T;
    return Reduce(storage, bytes, in, out, segments, begin, end, cub::Sum(), T(0), stream);
  }
  template <class In, class Out, class Begin, class End>
  static cudaError_t Max(void* storage, size_t& bytes, In in, Out out, int segments, Begin begin, End end, cudaStream_t stream = 0) {
    typedef typename std::iterator_traits<In>::value_type T;
    return Reduce(storage, bytes, in, out, segments, begin, end, cub::Max(), std::numeric_limits<T>::lowest(), stream);
  }
  template <class In, class Out, class Begin, class End>
  static cudaError_t Min(void* storage, size_t& bytes, In in, Out out, int segments, Begin begin, End end, cudaStream_t stream = 0) {
    typedef typename std::iterator_traits<In>::value_type T;
    return Reduce(storage, bytes, in, out, segments, begin, end, cub::Min(), std::numeric_limits<T>::max(), stream);
  }
};
struct DeviceFor {
  template <class Count, class Body> static cudaError_t Bulk(Count count, Body body, cudaStream_t stream = 0) {
    size_t bytes = 1;
    return details::carry_out(&bytes, bytes, stream, details::ForBody<Body>{body, (long long)count});
  }
};
}  // namespace cub
