// Verification: original and port executed side by side on emulated devices and compared. Blocking.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json_fwd.h"
#include "base/result.h"
#include "catalog/catalog.h"
#include "verify/extension_build.h"
#include "verify/series.h"

namespace starbridge::verify {

struct Request {
  std::string original;                           // folder
  std::string port;                               // folder
  std::vector<std::string> command;               // run in both, e.g. {"python", "train.py"}
  const catalog::Chip* chip = nullptr;            // of the port
  const catalog::Chip* reference_chip = nullptr;  // whose name the reference run shows
  Tolerance tolerance;
  int card_count = 2;                       // visible to each run
  std::uint32_t seed = 0;                   // of random numbers that the command leaves unseeded, in both runs
  base::DurationMs timeout_ms = 1'800'000;  // each
  std::string keep_folder;                  // runs are kept here; empty: a temporary folder, removed
  std::string original_run;                 // a folder kept earlier, whose run of the original is used; empty: it is run
  std::function<void(const std::string& who, std::string_view output)> on_output;
};

struct TensorComparison {
  std::string file;
  std::string name;
  std::string problem;  // shape, dtype, presence; empty when the figures below say it
  double absolute_max = 0;
  double relative_max = 0;  // beside the tensor's largest element
  double cosine = 1;
  bool agrees = true;
};

enum class FileUse { kExecuted, kImported, kParsed };

struct Report {
  bool agrees = false;
  std::string reason_en;  // of a disagreement
  std::string reason_zh;
  Series original_series;
  Series port_series;
  std::vector<SeriesComparison> series;
  bool compares_reads = false;  // no loss, no checkpoint: the series are what the project's code read out of tensors
  std::vector<TensorComparison> tensors;
  std::vector<std::pair<std::string, FileUse>> files;  // Python files of the port
  base::DurationMs original_ms = 0;
  base::DurationMs port_ms = 0;
  int port_exit_code = 0;
  std::string port_tail;                                        // of its messages, when it failed
  std::vector<std::pair<std::string, std::int64_t>> fell_back;  // operators the plug-in lacks, with counts
  std::vector<std::pair<std::string, std::int64_t>> refused;
  std::int64_t peak_bytes = 0;  // of the emulated device
  std::int64_t executed_operator_count = 0;
  ExtensionBuild original_extension;
  ExtensionBuild port_extension;  // not built when the original's did not build: both then ran without
};

// Errors: verify.original_failed (with the end of its messages), verify.other_run (original_run holds a run of another command or
// seed), verify.nothing_to_compare, pool.no_emulated_device, base.* of
// copying.
base::Result<Report> verify(const Request& request);

base::Json to_json(const Report& report);

}  // namespace starbridge::verify
