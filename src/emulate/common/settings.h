// Settings: what the command that started the program asked for, read once from the environment (SB_EMULATE_*).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

namespace starbridge::emulate {

struct Settings {
  bool is_check = false;        // SB_EMULATE_CHECK=1
  bool is_adversarial = false;  // SB_EMULATE_SEED set: order of threads, lanes and blocks drawn from it
  std::uint64_t seed = 0;
  std::uint64_t sample_blocks = 0;  // SB_EMULATE_SAMPLE: at most this many blocks per grid; 0: all
  int workers = 0;                  // SB_EMULATE_WORKERS; 0: as many as the machine has cores
  std::string report_path;          // SB_EMULATE_REPORT: where findings go, one JSON object per line
  std::uint64_t memory_bytes = 0;   // SB_EMULATE_MEMORY: of the card; 0: what the machine can give
  std::string card = "a100";        // SB_EMULATE_CARD
  double time_limit_s = 0;          // SB_EMULATE_TIME_LIMIT: then the place that runs is reported and the program ends
  std::uint64_t findings_max = 1000;
  bool is_timed = false;   // SB_EMULATE_TIMES set: the modelled time of every launch is kept
  std::string times_path;  // SB_EMULATE_TIMES: receives one JSON object per launch
};

// Read when the library is loaded, before any code of the program runs.
extern const Settings kSettings;
inline const Settings& settings() { return kSettings; }

// Takes `card`, when it is a row of a chip table, apart: its name, then whole numbers. Started without the command: nothing changes.
void read_card_row(std::string& name, std::initializer_list<int*> fields);

}  // namespace starbridge::emulate
