// Submission: a job file read together with what the scan says about its project. One thread.
#pragma once

#include "catalog/catalog.h"
#include "cli/frame.h"
#include "pool/pool.h"
#include "sched/decision.h"

namespace starbridge::cli {

struct Submission {
  sched::JobSpec job;
  sched::Verdicts verdicts;  // of every chip the pool has; empty when the job has no project
};

// Errors: those of sched::parse_job and of scanning the project.
base::Result<Submission> read_submission(const Context& context, const std::string& path, const catalog::Catalog& catalog,
                                         const pool::Pool& pool);

base::Json to_json(const sched::Verdicts& verdicts);

// The table of candidates with reasons, the chosen cards and the A100 beside them.
void print_decision(const Context& context, const sched::JobSpec& job, const sched::Decision& decision, const pool::Pool& pool);

}  // namespace starbridge::cli
