// Device-wide primitives of CUB against the host: reductions, scans, sorts in every form, selection, runs, histograms, segments.
#include <cub/cub.cuh>

#include <numeric>

#include "check.h"

// Asks for the room, takes it, does the work.
template <class Call> void with_room(Call call) {
  size_t bytes = 0;
  CHECK(call(nullptr, bytes));
  EXPECT(bytes > 0);
  OnCard<char> room(bytes);
  CHECK(call(room.data, bytes));
  CHECK(cudaDeviceSynchronize());
}

struct IsOdd { __host__ __device__ bool operator()(int x) const { return x % 2 != 0; } };
struct Square { __host__ __device__ long long operator()(int x) const { return (long long)x * x; } };
struct ByLastDigit { __host__ __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; } };

void reductions(Inputs& inputs) {
  const std::vector<int> in = inputs.ints(777, 1000);
  OnCard<int> from(in), out(1);
  with_room([&](void* room, size_t& bytes) { return cub::DeviceReduce::Sum(room, bytes, from.data, out.data, 777); });
  EXPECT(out.fetch()[0] == std::accumulate(in.begin(), in.end(), 0));
  with_room([&](void* room, size_t& bytes) { return cub::DeviceReduce::Max(room, bytes, from.data, out.data, 777); });
  EXPECT(out.fetch()[0] == *std::max_element(in.begin(), in.end()));
  with_room([&](void* room, size_t& bytes) { return cub::DeviceReduce::Min(room, bytes, from.data, out.data, 777); });
  EXPECT(out.fetch()[0] == *std::min_element(in.begin(), in.end()));
  OnCard<cub::KeyValuePair<int, int>> place(1);
  with_room([&](void* room, size_t& bytes) { return cub::DeviceReduce::ArgMin(room, bytes, from.data, place.data, 777); });
  EXPECT(place.fetch()[0].key == std::min_element(in.begin(), in.end()) - in.begin());
  with_room([&](void* room, size_t& bytes) { return cub::DeviceReduce::ArgMax(room, bytes, from.data, place.data, 777); });
  EXPECT(place.fetch()[0].key == std::max_element(in.begin(), in.end()) - in.begin());
  OnCard<long long> wide(1);
  with_room([&](void* room, size_t& bytes) {
    return cub::DeviceReduce::TransformReduce(room, bytes, from.data, wide.data, 777, cub::Sum(), Square(), 5LL);
  });
  long long squares = 5;
  for (int x : in) squares += (long long)x * x;
  EXPECT(wide.fetch()[0] == squares);
  cub::CountingInputIterator<int> counting(3);
  with_room([&](void* room, size_t& bytes) { return cub::DeviceReduce::Sum(room, bytes, counting, out.data, 10); });
  EXPECT(out.fetch()[0] == 75);

  std::vector<int> keys = inputs.ints(200, 4), sums, distinct;
  for (int i = 0; i < 200; ++i) {
    if (i == 0 || keys[i] != keys[i - 1]) distinct.push_back(keys[i]), sums.push_back(0);
    sums.back() += in[i];
  }
  OnCard<int> card_keys(keys), keys_out(200), sums_out(200);
  with_room([&](void* room, size_t& bytes) {
    return cub::DeviceReduce::ReduceByKey(room, bytes, card_keys.data, keys_out.data, from.data, sums_out.data, out.data, cub::Sum(), 200);
  });
  const int runs = out.fetch()[0];
  EXPECT(runs == (int)distinct.size());
  for (int i = 0; i < runs; ++i) EXPECT(keys_out.data != nullptr);
  std::vector<int> first(runs);
  CHECK(cudaMemcpy(first.data(), sums_out.data, runs * sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(first == sums);
  CHECK(cudaMemcpy(first.data(), keys_out.data, runs * sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(first == distinct);
}

void scans(Inputs& inputs) {
  const std::vector<int> in = inputs.ints(500, 100);
  OnCard<int> from(in), to(500);
  std::vector<int> wanted(500);
  with_room([&](void* room, size_t& bytes) { return cub::DeviceScan::ExclusiveSum(room, bytes, from.data, to.data, 500); });
  std::exclusive_scan(in.begin(), in.end(), wanted.begin(), 0);
  EXPECT(to.fetch() == wanted);
  with_room([&](void* room, size_t& bytes) { return cub::DeviceScan::InclusiveSum(room, bytes, from.data, to.data, 500); });
  std::inclusive_scan(in.begin(), in.end(), wanted.begin());
  EXPECT(to.fetch() == wanted);
  with_room([&](void* room, size_t& bytes) { return cub::DeviceScan::InclusiveScan(room, bytes, from.data, to.data, cub::Max(), 500); });
  std::inclusive_scan(in.begin(), in.end(), wanted.begin(), [](int a, int b) { return std::max(a, b); });
  EXPECT(to.fetch() == wanted);
  with_room([&](void* room, size_t& bytes) { return cub::DeviceScan::ExclusiveScan(room, bytes, from.data, to.data, cub::Min(), 50, 500); });
  std::exclusive_scan(in.begin(), in.end(), wanted.begin(), 50, [](int a, int b) { return std::min(a, b); });
  EXPECT(to.fetch() == wanted);
}

void sorts(Inputs& inputs) {
  std::vector<int> keys = inputs.ints(600, 2000), places(600);
  for (int& key : keys) key -= 1000;
  std::iota(places.begin(), places.end(), 0);
  OnCard<int> from(keys), to(600), values(places), values_out(600);
  with_room([&](void* room, size_t& bytes) { return cub::DeviceRadixSort::SortPairs(room, bytes, from.data, to.data, values.data, values_out.data, 600); });
  std::vector<int> order = places;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return keys[a] < keys[b]; });
  EXPECT(values_out.fetch() == order);
  std::vector<int> sorted = keys;
  std::sort(sorted.begin(), sorted.end(), std::greater<int>());
  cub::DoubleBuffer<int> buffers(from.data, to.data);
  with_room([&](void* room, size_t& bytes) { return cub::DeviceRadixSort::SortKeysDescending(room, bytes, buffers, 600); });
  std::vector<int> got(600);
  CHECK(cudaMemcpy(got.data(), buffers.Current(), 600 * sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(got == sorted);

  // Only bits 4 to 8 count: equal ones keep their order.
  OnCard<unsigned> bits(std::vector<unsigned>(keys.begin(), keys.end())), bits_out(600);
  with_room([&](void* room, size_t& bytes) { return cub::DeviceRadixSort::SortKeys(room, bytes, bits.data, bits_out.data, 600, 4, 8); });
  std::vector<unsigned> by_bits(keys.begin(), keys.end());
  std::stable_sort(by_bits.begin(), by_bits.end(), [](unsigned a, unsigned b) { return (a >> 4 & 15) < (b >> 4 & 15); });
  EXPECT(bits_out.fetch() == by_bits);

  std::vector<float> reals = inputs.floats(300);
  reals[7] = -INFINITY, reals[8] = INFINITY, reals[9] = 0.0f;
  OnCard<float> card_reals(reals), reals_out(300);
  with_room([&](void* room, size_t& bytes) { return cub::DeviceRadixSort::SortKeys(room, bytes, card_reals.data, reals_out.data, 300); });
  std::sort(reals.begin(), reals.end());
  EXPECT(reals_out.fetch() == reals);

  OnCard<int> merged(keys);
  with_room([&](void* room, size_t& bytes) { return cub::DeviceMergeSort::StableSortKeys(room, bytes, merged.data, 600, ByLastDigit()); });
  std::vector<int> by_digit = keys;
  std::stable_sort(by_digit.begin(), by_digit.end(), ByLastDigit());
  EXPECT(merged.fetch() == by_digit);

  const std::vector<int> ends = {0, 100, 100, 350, 600};
  OnCard<int> offsets(ends), again(keys), segments(600);
  with_room([&](void* room, size_t& bytes) {
    return cub::DeviceSegmentedRadixSort::SortKeys(room, bytes, again.data, segments.data, 600, 4, offsets.data, offsets.data + 1);
  });
  std::vector<int> parts = keys;
  for (int s = 0; s < 4; ++s) std::sort(parts.begin() + ends[s], parts.begin() + ends[s + 1]);
  EXPECT(segments.fetch() == parts);
}

void choices(Inputs& inputs) {
  const std::vector<int> in = inputs.ints(400, 6);
  std::vector<char> flags(400);
  for (int i = 0; i < 400; ++i) flags[i] = i % 3 == 0;
  OnCard<int> from(in), to(400), count(1), lengths(400);
  OnCard<char> card_flags(flags);
  auto chosen = [&](auto&& keep) {
    std::vector<int> wanted, got(count.fetch()[0]);
    for (int i = 0; i < 400; ++i) if (keep(i)) wanted.push_back(in[i]);
    CHECK(cudaMemcpy(got.data(), to.data, got.size() * sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT(got == wanted);
  };
  with_room([&](void* room, size_t& bytes) { return cub::DeviceSelect::Flagged(room, bytes, from.data, card_flags.data, to.data, count.data, 400); });
  chosen([&](int i) { return flags[i] != 0; });
  with_room([&](void* room, size_t& bytes) { return cub::DeviceSelect::If(room, bytes, from.data, to.data, count.data, 400, IsOdd()); });
  chosen([&](int i) { return in[i] % 2 != 0; });
  with_room([&](void* room, size_t& bytes) { return cub::DeviceSelect::Unique(room, bytes, from.data, to.data, count.data, 400); });
  chosen([&](int i) { return i == 0 || in[i] != in[i - 1]; });
  with_room([&](void* room, size_t& bytes) { return cub::DevicePartition::If(room, bytes, from.data, to.data, count.data, 400, IsOdd()); });
  chosen([&](int i) { return in[i] % 2 != 0; });
  std::vector<int> all = to.fetch(), same_set = in;
  EXPECT(std::is_permutation(all.begin(), all.end(), same_set.begin()));

  with_room([&](void* room, size_t& bytes) { return cub::DeviceRunLengthEncode::Encode(room, bytes, from.data, to.data, lengths.data, count.data, 400); });
  chosen([&](int i) { return i == 0 || in[i] != in[i - 1]; });
  std::vector<int> run(count.fetch()[0]);
  CHECK(cudaMemcpy(run.data(), lengths.data, run.size() * sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(std::accumulate(run.begin(), run.end(), 0) == 400);

  OnCard<unsigned> bins(6);
  with_room([&](void* room, size_t& bytes) { return cub::DeviceHistogram::HistogramEven(room, bytes, from.data, bins.data, 7, 0, 6, 400); });
  const std::vector<unsigned> counted = bins.fetch();
  for (int v = 0; v < 6; ++v) EXPECT(counted[v] == (unsigned)std::count(in.begin(), in.end(), v));
  const std::vector<float> reals = inputs.floats(500), bounds = {-0.5f, 0.0f, 0.1f, 0.75f};
  OnCard<float> card_reals(reals), card_bounds(bounds);
  OnCard<int> ranged(3);
  with_room([&](void* room, size_t& bytes) { return cub::DeviceHistogram::HistogramRange(room, bytes, card_reals.data, ranged.data, 4, card_bounds.data, 500); });
  const std::vector<int> in_range = ranged.fetch();
  for (int b = 0; b < 3; ++b)
    EXPECT(in_range[b] == std::count_if(reals.begin(), reals.end(), [&](float x) { return x >= bounds[b] && x < bounds[b + 1]; }));

  const std::vector<int> ends = {0, 10, 10, 300, 400};
  OnCard<int> offsets(ends), sums(4);
  with_room([&](void* room, size_t& bytes) { return cub::DeviceSegmentedReduce::Sum(room, bytes, from.data, sums.data, 4, offsets.data, offsets.data + 1); });
  const std::vector<int> got = sums.fetch();
  for (int s = 0; s < 4; ++s) EXPECT(got[s] == std::accumulate(in.begin() + ends[s], in.begin() + ends[s + 1], 0));
}

int main() {
  Inputs inputs;
  reductions(inputs);
  scans(inputs);
  sorts(inputs);
  choices(inputs);
  return 0;
}
