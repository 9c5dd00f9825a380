// cudaMemset of an array on the stack.
int main() {
  int host[4];
  return cudaMemset(host, 0, sizeof host) == cudaSuccess;  // EXPECT host-pointer-on-device
}
