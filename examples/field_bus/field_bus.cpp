// SPDX-License-Identifier: Apache-2.0
#include "field_bus.hpp"

#include <string>
#include <utility>

#include "controller.hpp"
#include "corbel/transport/endpoint_text.hpp"
#include "terminals.hpp"

namespace field_bus {
namespace {

using namespace corbel::base;
using namespace corbel::transport;
using corbel::ipc::UnixAddress;

constexpr std::string_view kScheme = "field_bus";
constexpr Traits kTraits{.byte_stream = false, .largest_message = kLargestMessage};
constexpr std::chrono::seconds kPlugIn(5);  // for what has no time of its own

/// A terminal of a bus of one machine: its name comes first, as every machine has the same paths.
class FieldBusEndpoint final : public TextEndpoint {
 public:
  FieldBusEndpoint(std::string machine, const UnixAddress& bus, unsigned terminal)
      : TextEndpoint(kScheme, machine + bus.to_string() + '/' + terminal_text(terminal)),
        machine_(std::move(machine)),
        bus_(bus),
        terminal_(terminal) {}

  static Result<EndpointPtr> parse(std::string_view text) {
    const Error bad = error(Stage::resolve, Code::bad_argument);
    const std::size_t begin = text.find_first_of("/@");
    const std::size_t end = text.rfind('/');
    if (!is_printable(text) || end == std::string_view::npos || begin >= end) return bad;
    const std::string_view name = text.substr(begin, end - begin);
    CORBEL_TRY(const UnixAddress bus, name[0] == '@' ? UnixAddress::abstract(name.substr(1)) : UnixAddress::path(name));
    if (bus.to_string() != name) return bad;  // it would need escapes, which are for diagnostics
    std::uint64_t terminal = kAnyAddress;
    const std::string_view number = text.substr(end + 1);
    if (!number.empty() && (!read_number(number, terminal) || terminal >= kTerminals)) return bad;
    return EndpointPtr(
        std::make_shared<FieldBusEndpoint>(std::string(text.substr(0, begin)), bus, static_cast<unsigned>(terminal)));
  }

  Reach reach() const noexcept override { return Reach::this_host; }
  bool is_here() const { return machine_.empty() || machine_ == machine_name(); }
  const UnixAddress& bus() const { return bus_; }
  unsigned terminal() const { return terminal_; }

 private:
  static std::string terminal_text(unsigned terminal) {
    return terminal == kAnyAddress ? std::string() : std::to_string(terminal);
  }

  std::string machine_;
  UnixAddress bus_;
  unsigned terminal_;
};

std::string text_of(const UnixAddress& bus, unsigned terminal) {
  return FieldBusEndpoint(machine_name(), bus, terminal).text();
}

/// One conversation of this process's terminal.
class FieldBusTransport final : public Transport {
 public:
  FieldBusTransport(std::shared_ptr<Terminal> terminal, Terminal::Ref conversation)
      : terminal_(std::move(terminal)), conversation_(std::move(conversation)) {}
  ~FieldBusTransport() override { FieldBusTransport::shutdown(); }

  Result<std::size_t> send(std::span<const corbel::cdr::Segment> data, Deadline deadline) override {
    return terminal_->send(conversation_, data, deadline);
  }
  Result<std::size_t> receive(ByteSpan buffer, Deadline deadline) override {
    return terminal_->receive(conversation_, buffer, deadline);
  }
  void shutdown() noexcept override { terminal_->hang_up(conversation_); }
  int handle() const noexcept override { return conversation_->handle(); }
  Traits traits() const noexcept override { return kTraits; }
  std::string local() const override { return text_of(terminal_->bus(), terminal_->address()); }
  std::string peer() const override { return text_of(terminal_->bus(), conversation_->key().peer); }

 private:
  std::shared_ptr<Terminal> terminal_;
  Terminal::Ref conversation_;
};

class FieldBusConnector final : public Connector {
 public:
  explicit FieldBusConnector(std::shared_ptr<Terminals> terminals) : terminals_(std::move(terminals)) {}

