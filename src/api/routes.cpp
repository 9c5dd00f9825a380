#include "api/routes.h"

#include <openssl/crypto.h>

#include <functional>
#include <limits>

#include "base/json.h"

namespace starbridge::api {
namespace {

using base::Error;
using base::Json;
using base::text;

constexpr std::size_t kLogBytesMax = 1UL << 20;

struct Call {
  Service& service;
  const Request& request;
  base::Language language;
  std::string id;  // of {id}
  std::map<std::string, std::string> query;
};

struct Route {
  std::string method;
  std::string pattern;
  bool is_write = false;
  std::function<base::Result<Json>(const Call&)> run;
};

std::string lookup(const std::map<std::string, std::string>& map, const std::string& key) {
  auto found = map.find(key);
  return found == map.end() ? "" : found->second;
}

const std::vector<Route>& routes() {
  static const std::vector<Route> all = {
      {"GET", "/api/v1/health", false,
       [](const Call&) { return base::Result<Json>(Json{{"status", "ok"}, {"version", SB_VERSION}}); }},
      {"GET", "/api/v1/pool", false, [](const Call& call) { return call.service.pool_state(); }},
      {"GET", "/api/v1/chips", false, [](const Call& call) { return base::Result<Json>(call.service.chips()); }},
      {"GET", "/api/v1/jobs", false, [](const Call& call) { return call.service.jobs(); }},
      {"POST", "/api/v1/jobs", true,
       [](const Call& call) -> base::Result<Json> {
         SB_TRY(Json body, base::parse_json(call.request.body, "body"));
         return call.service.submit(body, lookup(call.request.headers, "idempotency-key"), call.language);
       }},
      {"GET", "/api/v1/jobs/{id}", false, [](const Call& call) { return call.service.job(call.id, call.language); }},
      {"POST", "/api/v1/jobs/{id}/cancel", true, [](const Call& call) { return call.service.cancel(call.id, call.language); }},
      {"GET", "/api/v1/bill", false, [](const Call& call) { return call.service.bill(lookup(call.query, "job")); }},
  };
  return all;
}

std::map<std::string, std::string> parse_query(std::string_view query) {
  std::map<std::string, std::string> parts;
  while (!query.empty()) {
    std::size_t amp = query.find('&');
    std::string_view part = query.substr(0, amp);
    std::size_t equals = part.find('=');
    if (equals != std::string_view::npos) parts.emplace(part.substr(0, equals), part.substr(equals + 1));
    query = amp == std::string_view::npos ? std::string_view() : query.substr(amp + 1);
  }
  return parts;
}

// Matches "/api/v1/jobs/{id}/cancel"; the part at {id} goes to `id`.
bool matches(std::string_view pattern, std::string_view path, std::string* id) {
  std::size_t brace = pattern.find("{id}");
  if (brace == std::string_view::npos) return pattern == path;
  std::string_view tail = pattern.substr(brace + 4);
  if (path.size() <= brace + tail.size() || path.substr(0, brace) != pattern.substr(0, brace) ||
      path.substr(path.size() - tail.size()) != tail)
    return false;
  *id = std::string(path.substr(brace, path.size() - brace - tail.size()));
  return id->find('/') == std::string::npos;
}

// RFC 9457 problem details with StarBridge's own fields.
Response problem(const Error& error, base::Language language) {
  Json json = {{"type", "about:blank"},
               {"title", base::find_error_code(error.code())->en},
               {"status", error.http_status()},
               {"detail", error.message().in(language)},
               {"code", error.code()}};
  if (!error.next_step().empty()) json["next_step"] = error.next_step().in(language);
  if (!error.place().empty()) json["place"] = error.place().to_string();
  return {error.http_status(), "application/problem+json", base::to_string(json) + "\n"};
}

// A page of another site must not reach the server under a name that it makes point here (DNS rebinding).
bool is_local_host(std::string_view host) {
  std::string_view name = host.substr(0, host.find_last_of(':'));
  if (host.substr(0, 1) == "[") name = host.substr(0, host.find(']') + 1);
  return host.empty() || name == "localhost" || name == "127.0.0.1" || name == "[::1]";
}

bool has_token(const Request& request, const std::string& token) {
  std::string expected = "Bearer " + token;
  std::string given = lookup(request.headers, "authorization");
  return !token.empty() && given.size() == expected.size() && CRYPTO_memcmp(given.data(), expected.data(), expected.size()) == 0;
}

base::Result<std::string> read_log(const Call& call) {
  std::string offset_text = lookup(call.query, "offset");
  std::size_t offset = 0;
  bool is_number = offset_text.size() < 19 && offset_text.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number)
    return Error("base.wrong_field", text("the offset must be a whole number", "offset 应为整数")).in_field("offset");
  if (!offset_text.empty()) offset = std::stoull(offset_text);
  return call.service.log(call.id, offset, kLogBytesMax);
}

}  // namespace

const std::vector<std::pair<std::string, std::string>>& route_list() {
  static const std::vector<std::pair<std::string, std::string>> list = [] {
    std::vector<std::pair<std::string, std::string>> all = {{"GET", "/"}, {"GET", "/api/v1/jobs/{id}/log"}};
    for (const Route& route : routes()) all.emplace_back(route.method, route.pattern);
    return all;
  }();
  return list;
}

Response handle(Service& service, const RouteConfig& config, const Request& request) {
  std::string_view target = request.target;
  std::string_view path = target.substr(0, target.find('?'));
  std::string_view query = path.size() < target.size() ? target.substr(path.size() + 1) : std::string_view();
  Call call{service, request, base::language_from_name(lookup(request.headers, "accept-language")), "", parse_query(query)};
  if (!is_local_host(lookup(request.headers, "host"))) {
    return problem(Error("api.refused", text("this server answers to local names only", "本服务只响应本机名称")), call.language);
  }
  if (path == "/" && request.method == "GET") return {200, "text/html; charset=utf-8", config.page};
  if (request.method == "GET" && matches("/api/v1/jobs/{id}/log", path, &call.id)) {
    base::Result<std::string> log = read_log(call);
    return log.ok() ? Response{200, "text/plain; charset=utf-8", std::move(log).value()} : problem(log.error(), call.language);
  }
  for (const Route& route : routes()) {
    if (route.method != request.method || !matches(route.pattern, path, &call.id)) continue;
    if (route.is_write && !has_token(request, config.token)) {
      return problem(Error("api.not_authorized", text("the token is missing or wrong", "令牌缺失或错误"))
                         .next(text("send the token of server.json as Bearer", "请以 Bearer 方式发送 server.json 中的令牌")),
                     call.language);
    }
    base::Result<Json> answer = route.run(call);
    if (!answer.ok()) return problem(answer.error(), call.language);
    return {200, "application/json", base::to_string(*answer) + "\n"};
  }
  return problem(Error("api.not_found",
                       text("there is no {} {}", "没有 {} {}", base::sanitize_utf8(request.method), base::sanitize_utf8(path))),
                 call.language);
}

}  // namespace starbridge::api
