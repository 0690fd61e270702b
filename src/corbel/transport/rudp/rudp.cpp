// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/rudp/rudp.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "corbel/base/cancellation.hpp"
#include "corbel/base/fork.hpp"
#include "corbel/ipc/resolver.hpp"
#include "corbel/transport/connection_options.hpp"
#include "corbel/transport/rudp/carrier.hpp"
#include "corbel/transport/rudp/endpoint.hpp"
#include "corbel/transport/rudp/socket.hpp"

namespace corbel::transport {
namespace rudp {

using base::Code;
using base::Deadline;
using base::Stage;
using ipc::InetAddress;

Carrier::~Carrier() {
  if (service_->is_here()) {
    connection_->release();
  } else {
    (void)connection_.detach();  // the parent's, whose threads may have its lock
  }
}

std::string Carrier::text_of(const InetAddress& address) {
  return std::string(kScheme).append("://").append(address.to_string());
}

namespace {

constexpr base::Duration kLookup = std::chrono::seconds(10);
constexpr base::Duration kFirstTry = std::chrono::seconds(1);  // of several addresses
constexpr std::size_t kLeastBuffer = 4U << 10;
constexpr std::size_t kMostBuffer = 16U << 20;

base::Error at(Stage stage, const base::Error& error) noexcept {
  return base::error(stage, error.code, error.os_error);
}

std::size_t buffer_of(int option, std::size_t otherwise) noexcept {
  return option > 0 ? std::clamp(static_cast<std::size_t>(option), kLeastBuffer, kMostBuffer) : otherwise;
}

/// `datagram` stays 0 if it depends on the peer's address.
Terms terms_of(const RudpSettings& settings, const ConnectionOptions& options) noexcept {
  Terms terms;
  terms.send_buffer = buffer_of(options.send_buffer, terms.send_buffer);
  terms.receive_buffer = buffer_of(options.receive_buffer, terms.receive_buffer);
  terms.datagram =
      settings.datagram == 0 ? 0 : std::clamp<std::size_t>(settings.datagram, kSmallestDatagram, kLargestDatagram);
  terms.give_up = settings.give_up;
  terms.keep_alive = options.keep_alive;
  return terms;
}

/// Its user; null, and it is released, if there is no memory.
std::unique_ptr<Carrier> carry(const ConnectionPtr& connection, const std::shared_ptr<Service>& service) noexcept {
  std::unique_ptr<Carrier> carrier(new (std::nothrow) Carrier(connection, service));
  if (carrier == nullptr) connection->release();
  return carrier;
}

class RudpAcceptor final : public Acceptor {
 public:
  RudpAcceptor(SharedSocketPtr socket, std::shared_ptr<Service> service)
      : service_(std::move(service)), socket_(std::move(socket)) {}
  ~RudpAcceptor() override {
    if (service_->is_here()) {
      socket_->close_door();
    } else {
      (void)socket_.detach();
    }
  }

  base::Status publish(const RudpEndpoint& asked, const Options& options) {
    CORBEL_TRY(auto addresses, published_addresses(asked, socket_->bound(), options));
    for (auto& each : addresses) endpoints_.push_back(std::make_shared<RudpEndpoint>(std::move(each)));
    return {};
  }

  base::Result<std::unique_ptr<Transport>> accept() override {
    const ConnectionPtr connection = socket_->accept();
    if (connection == nullptr) return base::error(Stage::accept, Code::would_block);
    auto carrier = carry(connection, service_);
    if (carrier == nullptr) return base::error(Stage::accept, Code::out_of_resources);
    return std::unique_ptr<Transport>(std::move(carrier));
  }
  int handle() const noexcept override { return socket_->waiting_handle(); }
  std::vector<EndpointPtr> endpoints() const override { return endpoints_; }
  void close() noexcept override {
    if (service_->is_here()) socket_->close_door();
  }

 private:
  const std::shared_ptr<Service> service_;
  SharedSocketPtr socket_;
  std::vector<EndpointPtr> endpoints_;
};

class RudpConnector final : public Connector {
 public:
  RudpConnector(const RudpSettings& settings, const base::Log& log) : settings_(settings), log_(log) {}

  base::Result<std::unique_ptr<Transport>> connect(const Endpoint& endpoint, const ConnectionOptions& options,
                                                   Deadline deadline) override {
    CORBEL_TRY(const RudpEndpoint* own, own_endpoint<RudpEndpoint>(endpoint, Stage::connect));
    if (own->host().empty() || own->port() == 0) return base::error(Stage::connect, Code::unreachable);
    CORBEL_TRY(const auto addresses, resolver_.resolve(own->host(), own->port(), deadline));
    auto service = service_of_process();
    if (!service) return at(Stage::connect, service.error());
    base::Error last = base::error(Stage::connect, Code::unreachable);
    for (const InetAddress& each : addresses) {
      if (deadline.expired()) return base::error(Stage::connect, Code::timed_out);
      const bool more = &each != &addresses.back();
      auto made = connect_one(*service, each, options, more ? earlier(deadline, Deadline::after(kFirstTry)) : deadline);
      if (made) return made;
      last = at(Stage::connect, made.error());
    }
    return last;
  }

