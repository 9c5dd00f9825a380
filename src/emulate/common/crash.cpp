#include "emulate/common/crash.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "emulate/common/finding_log.h"
#include "emulate/common/settings.h"

namespace starbridge::emulate {

namespace {

constexpr std::size_t kSignalStackBytes = 256UL << 10;
std::mutex g_mutex;
std::vector<pthread_t> g_threads;
const pthread_t g_main_thread = pthread_self();
std::atomic<bool> g_is_ending{false};
std::atomic<std::size_t> g_asked{0};     // threads that were asked where they are when the time was over
std::atomic<std::size_t> g_answered{0};  // those of them that ran no kernel
constexpr int kAnswerMillisecondsMax = 5000;

void end(int code) {
  finish_log();
  std::fflush(nullptr);
  std::_Exit(code);
}

// Where the user's code was: the interrupted instruction, or, when the runtime or the C library was at work for it, the nearest
// return address on the stack that lies in the kernel's library.
const void* place_of(void* context) {
#if defined(__x86_64__)
  const greg_t* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  // One more, as places are return addresses and the command looks up the byte before.
  const char* place = reinterpret_cast<const char*>(registers[REG_RIP]) + 1;
  const MachineState state = machine_state();
  Dl_info info = {};
  if (!state.is_in_kernel || dladdr(state.code, &info) == 0) return place;
  const char* start = static_cast<const char*>(info.dli_fbase);
  const char* code_end = end_of_library(start);
  if (place >= start && place < code_end) return place;
  const auto* word = reinterpret_cast<const char* const*>(registers[REG_RSP]);
  const auto* top = reinterpret_cast<const char* const*>(state.stack_high);
  if (word < reinterpret_cast<const char* const*>(state.stack_low)) word = reinterpret_cast<const char* const*>(state.stack_low);
  for (; word < top; ++word) {
    if (*word >= start && *word < code_end) return *word;
  }
  return place;
#else
  return nullptr;
#endif
}

void on_fault(int signal, siginfo_t* info, void* context) {
  if (g_is_ending.exchange(true)) {
    // The report itself failed, or another thread reports: nothing more can be said safely.
    sleep(1);
    std::_Exit(kExitCrashed);
  }
  const void* place = place_of(context);
  const void* address = info->si_addr;
  const bool is_in_kernel = machine_state().is_in_kernel;
  char where[32];
  std::snprintf(where, sizeof where, "%p", address);
  if (signal == SIGSEGV && is_stack_guard(address)) {
    report_here("stack-overflow", place, "the thread's stack is full (recursion or large local arrays)",
                "线程栈已满（递归或过大的局部数组）");
  } else if (is_in_kernel) {
    report_here("crash", place,
                std::string("the kernel was stopped by ") +
                    (signal == SIGFPE   ? "a division by zero"
                     : signal == SIGILL ? "an illegal instruction"
                                        : "an access of address ") +
                    (signal == SIGSEGV || signal == SIGBUS ? where : ""),
                std::string("内核因") +
                    (signal == SIGFPE   ? "除以零"
                     : signal == SIGILL ? "非法指令"
                                        : "访问地址 ") +
                    (signal == SIGSEGV || signal == SIGBUS ? where : "") + "而中止");
  } else if (signal == SIGSEGV && is_chip_memory(address)) {
    report_here("device-pointer-on-host", place, std::string("host code uses address ") + where + " of the card's memory",
                std::string("主机代码访问了显存地址 ") + where);
  } else {
    report_here("crash", place, std::string("host code was stopped by signal ") + std::to_string(signal),
                std::string("主机代码因信号 ") + std::to_string(signal) + " 而中止");
  }
  end(kExitCrashed);
}

void on_time_limit(int, siginfo_t*, void* context) {
  // Each thread answers where it is; the first one inside a kernel speaks for all. The main thread speaks for the host program,
  // when all have answered: on a busy machine the one in the kernel may be the last to run. A thread that has ended never
  // answers.
  if (!machine_state().is_in_kernel && context != nullptr) {
    ++g_answered;
    if (!pthread_equal(pthread_self(), g_main_thread)) {
      for (;;) pause();
    }
    for (int waited = 0; g_answered < g_asked && waited < kAnswerMillisecondsMax; ++waited) usleep(1000);
  }
  if (g_is_ending.exchange(true)) {
    for (;;) pause();
  }
  char limit[32];
  std::snprintf(limit, sizeof limit, "%g", settings().time_limit_s);
  const bool in_kernel = machine_state().is_in_kernel;
  report_here(
      "time-limit", place_of(context),
      std::string(in_kernel ? "the kernel still ran here after " : "the host program still ran here after ") + limit + " s",
      std::string(in_kernel ? "内核在此处仍未结束，已运行 " : "主机程序在此处仍未结束，已运行 ") + limit + " 秒");
  end(kExitTimeLimit);
}

void install() {
  struct sigaction action = {};
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  action.sa_sigaction = &on_fault;
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaction(signal, &action, nullptr);
  struct sigaction alarm = {};
  alarm.sa_flags = SA_SIGINFO | SA_ONSTACK;
  alarm.sa_sigaction = &on_time_limit;
  sigaction(SIGUSR2, &alarm, nullptr);
  if (settings().time_limit_s > 0) {
    std::thread([] {
      std::this_thread::sleep_for(std::chrono::duration<double>(settings().time_limit_s));
      std::lock_guard lock(g_mutex);
      g_asked = g_threads.size();
      for (pthread_t thread : g_threads) pthread_kill(thread, SIGUSR2);
    }).detach();
  }
}

}  // namespace

const char* end_of_library(const char* start) {
  struct Search {
    const char* start;
    const char* end;
  } search{start, start};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto* found = static_cast<Search*>(data);
        if (reinterpret_cast<const char*>(info->dlpi_addr) != found->start) return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
          const char* end = found->start + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
          if (end > found->end) found->end = end;
        }
        return 1;
      },
      &search);
  return search.end;
}

void guard_against_crashes_on_this_thread() {
  thread_local bool is_guarded = false;
  if (is_guarded) return;
  is_guarded = true;
  stack_t stack = {};
  stack.ss_sp = mmap(nullptr, kSignalStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stack.ss_size = kSignalStackBytes;
  if (stack.ss_sp != MAP_FAILED) sigaltstack(&stack, nullptr);
  std::lock_guard lock(g_mutex);
  g_threads.push_back(pthread_self());
  static bool is_installed = false;
  if (!is_installed) install();
  is_installed = true;
}

}  // namespace starbridge::emulate

// The host program is guarded from its first instruction.
__attribute__((constructor)) static void guard_program() { starbridge::emulate::guard_against_crashes_on_this_thread(); }

// What is left to say when the program ends by itself.
__attribute__((destructor)) static void finish_program() {
  starbridge::emulate::check_at_end();
  starbridge::emulate::finish_log();
}
