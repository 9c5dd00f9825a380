#include "cli/server_client.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>

#include "base/files.h"
#include "base/json.h"

namespace starbridge::cli {

using base::Error;
using base::Json;
using base::text;

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;

constexpr auto kTimeout = std::chrono::seconds(30);

Error no_server() {
  return Error("api.no_server", text("no StarBridge server answers", "没有 StarBridge 服务响应"))
      .next(text("start one: starbridge up", "请先启动：starbridge up"));
}

// The server's problem details as the error it was there.
Error error_of(int status, const std::string& body) {
  base::Result<Json> json = base::parse_json(body, "answer");
  std::string code = json.ok() && json->is_object() ? json->value("code", "") : "";
  if (base::find_error_code(code) == nullptr) {
    return Error("api.refused",
                 text("the server answered {}: {}", "服务返回 {}：{}", status, base::sanitize_utf8(body.substr(0, 200))));
  }
  std::string detail = json->value("detail", "");
  Error error(code, {detail, detail});
  std::string next = json->value("next_step", "");
  return next.empty() ? error : std::move(error).next({next, next});
}

}  // namespace

base::Result<ServerClient> ServerClient::connect(base::Language language) {
  base::Result<Json> record = base::read_json(base::home_directory() + "/server.json");
  if (!record.ok() || !record->is_object()) return no_server();
  ServerClient client;
  client.language_ = language;
  client.address_ = record->value("address", "");
  client.token_ = record->value("token", "");
  std::size_t begin = client.address_.find("://");
  std::size_t colon = client.address_.rfind(':');
  if (begin == std::string::npos || colon <= begin + 3) return no_server();
  client.host_ = client.address_.substr(begin + 3, colon - begin - 3);
  client.port_ = client.address_.substr(colon + 1);
  base::Result<Answer> health = client.request("GET", "/api/v1/health", "");
  if (!health.ok()) return no_server();
  return client;
}

base::Result<ServerClient::Answer> ServerClient::request(const std::string& method, const std::string& path,
                                                         const std::string& body) const {
  try {
    asio::io_context loop;
    beast::tcp_stream stream(loop);
    beast::error_code failure;
    stream.expires_after(kTimeout);
    // Asynchronous calls on a private loop, because only they obey the timeout.
    stream.async_connect(asio::ip::tcp::endpoint(asio::ip::make_address(host_), static_cast<unsigned short>(std::stoi(port_))),
                         [&](beast::error_code e) { failure = e; });
    loop.run();
    if (failure) return no_server();
    http::request<http::string_body> message(http::string_to_verb(method), path, 11);
    message.set(http::field::host, host_ + ":" + port_);
    message.set(http::field::authorization, "Bearer " + token_);
    message.set(http::field::connection, "close");
    message.set(http::field::accept_language, language_ == base::Language::kChinese ? "zh" : "en");
    message.body() = body;
    message.prepare_payload();
    http::async_write(stream, message, [&](beast::error_code e, std::size_t) { failure = e; });
    loop.restart();
    loop.run();
    beast::flat_buffer buffer;
    http::response_parser<http::string_body> parser;
    parser.body_limit(256UL << 20);
    if (!failure) {
      http::async_read(stream, buffer, parser, [&](beast::error_code e, std::size_t) { failure = e; });
      loop.restart();
      loop.run();
    }
    if (failure)
      return Error("api.no_server", text("the server broke the connection: {}", "服务中断了连接：{}", failure.message()))
          .next(text("try again; see starbridge up", "请重试；见 starbridge up"));
    return Answer{static_cast<int>(parser.get().result_int()), parser.get().body()};
  } catch (const std::exception&) {
    return no_server();
  }
}

base::Result<Json> ServerClient::get(const std::string& path) const {
  SB_TRY(Answer answer, request("GET", path, ""));
  if (answer.status >= 400) return error_of(answer.status, answer.body);
  return base::parse_json(answer.body, "answer");
}

base::Result<Json> ServerClient::post(const std::string& path, const Json& body) const {
  SB_TRY(Answer answer, request("POST", path, base::to_string(body, -1)));
  if (answer.status >= 400) return error_of(answer.status, answer.body);
  return base::parse_json(answer.body, "answer");
}

base::Result<std::string> ServerClient::get_text(const std::string& path) const {
  SB_TRY(Answer answer, request("GET", path, ""));
  if (answer.status >= 400) return error_of(answer.status, answer.body);
  return answer.body;
}

}  // namespace starbridge::cli
