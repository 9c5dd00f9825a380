// refused: virtual
struct Base {
  __device__ virtual int get() const { return 1; }
};
__global__ void k(int* to) {
  Base base;
  to[0] = base.get();
}

int main() { k<<<1, 64>>>(nullptr); }
