// Never freed. // EXPECT leak
int main() {
  int* data;
  cudaMalloc(&data, 16);
}
