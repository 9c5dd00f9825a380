#include "emulate/common/crew.h"

#include <algorithm>

#include "emulate/common/crash.h"
#include "emulate/common/settings.h"

namespace starbridge::emulate {

Crew& Crew::instance() {
  static Crew* crew = new Crew;
  return *crew;
}

Crew::Crew() {
  int count = settings().is_check || settings().is_timed ? 1 : settings().workers;
  if (count == 0) count = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  for (int i = 1; i < count; ++i) threads_.emplace_back([this, i] { work(i); });
  for (std::thread& thread : threads_) thread.detach();
}

void Crew::run(const std::function<void(int)>& piece) {
  {
    std::lock_guard lock(mutex_);
    piece_ = &piece;
    open_ = static_cast<int>(threads_.size());
    ++round_;
  }
  start_.notify_all();
  piece(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return open_ == 0; });
}

void Crew::work(int number) {
  guard_against_crashes_on_this_thread();
  std::uint64_t seen = 0;
  for (;;) {
    const std::function<void(int)>* piece = nullptr;
    {
      std::unique_lock lock(mutex_);
      start_.wait(lock, [&] { return round_ != seen; });
      seen = round_;
      piece = piece_;
    }
    (*piece)(number);
    std::lock_guard lock(mutex_);
    if (--open_ == 0) done_.notify_one();
  }
}

}  // namespace starbridge::emulate
