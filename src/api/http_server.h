// HttpServer: sockets, timeouts and limits around routes.h. Runs one loop on the calling thread.
#pragma once

#include <string>

#include "api/routes.h"

namespace starbridge::api {

struct ServeOptions {
  std::string host = "127.0.0.1";
  unsigned short port = 7450;  // 0: any free one
  std::string home;
  std::string token;
  std::string page;
};

// Serves until SIGTERM or SIGINT. Writes home/server.json {address, pid, token} (mode 0600) once it listens and removes it at the
// end. Errors: api.refused (the address cannot be bound), base.* of writing.
base::Status serve(Service& service, const ServeOptions& options);

}  // namespace starbridge::api
