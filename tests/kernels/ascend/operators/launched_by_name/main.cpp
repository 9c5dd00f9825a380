// Launches a kernel of another source by function and by macro.
#include "aclrtlaunch_doubled.h"

#include "../../check.h"

int main() {
  Stream stream;
  Inputs inputs;
  const std::vector<float> x = inputs.floats(256);
  std::vector<float> wanted;
  for (float value : x) wanted.push_back(2 * value);
  OnChip<float> on_x(x), first(256), second(256);
  ACLRT_LAUNCH_KERNEL(doubled)(4, stream.handle, on_x.data, first.data);
  aclrtlaunch_doubled(4, stream.handle, on_x.data, second.data);
  stream.sync();
  same(first.fetch(), wanted, 0);
  same(second.fetch(), wanted, 0);
}
