// thrust: vectors on both sides, transforms with own functors and lambdas, reductions, scans, sorts, searches, fancy iterators.
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/partition.h>
#include <thrust/random.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>

#include <map>
#include <numeric>

#include "check.h"

struct Saxpy {
  float a;
  __host__ __device__ float operator()(float x, float y) const { return a * x + y; }
};
struct IsEven {
  __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};
struct Length {
  __host__ __device__ float operator()(const thrust::tuple<float, float>& t) const {
    return sqrtf(thrust::get<0>(t) * thrust::get<0>(t) + thrust::get<1>(t) * thrust::get<1>(t));
  }
};

__global__ void sort_inside(int* values, int n) { thrust::sort(thrust::seq, values, values + n); }

void vectors_and_transforms(int n) {
  Inputs inputs;
  std::vector<float> x = inputs.floats(n), y = inputs.floats(n);
  thrust::device_vector<float> dx(x.begin(), x.end()), dy = y, dz(n);
  thrust::transform(dx.begin(), dx.end(), dy.begin(), dz.begin(), Saxpy{2.5f});
  thrust::host_vector<float> z = dz;
  for (int i = 0; i < n; ++i) EXPECT(std::fabs(z[i] - (2.5f * x[i] + y[i])) < 1e-6f);
  const float scale = 3;
  thrust::transform(thrust::device, dx.begin(), dx.end(), dx.begin(), [scale] __device__(float v) { return v * scale; });
  float last = dx[n - 1];
  EXPECT(last == x[n - 1] * 3);
  dx[0] = 42;
  EXPECT(dx.front() == 42.0f);
  const double sum = thrust::transform_reduce(dy.begin(), dy.end(), thrust::square<float>(), 0.0, thrust::plus<double>());
  double wanted = 0;
  for (float v : y) wanted += double(v * v);
  EXPECT(std::fabs(sum - wanted) < 1e-9);
  auto pairs = thrust::make_zip_iterator(thrust::make_tuple(dy.begin(), dz.begin()));
  thrust::device_vector<float> lengths(n);
  thrust::transform(pairs, pairs + n, lengths.begin(), Length());
  EXPECT(std::fabs(float(lengths[3]) - std::hypot(y[3], z[3])) < 1e-6f);
  EXPECT(std::fabs(thrust::inner_product(dy.begin(), dy.end(), dz.begin(), 0.0f) - std::inner_product(y.begin(), y.end(), z.begin(), 0.0f)) < 1e-4f);
}

void integers(int n) {
  Inputs inputs;
  std::vector<int> v = inputs.ints(n, 50), sorted = v;
  std::sort(sorted.begin(), sorted.end());
  thrust::device_vector<int> d = v, sums(n);
  EXPECT(thrust::reduce(d.begin(), d.end()) == std::accumulate(v.begin(), v.end(), 0));
  EXPECT(thrust::reduce(d.begin(), d.end(), -1, thrust::maximum<int>()) == sorted.back());
  EXPECT(thrust::max_element(d.begin(), d.end()) - d.begin() == std::max_element(v.begin(), v.end()) - v.begin());
  EXPECT(thrust::count_if(d.begin(), d.end(), IsEven()) == std::count_if(v.begin(), v.end(), IsEven()));
  thrust::exclusive_scan(d.begin(), d.end(), sums.begin());
  int running = 0;
  thrust::host_vector<int> hs = sums;
  for (int i = 0; i < n; ++i) {
    EXPECT(hs[i] == running);
    running += v[i];
  }
  thrust::device_vector<int> order(n), copy = d;
  thrust::sequence(order.begin(), order.end());
  thrust::sort_by_key(d.begin(), d.end(), order.begin());
  thrust::host_vector<int> hd = d, ho = order;
  for (int i = 0; i < n; ++i) {
    EXPECT(hd[i] == sorted[i] && v[ho[i]] == sorted[i]);
    if (i > 0 && hd[i] == hd[i - 1]) EXPECT(ho[i - 1] < ho[i]);
  }
  thrust::device_vector<int> keys(n), counts(n), where(3);
  auto ends = thrust::reduce_by_key(d.begin(), d.end(), thrust::make_constant_iterator(1), keys.begin(), counts.begin());
  std::map<int, int> histogram;
  for (int each : v) ++histogram[each];
  EXPECT(ends.first - keys.begin() == int(histogram.size()));
  int at = 0;
  for (auto [key, count] : histogram) {
    EXPECT(keys[at] == key && counts[at] == count);
    ++at;
  }
  std::vector<int> asked = {7, 20, 49};
  thrust::device_vector<int> dasked = asked;
  thrust::lower_bound(d.begin(), d.end(), dasked.begin(), dasked.end(), where.begin());
  for (int i = 0; i < 3; ++i) EXPECT(where[i] == std::lower_bound(sorted.begin(), sorted.end(), asked[i]) - sorted.begin());
  EXPECT(thrust::unique(d.begin(), d.end()) - d.begin() == int(histogram.size()));
  thrust::device_vector<int> evens(n);
  auto end = thrust::copy_if(copy.begin(), copy.end(), evens.begin(), IsEven());
  EXPECT(end - evens.begin() == std::count_if(v.begin(), v.end(), IsEven()));
  copy.erase(thrust::remove_if(copy.begin(), copy.end(), IsEven()), copy.end());
  EXPECT(int(copy.size()) == n - (end - evens.begin()));
  auto squares = thrust::make_transform_iterator(thrust::counting_iterator<int>(1), thrust::square<int>());
  EXPECT(thrust::reduce(squares, squares + 10) == 385);
  thrust::device_vector<int> map = asked, picked(3);
  for (int i = 0; i < 3; ++i) map[i] = i * 2;
  thrust::gather(map.begin(), map.end(), order.begin(), picked.begin());
  auto through = thrust::make_permutation_iterator(order.begin(), map.begin());
  EXPECT(thrust::equal(picked.begin(), picked.end(), through));
}

int main() {
  vectors_and_transforms(1000);
  integers(777);
  std::vector<int> some = {5, 3, 9, 1, 1, 8};
  OnCard<int> raw(some);
  sort_inside<<<1, 1>>>(raw, 6);
  EXPECT(raw.fetch() == (std::vector<int>{1, 1, 3, 5, 8, 9}));
  thrust::device_ptr<int> wrapped = thrust::device_pointer_cast(raw.data);
  thrust::sort(wrapped, wrapped + 6, thrust::greater<int>());
  EXPECT(raw.fetch() == (std::vector<int>{9, 8, 5, 3, 1, 1}));
  thrust::default_random_engine engine(17);
  thrust::uniform_real_distribution<float> uniform(0, 1);
  thrust::host_vector<float> drawn(2000);
  thrust::generate(drawn.begin(), drawn.end(), [&] { return uniform(engine); });
  EXPECT(std::fabs(thrust::reduce(drawn.begin(), drawn.end()) / 2000 - 0.5f) < 0.03f);
}
