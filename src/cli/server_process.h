// ServerProcess: starting, finding and stopping the server of a home folder. Blocking; one thread.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace starbridge::cli {

struct ServeRequest {
  std::string home;
  std::string pool_file;  // empty: real cards, else the default emulated pool
  std::string host = "127.0.0.1";
  unsigned short port = 7450;
};

// Runs the server in this process until it is told to stop. Errors: api.server_runs (another holds the folder), those of opening.
base::Status run_server(const ServeRequest& request);

// Address of the server that holds the folder's lock and answers; nullopt: none.
std::optional<std::string> running_server(const std::string& home);

// Starts run_server in a daemon and waits until it answers; gives its address. Its messages go to home/server.log.
base::Result<std::string> start_daemon(const ServeRequest& request);

// Ends the server of the folder; jobs go on. False: none was running.
base::Result<bool> stop_server(const std::string& home);

}  // namespace starbridge::cli
