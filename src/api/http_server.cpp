#include "api/http_server.h"

#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>

#include "base/files.h"
#include "base/json.h"

namespace starbridge::api {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using base::text;

constexpr std::uint64_t kBodyBytesMax = 1UL << 20;
constexpr std::uint32_t kHeaderBytesMax = 16UL << 10;
constexpr auto kRequestTimeout = std::chrono::seconds(15);
constexpr auto kTickEvery = std::chrono::milliseconds(50);
constexpr int kConnectionsMax = 512;

struct Shared {
  Service& service;
  RouteConfig config;
  int connection_count = 0;
};

// One connection: reads a request, answers it, reads the next.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, Shared& shared) : stream_(std::move(socket)), shared_(shared) { ++shared_.connection_count; }
  ~Session() { --shared_.connection_count; }

  void read() {
    parser_.emplace();
    parser_->body_limit(kBodyBytesMax);
    parser_->header_limit(kHeaderBytesMax);
    stream_.expires_after(kRequestTimeout);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](beast::error_code failure, std::size_t) { self->on_read(failure); });
  }

 private:
  void on_read(beast::error_code failure) {
    if (failure == http::error::body_limit || failure == http::error::header_limit)
      return answer({413, "text/plain", "too large\n"}, false);
    if (failure == http::error::end_of_stream || failure == beast::error::timeout || failure == asio::error::operation_aborted)
      return close();
    if (failure) return answer({400, "text/plain", "malformed request\n"}, false);
    const auto& message = parser_->get();
    Request request;
    request.method = std::string(message.method_string());
    request.target = std::string(message.target());
    request.body = message.body();
    for (const auto& field : message)
      request.headers[base::to_lower(std::string_view(field.name_string().data(), field.name_string().size()))] =
          std::string(field.value());
    answer(handle(shared_.service, shared_.config, request), message.keep_alive());
  }

  void answer(Response response, bool keep_alive) {
    response_ = http::response<http::string_body>(static_cast<http::status>(response.status), 11);
    response_.set(http::field::content_type, response.content_type);
    response_.set(http::field::cache_control, "no-store");
    response_.set("X-Content-Type-Options", "nosniff");
    response_.set("Content-Security-Policy",
                  "default-src 'self'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; frame-ancestors 'none'");
    response_.keep_alive(keep_alive);
    response_.body() = std::move(response.body);
    response_.prepare_payload();
    stream_.expires_after(kRequestTimeout);
    http::async_write(stream_, response_, [self = shared_from_this(), keep_alive](beast::error_code failure, std::size_t) {
      if (failure || !keep_alive) return self->close();
      self->read();
    });
  }

  void close() {
    beast::error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  }

  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> response_;
  Shared& shared_;
};

void accept_next(tcp::acceptor& acceptor, Shared& shared) {
  acceptor.async_accept([&](beast::error_code failure, tcp::socket socket) {
    if (failure == asio::error::operation_aborted) return;
    if (!failure && shared.connection_count < kConnectionsMax) std::make_shared<Session>(std::move(socket), shared)->read();
    accept_next(acceptor, shared);
  });
}

// An error of a tick (a full disk, say) is told once and tried again: jobs run on meanwhile.
void tick_again(asio::steady_timer& timer, Shared& shared, std::string& last_error) {
  timer.expires_after(kTickEvery);
  timer.async_wait([&](beast::error_code failure) {
    if (failure) return;
    base::Status ticked = shared.service.tick();
    std::string error = ticked.ok() ? "" : ticked.error().render(base::Language::kEnglish);
    if (!error.empty() && error != last_error)
      std::fprintf(stderr, "%s error tick_failed %s\n", base::format_time(base::SystemClock().now_ms()).c_str(), error.c_str());
    last_error = error;
    tick_again(timer, shared, last_error);
  });
}

}  // namespace

base::Status serve(Service& service, const ServeOptions& options) {
  try {
    asio::io_context loop(1);
    tcp::endpoint endpoint(asio::ip::make_address(options.host), options.port);
    tcp::acceptor acceptor(loop);
    acceptor.open(endpoint.protocol());
    acceptor.set_option(asio::socket_base::reuse_address(true));
    acceptor.bind(endpoint);
    acceptor.listen();
    std::string address = "http://" + options.host + ":" + std::to_string(acceptor.local_endpoint().port());
    base::Json record = {{"address", address}, {"pid", ::getpid()}, {"token", options.token}};
    std::string record_path = options.home + "/server.json";
    SB_TRY_VOID(base::write_file_atomically(record_path, base::to_string(record) + "\n", 0600));

    Shared shared{service, {options.token, options.page}, 0};
    std::string last_error;
    asio::steady_timer timer(loop);
    asio::signal_set signals(loop, SIGTERM, SIGINT);
    signals.async_wait([&](beast::error_code, int) { loop.stop(); });
    accept_next(acceptor, shared);
    tick_again(timer, shared, last_error);
    loop.run();
    ::unlink(record_path.c_str());
    return {};
  } catch (const boost::system::system_error& failure) {
    return base::Error("api.refused",
                       text("cannot listen on {}:{}: {}", "无法监听 {}:{}：{}", options.host, options.port, failure.what()))
        .next(
            text("choose another address with --listen, for example 127.0.0.1:0", "请用 --listen 换一个地址，例如 127.0.0.1:0"));
  }
}

}  // namespace starbridge::api
