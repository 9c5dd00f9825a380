// refused: goto
__global__ void k(int* to) {
  int i = 0;
again:
  to[i] = i;
  if (++i < 4) goto again;
}

int main() { k<<<1, 64>>>(nullptr); }
