// SPDX-License-Identifier: Apache-2.0
#include "endpoint.hpp"

#include <array>
#include <chrono>
#include <stdexcept>

namespace corbel::metrics {
namespace {

constexpr std::size_t kLargestRequest = 8192;
constexpr auto kPatience = std::chrono::seconds(2);

ipc::InetAddress address_of(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  std::string host = text.substr(0, colon == std::string::npos ? 0 : colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  const std::string port = colon == std::string::npos ? "" : text.substr(colon + 1);
  const bool digits = !port.empty() && port.size() <= 5 && port.find_first_not_of("0123456789") == std::string::npos;
  if (host.empty() || !digits || std::stoul(port) > 65535) throw std::runtime_error("'" + text + "' is not HOST:PORT");
  const auto all = ipc::InetAddress::resolve(host, static_cast<std::uint16_t>(std::stoul(port)));
  if (!all) throw std::runtime_error(host + ": " + base::to_string(all.error()));
  return all->front();
}

std::string reply(const char* status, const std::string& body) {
  return std::string("HTTP/1.0 ") + status +
         "\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nConnection: close\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace

Metrics::Endpoint::Endpoint(const std::string& address, std::function<std::string()> text) : text_(std::move(text)) {
  auto acceptor = ipc::TcpAcceptor::open(address_of(address));
  if (!acceptor)
    throw std::runtime_error("cannot serve metrics at " + address + ": " + base::to_string(acceptor.error()));
  acceptor_ = *std::move(acceptor);
  if (const auto own = acceptor_.local_address()) port_ = own->port();
  thread_ = std::thread([this] { serve(); });
}

Metrics::Endpoint::~Endpoint() {
  stopped_ = true;
  acceptor_.shutdown();
  thread_.join();
}

void Metrics::Endpoint::serve() {
  while (!stopped_) {
    auto stream = acceptor_.accept();
    if (stopped_) return;
    if (stream)
      answer(*std::move(stream));
    else
      std::this_thread::sleep_for(std::chrono::milliseconds(50));  // descriptors ran out
  }
}

void Metrics::Endpoint::answer(ipc::TcpStream stream) const {
  const auto deadline = base::Deadline::after(kPatience);
  if (!stream.set_non_blocking(true)) return;
  std::string request;
  std::array<base::Octet, 1024> room{};
  while (request.find("\r\n\r\n") == std::string::npos && request.find("\n\n") == std::string::npos) {
    if (request.size() > kLargestRequest || !stream.wait_readable(deadline)) return;
    const auto count = stream.recv(room);
    if (!count && count.error().code == base::Code::would_block) continue;
    if (!count || *count == 0) return;
    request.append(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(*count));
  }
  const std::string line = request.substr(0, request.find_first_of("\r\n"));
  std::string said;
  if (line.starts_with("GET /metrics ") || line.starts_with("GET / "))
    said = reply("200 OK", text_());
  else if (line.starts_with("GET "))
    said = reply("404 Not Found", "look at /metrics\n");
  else
    said = reply("405 Method Not Allowed", "GET alone\n");
  (void)stream.send_n(base::as_bytes(said), deadline);
  (void)stream.shutdown(ipc::Direction::send);
}

}  // namespace corbel::metrics
