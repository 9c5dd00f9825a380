// The kernel gives up by itself.
__global__ void stop() {
  __trap();  // EXPECT device-trap
}
int main() {
  stop<<<1, 1>>>();
  return cudaDeviceSynchronize() == cudaErrorLaunchFailure ? 0 : 1;
}
