// Dynamic programming along anti-diagonals: three rows in dynamic shared memory, one block per pair of words, short and char types.
#include <string>

#include "check.h"

__global__ void distances(const char* words, const int* starts, int pairs, unsigned short* out) {
  extern __shared__ unsigned short rows[];
  if (blockIdx.x >= pairs) return;
  const char *a = words + starts[2 * blockIdx.x], *b = words + starts[2 * blockIdx.x + 1];
  const int n = starts[2 * blockIdx.x + 1] - starts[2 * blockIdx.x], m = starts[2 * blockIdx.x + 2] - starts[2 * blockIdx.x + 1];
  const int width = blockDim.x;
  for (int d = 0; d <= n + m; ++d) {
    const int i = threadIdx.x, j = d - i;
    unsigned short* now = rows + d % 3 * width;
    const unsigned short *before = rows + (d + 2) % 3 * width, *before2 = rows + (d + 1) % 3 * width;
    if (i <= n && j >= 0 && j <= m) {
      if (i == 0 || j == 0) now[i] = static_cast<unsigned short>(i + j);
      else now[i] = static_cast<unsigned short>(min(min(before[i - 1], before[i]) + 1, before2[i - 1] + (a[i - 1] != b[j - 1])));
    }
    __syncthreads();
  }
  if (threadIdx.x == n) out[blockIdx.x] = rows[(n + m) % 3 * width + n];
}

int main() {
  Inputs inputs;
  std::string all;
  std::vector<int> starts = {0};
  const int pairs = 6;
  for (int w = 0; w < 2 * pairs; ++w) {
    for (int i = 5 + int(inputs.next() % 40); i > 0; --i) all += char('a' + inputs.next() % 3);
    starts.push_back(int(all.size()));
  }
  OnCard<char> words(std::vector<char>(all.begin(), all.end()));
  OnCard<int> cs(starts);
  OnCard<unsigned short> out(pairs);
  distances<<<pairs, 64, 3 * 64 * sizeof(unsigned short)>>>(words, cs, pairs, out);
  const std::vector<unsigned short> got = out.fetch();
  for (int p = 0; p < pairs; ++p) {
    const std::string a = all.substr(starts[2 * p], starts[2 * p + 1] - starts[2 * p]), b = all.substr(starts[2 * p + 1], starts[2 * p + 2] - starts[2 * p + 1]);
    std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i)
      for (std::size_t j = 0; j <= b.size(); ++j)
        d[i][j] = i == 0 || j == 0 ? int(i + j) : std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
    EXPECT(got[p] == d[a.size()][b.size()]);
  }
  return 0;
}
