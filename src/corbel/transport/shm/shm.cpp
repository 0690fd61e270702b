// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/shm/shm.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <optional>
#include <utility>

#include "corbel/base/cancellation.hpp"
#include "corbel/base/fork.hpp"
#include "corbel/ipc/connector.hpp"
#include "corbel/transport/connection_options.hpp"
#include "corbel/transport/local_endpoint.hpp"
#include "corbel/transport/local_listen.hpp"
#include "corbel/transport/shm/carrier.hpp"
#include "corbel/transport/shm/host.hpp"
#include "corbel/transport/shm/ring_wish.hpp"
#include "corbel/transport/shm/users.hpp"
#include "corbel/transport/stream_acceptor.hpp"

namespace corbel::transport {
namespace shm {
namespace {

using base::Code;
using base::Stage;

struct Scheme {
  static constexpr std::string_view kScheme = "shm";
  static bool is_here(std::string_view machine) { return machine == machine_name() || machine == host_identity(); }
};
using ShmEndpoint = LocalEndpoint<Scheme>;

/// The name of an end that has no address.
std::string process_text(int id) {
  return "shm://process:" + std::to_string(id);
}

base::Error at(Stage stage, const base::Error& error) {
  return base::error(stage, error.code, error.os_error);
}

class ShmAcceptor final : public SocketAcceptor<ipc::UnixStream> {
 public:
  ShmAcceptor(LocalListener<ipc::UnixStream> listener, std::vector<EndpointPtr> endpoints,
              const ConnectionOptions& options, Users users, std::size_t takes_lent, std::shared_ptr<Watch> watch,
              const base::Log& log)
      : SocketAcceptor(std::move(listener.acceptor), std::move(endpoints)),
        folder_(std::move(listener.folder)),
        options_(options),
        users_(std::move(users)),
        takes_lent_(takes_lent),
        watch_(std::move(watch)),
        log_(log) {}
  ~ShmAcceptor() override { ShmAcceptor::close(); }

  base::Result<std::unique_ptr<Transport>> accept() override {
    for (;;) {
      failure_ = {};
      auto accepted = SocketAcceptor::accept();
      if (!accepted || *accepted != nullptr) return accepted;
      if (failure_.code == Code::out_of_resources) return at(Stage::accept, failure_);
      tell_once(failure_);
      // The client was hung up on: take the next one.
    }
  }

  void close() noexcept override {
    SocketAcceptor::close();
    folder_.leave();
  }

 private:
  std::unique_ptr<Transport> make(ipc::UnixStream socket, const ipc::UnixAddress& name) override {
    auto made = offer(std::move(socket), name);
    if (made) return *std::move(made);
    failure_ = made.error();
    return nullptr;
  }

  base::Result<std::unique_ptr<Transport>> offer(ipc::UnixStream socket, const ipc::UnixAddress& name) {
    CORBEL_TRY(const auto peer, socket.get(ipc::option::peer_credentials));
    if (!users_.permit(peer.user)) return base::error(Stage::accept, Code::refused, EPERM);
    ConnectionOptions options = options_;
    // Memory that a stranger wants may be more than this process has to give.
    if (const int wish = wish_of(name); wish > 0 && peer.user == ::geteuid()) options.ring = wish;
    CORBEL_TRY(auto channel, Channel::offer(socket, options, takes_lent_));
    return Carrier::make(std::move(socket), std::move(channel), watch_, base::Spin(options_.spin),
                         {.takes = takes_lent_}, endpoints().front()->text(), process_text(peer.process));
  }

  /// Why clients are hung up on, each reason once: a client may come again and again.
  void tell_once(const base::Error& error) {
    if (std::find(told_.begin(), told_.end(), error) != told_.end() || told_.size() == kMostTold) return;
    told_.push_back(error);
    CORBEL_LOG(log_, transport, warning, "shared memory: a client is hung up on; not told again for this reason",
               {"endpoint", endpoints().front()->text()}, {"error", error});
  }

  static constexpr std::size_t kMostTold = 32;

  ipc::SocketFolder folder_;
  const ConnectionOptions options_;
  const Users users_;
  const std::size_t takes_lent_;
  const std::shared_ptr<Watch> watch_;
  const base::Log& log_;
  base::Error failure_;
  std::vector<base::Error> told_;
};

class ShmConnector final : public Connector {
 public:
  ShmConnector(std::string users, std::size_t gives_lent) : names_(std::move(users)), gives_lent_(gives_lent) {}

  base::Result<std::unique_ptr<Transport>> connect(const Endpoint& endpoint, const ConnectionOptions& options,
                                                   base::Deadline deadline) override {
    CORBEL_TRY(const ShmEndpoint* own, own_endpoint<ShmEndpoint>(endpoint, Stage::connect));
    if (own->unix_address().is_unnamed() || !own->is_here()) return base::error(Stage::connect, Code::unreachable);
    const auto users = permitted();
    if (!users) return at(Stage::connect, users.error());
    CORBEL_TRY(auto watch, watch_of_process());
    ipc::UnixAddress name;
    ipc::ConnectOptions<ipc::UnixAddress> with;
    if (options.ring > 0) {
      CORBEL_TRY(name, name_of_wish(options.ring));
      with.local = &name;
    }
    CORBEL_TRY(auto socket, ipc::UnixConnector().connect(own->unix_address(), deadline, with));
    const auto peer = socket.get(ipc::option::peer_credentials);
    if (!peer || !users->permit(peer->user)) return base::error(Stage::connect, Code::refused);
    CORBEL_TRY(auto channel, take(socket, deadline));
    auto made = Carrier::make(std::move(socket), std::move(channel), std::move(watch), base::Spin(options.spin),
                              {.gives = gives_lent_}, process_text(::getpid()), own->text());
    if (!made) return at(Stage::connect, made.error());
    return made;
  }

