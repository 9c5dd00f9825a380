// refused: a pointer may point into different arrays
#include "../check.h"

__global__ void looks(float* a, int n) {
  const int i = threadIdx.x;
  float* found = nullptr;
  for (int k = 0; k < n; ++k) {
    if (found != nullptr) found[i] = 2.0f;
    if (k == i) found = a;
  }
}
int main() {
  std::vector<float> zeros(64);
  float* a = to_card(zeros);
  looks<<<1, 64>>>(a, 64);
  return from_card(a, 64)[0] == 2.0f ? 0 : 1;
}
