// A kernel casts const away and writes its own constant.
__constant__ int c_value = 3;
__global__ void change() {
  *const_cast<volatile int*>(&c_value) = 4;  // EXPECT constant-write
}
int main() { change<<<1, 1>>>(); cudaDeviceSynchronize(); }
