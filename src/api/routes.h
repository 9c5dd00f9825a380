// Routes: one request in, one answer out. No sockets; one thread.
#pragma once

#include <map>
#include <string>

#include "api/service.h"

namespace starbridge::api {

struct Request {
  std::string method;
  std::string target;  // path and query
  std::string body;
  std::map<std::string, std::string> headers;  // names in lower case: host, authorization, idempotency-key, accept-language
};

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
};

struct RouteConfig {
  std::string token;  // required of every request that changes something
  std::string page;   // the console, HTML
};

// Every route by method and path pattern, for the test that compares them with docs/openapi.yaml.
const std::vector<std::pair<std::string, std::string>>& route_list();

Response handle(Service& service, const RouteConfig& config, const Request& request);

}  // namespace starbridge::api
