// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/inproc/inproc.hpp"

#include "corbel/base/spin.hpp"
#include "corbel/transport/connection_options.hpp"
#include "corbel/transport/endpoint_text.hpp"
#include "corbel/transport/inproc/hub.hpp"
#include "corbel/transport/inproc/ring.hpp"

namespace corbel::transport {
namespace inproc {
namespace {

constexpr std::string_view kScheme = "inproc";
constexpr std::size_t kDefaultRing = 256U << 10;

/// "name" or "name@hub".
class InprocEndpoint final : public TextEndpoint {
 public:
  InprocEndpoint(std::string name, std::string hub)
      : TextEndpoint(kScheme, hub.empty() ? name : name + '@' + hub), name_(std::move(name)), hub_(std::move(hub)) {}

  static base::Result<EndpointPtr> parse(std::string_view text) {
    const std::size_t at = text.find('@');
    const std::string_view hub = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
    const std::string_view name = text.substr(0, at);
    const bool odd_hub = at != std::string_view::npos && (hub.empty() || name.empty());
    if (!is_printable(text) || odd_hub || hub.find('@') != std::string_view::npos) {
      return base::error(base::Stage::resolve, base::Code::bad_argument);
    }
    return EndpointPtr(std::make_shared<InprocEndpoint>(std::string(name), std::string(hub)));
  }

  Reach reach() const noexcept override { return Reach::this_host; }
  const std::string& name() const noexcept { return name_; }
  bool may_be_in(Hub& hub) const { return hub_.empty() || hub_ == hub.id(); }

 private:
  std::string name_;
  std::string hub_;
};

class InprocTransport final : public Transport {
 public:
  InprocTransport(std::shared_ptr<Ring> out, std::shared_ptr<Ring> in, std::string local, std::string peer,
                  base::Duration spin)
      : out_(std::move(out)), in_(std::move(in)), local_(std::move(local)), peer_(std::move(peer)), spin_(spin) {}
  ~InprocTransport() override { InprocTransport::shutdown(); }

  base::Result<std::size_t> send(std::span<const cdr::Segment> data, base::Deadline deadline) override {
    return out_->write(data, deadline);
  }
  base::Result<std::size_t> send_some(std::span<const cdr::Segment> data, base::Deadline deadline) override {
    return out_->write(data, deadline, true);
  }
  base::Result<std::size_t> receive(base::ByteSpan buffer, base::Deadline deadline) override {
    if (!deadline.is_now()) (void)spin_.until(deadline, [this] { return in_->ready_to_read(); });
    return in_->read(buffer, deadline);
  }
  void shutdown() noexcept override {
    out_->close();
    in_->close();
  }
  int handle() const noexcept override { return in_->handle(); }
  std::string local() const override { return local_; }
  std::string peer() const override { return peer_; }

 private:
  std::shared_ptr<Ring> out_;
  std::shared_ptr<Ring> in_;
  std::string local_;
  std::string peer_;
  base::Spin spin_;
};

class InprocAcceptor final : public Acceptor {
 public:
  InprocAcceptor(std::shared_ptr<Hub> hub, std::string name, std::shared_ptr<Listener> listener)
      : hub_(std::move(hub)), name_(std::move(name)), listener_(std::move(listener)) {}
  ~InprocAcceptor() override { InprocAcceptor::close(); }

  base::Result<std::unique_ptr<Transport>> accept() override { return listener_->pop(); }
  int handle() const noexcept override { return listener_->handle(); }
  std::vector<EndpointPtr> endpoints() const override { return {std::make_shared<InprocEndpoint>(name_, hub_->id())}; }
  void close() noexcept override {
    if (std::exchange(closed_, true)) return;
    hub_->remove(name_, *listener_);
    listener_->close();
  }

 private:
  std::shared_ptr<Hub> hub_;
  std::string name_;
  std::shared_ptr<Listener> listener_;
  bool closed_ = false;
};

class InprocConnector final : public Connector {
 public:
  explicit InprocConnector(std::shared_ptr<Hub> hub) : hub_(std::move(hub)) {}

  base::Result<std::unique_ptr<Transport>> connect(const Endpoint& endpoint, const ConnectionOptions& options,
                                                   base::Deadline deadline) override {
    CORBEL_TRY(const InprocEndpoint* own, own_endpoint<InprocEndpoint>(endpoint, base::Stage::connect));
    if (!own->may_be_in(*hub_)) return base::error(base::Stage::connect, base::Code::unreachable);
    const auto listener = hub_->find(own->name());
    if (listener == nullptr) return base::error(base::Stage::connect, base::Code::refused);
    const auto there = std::make_shared<Ring>(ring_size(options.send_buffer));
    const auto back = std::make_shared<Ring>(ring_size(options.receive_buffer));
    const std::string server = std::string(kScheme) + "://" + own->name();
    const std::string client = server + '#' + std::to_string(hub_->next_number());
    // First: the other end sees the end of this one, if there is no memory for what follows.
    std::unique_ptr<Transport> made(new InprocTransport(there, back, client, server, options.spin));
    CORBEL_CHECK(
        listener->push(std::make_unique<InprocTransport>(back, there, server, client, listener->spin()), deadline));
    return made;
  }

 private:
  static std::size_t ring_size(int option) { return option > 0 ? static_cast<std::size_t>(option) : kDefaultRing; }

  std::shared_ptr<Hub> hub_;
};

class InprocFactory final : public Factory {
 public:
  explicit InprocFactory(std::shared_ptr<Hub> hub) : hub_(std::move(hub)) {}

  std::string_view scheme() const noexcept override { return kScheme; }
  std::string_view address_form() const noexcept override { return "name"; }
  std::span<const ConnectionOption> connection_options() const noexcept override { return buffer_options(); }
  std::span<const ConnectionOption> endpoint_options() const noexcept override { return {}; }
  base::Result<EndpointPtr> parse(std::string_view address) const override { return InprocEndpoint::parse(address); }
  std::unique_ptr<Connector> make_connector() const override { return std::make_unique<InprocConnector>(hub_); }
  base::Result<std::unique_ptr<Acceptor>> listen(const Endpoint& endpoint, const Options& options) const override {
    CORBEL_TRY(const InprocEndpoint* own, own_endpoint<InprocEndpoint>(endpoint, base::Stage::listen));
    if (!own->may_be_in(*hub_)) return base::error(base::Stage::listen, base::Code::unreachable);
    auto waiting = ipc::Event::open();
    if (!waiting) return base::error(base::Stage::listen, waiting.error().code, waiting.error().os_error);
    const std::size_t backlog = options.backlog > 0 ? static_cast<std::size_t>(options.backlog) : 1;
    auto listener = std::make_shared<Listener>(*std::move(waiting), backlog, options.spin);
    std::string name = own->name().empty() ? hub_->unused_name() : own->name();
    CORBEL_CHECK(hub_->add(name, listener));
    return std::unique_ptr<Acceptor>(new InprocAcceptor(hub_, std::move(name), std::move(listener)));
  }

 private:
  std::shared_ptr<Hub> hub_;
};

}  // namespace
}  // namespace inproc

std::shared_ptr<inproc::Hub> make_inproc_hub() {
  return std::make_shared<inproc::Hub>();
}

std::shared_ptr<const Factory> make_inproc(std::shared_ptr<inproc::Hub> hub) {
  return std::make_shared<inproc::InprocFactory>(std::move(hub));
}

std::shared_ptr<const Factory> make_inproc() {
  static const auto kHub = make_inproc_hub();
  return make_inproc(kHub);
}

}  // namespace corbel::transport