 private:
  /// What the server sends as soon as it accepts; another thread may end the waiting.
  static base::Result<base::IntrusivePtr<Channel>> take(ipc::UnixStream& socket, base::Deadline deadline) {
    const base::Cancellation::Wait greeted(
        [](void* from) noexcept { (void)static_cast<ipc::UnixStream*>(from)->shutdown(ipc::Direction::both); },
        &socket);
    if (greeted.cancelled()) return base::error(Stage::connect, Code::cancelled);
    return Channel::take(socket, deadline);
  }
  /// The result is kept: looking up names may take longer than a deadline.
  base::Result<Users> permitted() {
    {
      const std::lock_guard lock(mutex_);
      if (users_) return *users_;
    }
    CORBEL_TRY(auto users, Users::parse(names_));
    const std::lock_guard lock(mutex_);
    users_ = users;
    return users;
  }
  /// The watch is kept, so that a client that connects now and then does not start a thread each time.
  base::Result<std::shared_ptr<Watch>> watch_of_process() {
    auto watch = Watch::get();
    if (!watch) return at(Stage::connect, watch.error());
    const std::lock_guard lock(mutex_);
    return watch_ = *std::move(watch);
  }

  const std::string names_;
  const std::size_t gives_lent_;
  base::ForkMutex mutex_;  // guards what follows
  std::shared_ptr<Watch> watch_;
  std::optional<Users> users_;
};

constexpr std::uint32_t kMostLent = 1U << 30;

std::size_t lent_memory(const ShmSettings& settings) noexcept {
  return (std::min<std::size_t>(settings.lent_memory, kMostLent) + kLeastLent - 1) / kLeastLent * kLeastLent;
}

bool set_users(ShmSettings& settings, std::string_view text) {
  if (!Users::parse(text)) return false;
  settings.users = text;
  return true;
}

constexpr base::OptionRow<ShmSettings> kOptions[] = {
    {"ShmUsers",
     base::ParsedMember<ShmSettings>{set_users, "names and numbers of users of this system in a comma list, or *",
                                     "none"},
     0, 0, "", "shm: users, besides this process's own, whose processes it shares memory with; *: anybody's"},
    {"ShmLentMemory", base::NumberMember<ShmSettings>{base::member_v<&ShmSettings::lent_memory>}, 0, kMostLent,
     "octets",
     "shm: memory of each connection from which clients send what they have been lent without a copy, and servants "
     "view "
     "it in place; 0: none; for peers that are trusted (docs/transports.md)"},
};

class ShmFactory final : public Factory {
 public:
  ShmFactory(ShmSettings settings, const base::Log& log) : settings_(std::move(settings)), log_(log) {}

  std::string_view scheme() const noexcept override { return Scheme::kScheme; }
  std::string_view address_form() const noexcept override { return "/path"; }
  std::span<const ConnectionOption> connection_options() const noexcept override { return ring_options(); }
  base::Result<EndpointPtr> parse(std::string_view address) const override { return ShmEndpoint::parse(address); }
  std::unique_ptr<Connector> make_connector() const override {
    return std::make_unique<ShmConnector>(settings_.users, lent_memory(settings_));
  }
  base::Result<std::unique_ptr<Acceptor>> listen(const Endpoint& endpoint, const Options& options) const override {
    CORBEL_TRY(const ShmEndpoint* own, own_endpoint<ShmEndpoint>(endpoint, Stage::listen));
    if (!own->is_here()) return base::error(Stage::listen, Code::unreachable);
    auto users = Users::parse(settings_.users);
    if (!users) return at(Stage::listen, users.error());
    auto watch = Watch::get();
    if (!watch) return at(Stage::listen, watch.error());
    Options for_socket = options;
    for_socket.send_buffer = for_socket.receive_buffer = 0;  // they are the rings'
    CORBEL_TRY(auto listener, LocalListener<ipc::UnixStream>::open(own->unix_address(), for_socket));
    // A path that was chosen may mean the same after the next start of the machine; other names do not.
    const bool lasts = !own->unix_address().is_unnamed() && !own->unix_address().is_abstract();
    std::vector<EndpointPtr> endpoints{
        std::make_shared<ShmEndpoint>(lasts ? machine_name() : host_identity(), listener.address)};
    return std::unique_ptr<Acceptor>(new ShmAcceptor(std::move(listener), std::move(endpoints), options,
                                                     *std::move(users), lent_memory(settings_), *std::move(watch),
                                                     log_));
  }
  std::unique_ptr<base::OptionSet> options() const override { return base::option_set(settings_, kOptions); }
  std::shared_ptr<const Factory> with(const Setup& setup) const override {
    return std::make_shared<ShmFactory>(setup.settings(settings_), *setup.log);
  }

 private:
  const ShmSettings settings_;
  const base::Log& log_;
};

}  // namespace
}  // namespace shm

std::shared_ptr<const Factory> make_shm(ShmSettings settings) {
  return std::make_shared<shm::ShmFactory>(std::move(settings), base::Log::none());
}

}  // namespace corbel::transport