 private:
  base::Result<std::unique_ptr<Transport>> connect_one(const std::shared_ptr<Service>& service,
                                                       const InetAddress& address, const ConnectionOptions& options,
                                                       Deadline deadline) const {
    Terms terms = terms_of(settings_, options);
    if (terms.datagram == 0) terms.datagram = address.is_loopback() ? kLoopbackDatagram : kSafeDatagram;
    CORBEL_TRY(const SharedSocketPtr socket, SharedSocket::connecting(*service, address, options.traffic));
    const ConnectionPtr connection = socket->connect(terms, options.spin);
    auto carrier = carry(connection, service);  // releases it whatever happens
    if (carrier == nullptr) return base::error(Stage::connect, Code::out_of_resources);
    const base::Cancellation::Wait opening([](void* opened) noexcept { static_cast<Carrier*>(opened)->shutdown(); },
                                           carrier.get());
    if (opening.cancelled()) return base::error(Stage::connect, Code::cancelled);
    CORBEL_CHECK(connection->wait_until_open(deadline));
    return std::unique_ptr<Transport>(std::move(carrier));
  }
  /// It is kept, so that a client that connects now and then does not start a thread each time.
  base::Result<std::shared_ptr<Service>> service_of_process() {
    {
      const std::lock_guard lock(mutex_);
      if (service_ != nullptr && service_->is_here()) return service_;
    }
    CORBEL_TRY(auto service, Service::get(log_));
    const std::lock_guard lock(mutex_);
    service_.swap(service);  // what there was goes without the lock
    return service_;
  }

  const RudpSettings settings_;
  const base::Log& log_;
  ipc::Resolver resolver_;
  base::ForkMutex mutex_;  // guards what follows
  std::shared_ptr<Service> service_;
};

bool set_datagram(RudpSettings& settings, std::string_view text) {
  std::uint64_t octets = 0;
  if (!base::read_number(text, octets)) return false;
  if (octets != 0 && (octets < kSmallestDatagram || octets > kLargestDatagram)) return false;
  settings.datagram = static_cast<std::uint32_t>(octets);
  return true;
}

constexpr base::OptionRow<RudpSettings> kOptions[] = {
    {"RudpGiveUp", base::DurationMember<RudpSettings>{base::member_v<&RudpSettings::give_up>}, 1'000, 3'600'000, "ms",
     "rudp: a peer that has acknowledged nothing for so long is lost"},
    {"RudpDatagram", base::ParsedMember<RudpSettings>{&set_datagram, "0, or a number from 512 to 65000 (octets)", "0"},
     0, 0, "octets", "rudp: the largest datagram; 0: 1232, and 16384 between loopback addresses"},
};

class RudpFactory final : public Factory {
 public:
  RudpFactory(const RudpSettings& settings, const base::Log& log) : settings_(settings), log_(log) {}

  std::string_view scheme() const noexcept override { return kScheme; }
  std::string_view address_form() const noexcept override { return "host:port"; }
  std::span<const ConnectionOption> connection_options() const noexcept override { return inet_options(); }

  base::Result<EndpointPtr> parse(std::string_view address) const override {
    CORBEL_TRY(ior::HostPort parsed, parse_host_port(address));
    return EndpointPtr(std::make_shared<RudpEndpoint>(std::move(parsed)));
  }
  std::unique_ptr<Connector> make_connector() const override {
    return std::make_unique<RudpConnector>(settings_, log_);
  }
  base::Result<std::unique_ptr<Acceptor>> listen(const Endpoint& endpoint, const Options& options) const override {
    CORBEL_TRY(const RudpEndpoint* own, own_endpoint<RudpEndpoint>(endpoint, Stage::listen));
    auto service = Service::get(log_);
    if (!service) return at(Stage::listen, service.error());
    auto socket = open(**service, *own, options);
    if (!socket) return at(Stage::listen, socket.error());
    auto acceptor = std::make_unique<RudpAcceptor>(*std::move(socket), *std::move(service));
    CORBEL_CHECK(acceptor->publish(*own, options));
    return std::unique_ptr<Acceptor>(std::move(acceptor));
  }

  std::unique_ptr<base::OptionSet> options() const override { return base::option_set(settings_, kOptions); }
  std::shared_ptr<const Factory> with(const Setup& setup) const override {
    return std::make_shared<RudpFactory>(setup.settings(settings_), *setup.log);
  }

 private:
  base::Result<SharedSocketPtr> open(Service& service, const RudpEndpoint& endpoint, const Options& options) const {
    const Terms terms = terms_of(settings_, options);
    Limits limits;
    limits.waiting = static_cast<std::size_t>(std::max(options.backlog, 1));
    const auto listen_at = [&](const InetAddress& address, std::optional<bool> v6_only) {
      ipc::UdpSocket::Options with;
      with.v6_only = v6_only;
      with.traffic = options.traffic;
      return SharedSocket::listening(service, address, with, terms, limits, options.spin, log_);
    };
    if (endpoint.host().empty()) {
      auto both = listen_at(InetAddress::any_v6(endpoint.port()), false);
      if (both || both.error().code == Code::address_in_use) return both;
      return listen_at(InetAddress::any_v4(endpoint.port()), {});
    }
    CORBEL_TRY(const auto addresses,
               ipc::Resolver().resolve(endpoint.host(), endpoint.port(), Deadline::after(kLookup)));
    const InetAddress& first = addresses.front();
    return listen_at(first, first.is_any() && first.is_v6() ? std::optional<bool>(true) : std::nullopt);
  }

  const RudpSettings settings_;
  const base::Log& log_;
};

}  // namespace
}  // namespace rudp

std::shared_ptr<const Factory> make_rudp(RudpSettings settings) {
  return std::make_shared<rudp::RudpFactory>(settings, base::Log::none());
}

}  // namespace corbel::transport
