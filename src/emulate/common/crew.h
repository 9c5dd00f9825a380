// Crew: the threads that carry out pieces of launches, as many as the settings allow; one in a check. Called by one thread at a
// time.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace starbridge::emulate {

// Never ended: the process is.
class Crew {
 public:
  static Crew& instance();
  int size() const { return static_cast<int>(threads_.size()) + 1; }
  // Calls piece(number) on every worker, the caller being number 0, and waits for all.
  void run(const std::function<void(int)>& piece);

 private:
  Crew();
  void work(int number);

  std::mutex mutex_;
  std::condition_variable start_, done_;
  const std::function<void(int)>* piece_ = nullptr;
  std::uint64_t round_ = 0;
  int open_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace starbridge::emulate
