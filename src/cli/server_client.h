// ServerClient: how commands talk to a running server: one request, one answer, over HTTP on the local machine. One thread;
// blocking.
#pragma once

#include <functional>
#include <string>

#include "base/json_fwd.h"
#include "base/result.h"

namespace starbridge::cli {

class ServerClient {
 public:
  // Reads server.json in the home folder; answers are asked for in `language`. Error: api.no_server (exit 5) when none runs.
  static base::Result<ServerClient> connect(base::Language language);

  base::Result<base::Json> get(const std::string& path) const;
  base::Result<base::Json> post(const std::string& path, const base::Json& body) const;
  // The body as it is.
  base::Result<std::string> get_text(const std::string& path) const;
  const std::string& address() const { return address_; }

 private:
  struct Answer {
    int status = 0;
    std::string body;
  };
  base::Result<Answer> request(const std::string& method, const std::string& path, const std::string& body) const;

  std::string host_;
  std::string port_;
  std::string address_;
  std::string token_;
  base::Language language_ = base::Language::kEnglish;
};

}  // namespace starbridge::cli
