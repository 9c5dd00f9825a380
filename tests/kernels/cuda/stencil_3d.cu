// Heat in a cube: seven points, two buffers that change places, double precision, three axes of threads.
#include "check.h"

__global__ void step(const double* in, double* out, int nx, int ny, int nz, double factor) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz) return;
  const int at = (z * ny + y) * nx + x;
  if (x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1) {
    out[at] = in[at];
    return;
  }
  out[at] = in[at] + factor * (in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx] + in[at - nx * ny] + in[at + nx * ny] - 6 * in[at]);
}

int main() {
  const int nx = 13, ny = 10, nz = 9, steps = 5;
  std::vector<double> a(nx * ny * nz), b(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = double(i % 17) / 3;
  OnCard<double> here(a), there(a.size());
  double *from = here, *to = there;
  for (int s = 0; s < steps; ++s) {
    step<<<dim3(2, 3, 5), dim3(8, 4, 2)>>>(from, to, nx, ny, nz, 0.1);
    std::swap(from, to);
    for (int z = 0; z < nz; ++z)
      for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x) {
          const int at = (z * ny + y) * nx + x;
          const bool inner = x > 0 && y > 0 && z > 0 && x < nx - 1 && y < ny - 1 && z < nz - 1;
          b[at] = a[at];
          if (inner) b[at] += 0.1 * (a[at - 1] + a[at + 1] + a[at - nx] + a[at + nx] + a[at - nx * ny] + a[at + nx * ny] - 6 * a[at]);
        }
    std::swap(a, b);
  }
  std::vector<double> got(a.size());
  CHECK(cudaMemcpy(got.data(), from, a.size() * sizeof(double), cudaMemcpyDeviceToHost));
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT(std::fabs(got[i] - a[i]) < 1e-12);
  return 0;
}
