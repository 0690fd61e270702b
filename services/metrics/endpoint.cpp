// SPDX-License-Identifier: Apache-2.0
#include "endpoint.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <string_view>

namespace corbel::metrics {
namespace {

constexpr std::size_t kLargestRequest = 8192;
constexpr std::size_t kAtOnce = 32;
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
    wait();
    if (stopped_) return;
    std::erase_if(clients_, [this](Client& client) { return !go_on(client); });
    admit();
  }
}

/// Waits for a newcomer, for any client, or until the first of them has had its time. shutdown() wakes it, too.
void Metrics::Endpoint::wait() {
  std::vector<pollfd> handles = {{acceptor_.handle(), POLLIN, 0}};
  auto first = base::Deadline::none();
  for (const Client& client : clients_) {
    const short event = client.reply.empty() ? POLLIN : POLLOUT;
    handles.push_back({client.stream.handle(), event, 0});
    first = earlier(first, client.deadline);
  }
  (void)::poll(handles.data(), handles.size(), first.poll_timeout());
}

void Metrics::Endpoint::admit() {
  for (std::size_t come = 0; come < kAtOnce / 2; ++come) {  // the others have their turn
    auto stream = acceptor_.accept(base::Deadline::now());
    if (stopped_) return;
    if (!stream) {
      if (stream.error().code == base::Code::would_block) return;
      // Descriptors ran out.
      if (clients_.empty()) return std::this_thread::sleep_for(std::chrono::milliseconds(50));
      clients_.erase(clients_.begin());
      continue;
    }
    if (!stream->set_non_blocking(true)) continue;
    if (clients_.size() >= kAtOnce) clients_.erase(clients_.begin());
    clients_.push_back({*std::move(stream), base::Deadline::after(kPatience), {}, {}, 0});
    // As a rule, what it asks is there already.
    if (!go_on(clients_.back())) clients_.pop_back();
  }
}

/// Reads and sends what goes without waiting; false when the client is done with, one way or the other.
bool Metrics::Endpoint::go_on(Client& client) const {
  if (client.deadline.expired()) return false;
  if (client.reply.empty()) {
    if (!read(client)) return false;
    if (client.reply.empty()) return true;
  }
  while (client.sent < client.reply.size()) {
    const auto count = client.stream.send(base::as_bytes(std::string_view(client.reply).substr(client.sent)));
    if (!count) return count.error().code == base::Code::would_block;
    client.sent += *count;
  }
  (void)client.stream.shutdown(ipc::Direction::send);
  return false;
}

/// False if there will be no request.
bool Metrics::Endpoint::read(Client& client) const {
  std::array<base::Octet, 1024> room{};
  std::string& request = client.request;
  while (request.find("\r\n\r\n") == std::string::npos && request.find("\n\n") == std::string::npos) {
    if (request.size() > kLargestRequest) return false;
    const auto count = client.stream.recv(room);
    if (!count) return count.error().code == base::Code::would_block;
    if (*count == 0) return false;
    request.append(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(*count));
  }
  client.reply = answer(request);
  return true;
}

std::string Metrics::Endpoint::answer(const std::string& request) const {
  const std::string line = request.substr(0, request.find_first_of("\r\n"));
  if (!line.starts_with("GET ")) return reply("405 Method Not Allowed", "GET alone\n");
  // The path: of http://host:port/path, too, and without a query.
  std::string_view path = std::string_view(line).substr(4, line.find_first_of(" ?", 4) - 4);
  if (path.starts_with("http://")) path = path.substr(std::min(path.find('/', 7), path.size()));
  if (path == "/metrics" || path == "/" || path.empty()) return reply("200 OK", text_());
  return reply("404 Not Found", "look at /metrics\n");
}

}  // namespace corbel::metrics
