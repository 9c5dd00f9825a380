// Supervisor: a small process of its own for each job. It ports the project, starts the job, keeps its log, ends it on request
// or at its time limit, and writes down how it ended. The server may come and go meanwhile. One thread.
#pragma once

#include <string>

namespace starbridge::engine {

// The whole life of one job in `folder` (see job_folder.h). Returns the exit code of the supervisor process.
// A second supervisor for the same folder ends at once.
int supervise(const std::string& folder);

}  // namespace starbridge::engine
