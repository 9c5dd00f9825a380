#include "kernel/port/advice.h"

#include <algorithm>

namespace starbridge::kernel::port {

using base::text;

namespace {

constexpr double kNearBound = 1.5;  // closer than this nothing is advised
constexpr double kShareMin = 0.15;  // of the time, for a loss to be named

struct Loss {
  double us;
  base::Text words;
};

std::string fixed(double value, int digits = 1) {
  std::string out = std::to_string(value);
  const std::size_t dot = out.find('.');
  return digits == 0 ? out.substr(0, dot) : out.substr(0, dot + 1 + static_cast<std::size_t>(digits));
}

}  // namespace

base::Text bottleneck_text(const ModelledKernel& kernel) {
  const std::string_view pipe = kernel.port.bottleneck();
  if (pipe == "scalar") return text("the scalar unit", "标量单元");
  if (pipe == "vector") return text("the vector unit", "向量单元");
  if (pipe == "matrix") return text("the matrix unit", "矩阵单元");
  if (pipe == "io") return text("copies between the chip's memory and the cores", "片外存储与核之间的拷贝");
  if (pipe == "move") return text("copies on the chip", "片内拷贝");
  return text("waiting: the pipes take turns instead of working together", "等待：各流水轮流工作而非同时工作");
}

std::vector<base::Text> advice_for(const ModelledKernel& kernel, const cost::ChipCosts& costs) {
  const cost::KernelTimes& port = kernel.port;
  if (port.us <= 0 || kernel.bound_ratio() < kNearBound) return {};
  const double cores = costs["cores"], per_us = costs["clock_mhz"];
  std::vector<Loss> losses;
  const double far = static_cast<double>(port.far_accesses) * costs["far_load"] / cores / per_us;
  losses.push_back(
      {far, text("{} scalar accesses of the chip's memory, about {} us: copied to the core first they would cost a fraction",
                 "有 {} 次标量访存直接访问片外存储，约 {} 微秒：先拷入核内可大幅减少", port.far_accesses, fixed(far))});
  const double other = port.busy_us[0] - far;
  losses.push_back(
      {other, text("{} scalar instructions, about {} us: statements that run thread by thread, addresses of short vectors",
                   "有 {} 条标量指令，约 {} 微秒：逐线程执行的语句与短向量的地址计算", port.scalar_operations, fixed(other))});
  if (port.vector_operations > 0) {
    const double mean = static_cast<double>(port.vector_bytes) / static_cast<double>(port.vector_operations);
    const double start = static_cast<double>(port.vector_operations) * costs["vector_start"] / cores / per_us;
    losses.push_back({start, text("{} vector operations of {} bytes on average; starting them takes about {} us: longer tiles",
                                  "有 {} 次向量操作，平均 {} 字节；仅启动就约 {} 微秒：应加长分块", port.vector_operations,
                                  fixed(mean, 0), fixed(start))});
  }
  const double unique = static_cast<double>(port.unique_bytes_read + port.unique_bytes_written);
  const double moved = static_cast<double>(port.bytes_read + port.bytes_written);
  if (moved > unique * 1.2) {
    const double again = (moved - unique) / (costs["memory_gbps"] * 1000);
    losses.push_back(
        {again, text("the memory moves {} times the bytes the kernel touches, about {} us more: keep what is read again in the "
                     "core, avoid strided copies of less than a line",
                     "访存量是所触及数据的 {} 倍，多花约 {} 微秒：重复读取的数据应留在核内，避免小于一行的跨步拷贝",
                     fixed(moved / std::max(unique, 1.0)), fixed(again))});
  }
  const double busiest = *std::max_element(port.busy_us.begin(), port.busy_us.end());
  if (port.copies > 0)
    losses.push_back(
        {port.us - busiest, text("about {} us in which the core waits for one pipe after the other: {} copies of {} bytes on "
                                 "average; larger tiles, and the next tile's copies under way while this one is computed",
                                 "约 {} 微秒花在各流水互相等待：共 {} 次拷贝，平均 {} 字节；应加大分块，并在计算时预取下一块",
                                 fixed(port.us - busiest), port.copies, fixed(moved / static_cast<double>(port.copies), 0))});
  if (port.us_mean > 0 && port.us > 1.3 * port.us_mean)
    losses.push_back({port.us - port.us_mean,
                      text("the slowest core works {} us, a core on average {} us: more, smaller tiles",
                           "最慢的核用时 {} 微秒，平均 {} 微秒：应分成更多更小的块", fixed(port.us), fixed(port.us_mean))});
  std::stable_sort(losses.begin(), losses.end(), [](const Loss& a, const Loss& b) { return a.us > b.us; });
  std::vector<base::Text> advice;
  for (const Loss& loss : losses) {
    if (loss.us >= kShareMin * port.us) advice.push_back(loss.words);
  }
  return advice;
}

}  // namespace starbridge::kernel::port