  Result<std::unique_ptr<Transport>> connect(const Endpoint& endpoint, const ConnectionOptions&,
                                             Deadline deadline) override {
    CORBEL_TRY(const auto* own, own_endpoint<FieldBusEndpoint>(endpoint, Stage::connect));
    if (!own->is_here() || own->terminal() == kAnyAddress) return error(Stage::connect, Code::unreachable);
    CORBEL_TRY(auto terminal, terminals_->any_at(own->bus(), deadline));
    CORBEL_TRY(auto conversation, terminal->call(own->terminal(), deadline));
    std::shared_ptr<Terminal> last = terminal;  // the one before goes without the lock
    {
      const std::lock_guard lock(mutex_);
      last_.swap(last);
    }
    return std::unique_ptr<Transport>(new FieldBusTransport(std::move(terminal), std::move(conversation)));
  }

 private:
  std::shared_ptr<Terminals> terminals_;
  Mutex mutex_;
  std::shared_ptr<Terminal> last_;  // guarded by mutex_; so that the next connection need not plug in again
};

class FieldBusAcceptor final : public Acceptor {
 public:
  explicit FieldBusAcceptor(std::shared_ptr<Terminal> terminal) : terminal_(std::move(terminal)) {}
  ~FieldBusAcceptor() override { FieldBusAcceptor::close(); }

  Result<std::unique_ptr<Transport>> accept() override {
    if (closed_) return error(Stage::accept, Code::cancelled);
    CORBEL_TRY(auto conversation, terminal_->answer());
    return std::unique_ptr<Transport>(new FieldBusTransport(terminal_, std::move(conversation)));
  }
  int handle() const noexcept override { return terminal_->calls_handle(); }
  std::vector<EndpointPtr> endpoints() const override {
    return {std::make_shared<FieldBusEndpoint>(machine_name(), terminal_->bus(), terminal_->address())};
  }
  void close() noexcept override {
    if (!std::exchange(closed_, true)) terminal_->stop_listening();
  }

 private:
  const std::shared_ptr<Terminal> terminal_;
  bool closed_ = false;
};

class FieldBusFactory final : public Factory {
 public:
  FieldBusFactory(std::shared_ptr<Terminals> terminals, BusSettings settings)
      : terminals_(std::move(terminals)), settings_(std::move(settings)) {
    if (settings_.control.empty()) return;
    auto controller = Controller::start(settings_.control, settings_);
    if (controller) {
      controller_ = *std::move(controller);
    } else {
      failure_ = controller.error();
    }
  }

  std::string_view scheme() const noexcept override { return kScheme; }
  std::string_view address_form() const noexcept override { return "/path/terminal"; }
  Traits traits() const noexcept override { return kTraits; }
  Result<EndpointPtr> parse(std::string_view address) const override { return FieldBusEndpoint::parse(address); }
  std::unique_ptr<Connector> make_connector() const override { return std::make_unique<FieldBusConnector>(terminals_); }
  Result<std::unique_ptr<Acceptor>> listen(const Endpoint& endpoint, const Options& options) const override {
    CORBEL_TRY(const auto* own, own_endpoint<FieldBusEndpoint>(endpoint, Stage::listen));
    if (!failure_) return failure_.error();  // the controller that this ORB was to have
    if (!own->is_here()) return error(Stage::listen, Code::unreachable);
    const auto backlog = static_cast<std::size_t>(options.backlog);
    CORBEL_TRY(auto terminal, terminals_->listening_at(own->bus(), own->terminal(), backlog, Deadline::after(kPlugIn)));
    return std::unique_ptr<Acceptor>(new FieldBusAcceptor(std::move(terminal)));
  }
  std::unique_ptr<OptionSet> options() const override { return option_set(settings_, kBusOptions); }
  std::shared_ptr<const Factory> with(const Setup& setup) const override {
    return std::make_shared<FieldBusFactory>(terminals_, setup.settings(settings_));
  }

 private:
  const std::shared_ptr<Terminals> terminals_;
  const BusSettings settings_;
  std::unique_ptr<Controller> controller_;
  Status failure_;
};

}  // namespace

std::shared_ptr<const Factory> make_field_bus() {
  return std::make_shared<FieldBusFactory>(std::make_shared<Terminals>(), BusSettings());
}

}  // namespace field_bus
