// Work on several threads: each index once, in no order a caller may rely on. `work` must be safe to call from many threads at
// once.
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace starbridge::base {

template <class Work>
void for_each_index(std::size_t count, std::size_t thread_count, const Work& work) {
  std::atomic<std::size_t> next{0};
  auto run_some = [&] {
    for (std::size_t index = next++; index < count; index = next++) work(index);
  };
  std::vector<std::thread> threads;
  for (std::size_t started = 1; started < thread_count && started < count; ++started) threads.emplace_back(run_some);
  run_some();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace starbridge::base
