// Job: what a user submits, whichever dialect it was written in. Plain values; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json_fwd.h"
#include "base/result.h"
#include "catalog/catalog.h"

namespace starbridge::sched {

enum class Policy { kCheapest, kFastest, kDomesticOnly, kDeadline };
std::string_view to_string(Policy policy);

struct JobSpec {
  std::string name;
  std::string script;             // what /bin/sh runs
  std::string project;            // folder of the CUDA project; empty: nothing is ported
  std::string working_directory;  // empty: the project, else where the server's job folder is
  std::map<std::string, std::string> environment;

  std::int64_t card_count = 1;
  std::int64_t node_count = 0;     // 0: as few as fit
  std::vector<std::string> chips;  // ids; empty: any
  Policy policy = Policy::kCheapest;
  std::int64_t memory_per_card_bytes = 0;
  base::DurationMs time_limit_ms = 0;  // 0: none; the job is ended when it passes
  base::TimeMs deadline_ms = 0;        // 0: none; wanted end, for Policy::kDeadline
  base::DurationMs reference_ms = 0;   // the user's estimate of its run on as many A100; 0: one hour is assumed
  bool accepts_open_findings = false;  // may be placed where the verdict is "needs work"
};

constexpr std::int64_t kCardCountMax = 65'536;

// The dialects: a native YAML document, a script with #SBATCH lines, a Kubernetes Job or PyTorchJob.
enum class Dialect { kNative, kSbatch, kKubernetes };
Dialect detect_dialect(std::string_view content);

// Reads a job from a file's content; `path` names it in errors and is what relative folders start from.
// Errors: base.wrong_field, base.malformed_yaml, sched.unsupported (with place and reason), catalog.unknown_chip.
base::Result<JobSpec> parse_job(std::string_view content, const std::string& path, const catalog::Catalog& catalog);
base::Result<JobSpec> parse_native_job(std::string_view content, const std::string& path, const catalog::Catalog& catalog);
base::Result<JobSpec> parse_sbatch_job(std::string_view content, const std::string& path, const catalog::Catalog& catalog);
base::Result<JobSpec> parse_kubernetes_job(std::string_view content, const std::string& path, const catalog::Catalog& catalog);

base::Json to_json(const JobSpec& job);
base::Result<JobSpec> job_from_json(const base::Json& json);

// Shared by the readers ------------------------------------------------------------------------------------------

// "90", "90s", "30m", "2h", "1d", "01:30:00" as milliseconds. Error: base.wrong_field without a place.
base::Result<base::DurationMs> parse_duration(std::string_view text);
// "16GB", "64GiB", "1024". Error: base.wrong_field without a place.
base::Result<std::int64_t> parse_bytes(std::string_view text);
base::Result<Policy> parse_policy(std::string_view text);
// One argument for /bin/sh.
std::string shell_quote(std::string_view argument);
// A command line as a script; ["sh", "-c", text] is the text itself, so that every dialect says the same job the same way.
std::string script_of_arguments(const std::vector<std::string>& arguments);
// `folder` as seen from the folder of `job_path`, absolute.
std::string resolve_folder(const std::string& folder, const std::string& job_path);
// The last checks, the same for every dialect.
base::Result<JobSpec> finish_job(JobSpec job, const std::string& path);

}  // namespace starbridge::sched
