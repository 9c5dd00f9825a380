// Objects in kernels: virtual functions, function pointers, recursion, lambdas, placement and plain new, the device heap.
#include "check.h"

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual double area() const = 0;
};
struct Square : Shape {
  double side;
  __device__ explicit Square(double s) : side(s) {}
  __device__ double area() const override { return side * side; }
};
struct Ring : Shape {
  double outer, inner;
  __device__ Ring(double o, double i) : outer(o), inner(i) {}
  __device__ double area() const override { return 3 * (outer * outer - inner * inner); }
};
__global__ void areas(double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Shape* shape = i % 2 ? static_cast<Shape*>(new Square(i)) : new Ring(i + 1, i);
  out[i] = shape->area();
  delete shape;
}
__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ int twice(int x) { return 2 * x; }
__device__ int square(int x) { return x * x; }
__global__ void calls(int* out) {
  int (*functions[])(int) = {fibonacci, twice, square};
  out[threadIdx.x] = functions[threadIdx.x % 3](threadIdx.x);
}
template <class F> __global__ void each(int* values, int n, F f) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = f(values[i], i);
}
struct Node { int value; Node* next; };
__global__ void lists(int* sums) {
  Node* head = nullptr;
  for (int i = 0; i <= threadIdx.x % 9; ++i) head = new Node{i, head};
  int sum = 0;
  while (head != nullptr) {
    sum = sum * 10 + head->value;
    Node* next = head->next;
    delete head;
    head = next;
  }
  int* room = static_cast<int*>(malloc(4 * sizeof(int)));
  room[3] = sum;
  sums[threadIdx.x] = room[3];
  free(room);
}

int main() {
  OnCard<double> out(20);
  areas<<<1, 32>>>(out, 20);
  const std::vector<double> got = out.fetch();
  for (int i = 0; i < 20; ++i) EXPECT(got[i] == (i % 2 ? double(i) * i : 3.0 * (2 * i + 1)));
  OnCard<int> ints(18);
  calls<<<1, 18>>>(ints);
  std::vector<int> seen = ints.fetch();
  const int fib[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610};
  for (int i = 0; i < 18; ++i) EXPECT(seen[i] == (i % 3 == 0 ? fib[i] : i % 3 == 1 ? 2 * i : i * i));
  const int factor = 3;
  each<<<1, 32>>>(ints.data, 18, [=] __device__(int value, int i) { return value * factor - i; });
  const std::vector<int> after = ints.fetch();
  for (int i = 0; i < 18; ++i) EXPECT(after[i] == seen[i] * 3 - i);
  lists<<<1, 18>>>(ints);
  seen = ints.fetch();
  for (int i = 0; i < 18; ++i) {
    int sum = 0;
    for (int v = i % 9; v >= 0; --v) sum = sum * 10 + v;
    EXPECT(seen[i] == sum);
  }
  return 0;
}
