// SPDX-License-Identifier: Apache-2.0
#include "relay.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "corbel/ior/profile.hpp"
#include "corbel/ipc/resolver.hpp"
#include "output_file.hpp"

namespace corbel::tool {
namespace {

constexpr std::size_t kPiece = 64 << 10;
constexpr auto kTurn = std::chrono::milliseconds(200);

/// "host:port", "[::1]:port" or "port".
std::pair<std::string, std::uint16_t> host_and_port(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  std::string host = colon == std::string::npos ? "127.0.0.1" : text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  const std::string port = colon == std::string::npos ? text : text.substr(colon + 1);
  const bool digits = !port.empty() && port.size() <= 5 && port.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || host.empty() || std::stoul(port) > 65535) throw std::runtime_error("'" + text + "' is not HOST:PORT");
  return {host, static_cast<std::uint16_t>(std::stoul(port))};
}

std::vector<ipc::InetAddress> addresses(const std::string& host, std::uint16_t port, long timeout) {
  static ipc::Resolver resolver;
  auto found = resolver.resolve(host, port, base::Deadline::after(std::chrono::milliseconds(timeout)));
  if (!found) throw std::runtime_error(host + " cannot be resolved: " + base::to_string(found.error()));
  return *std::move(found);
}

}  // namespace

/// One link with its two threads.
class Relay::Wire final : public Link {
 public:
  Wire(Relay& relay, ipc::TcpStream client, ipc::TcpStream server, std::unique_ptr<Talk> talk)
      : relay_(relay), streams_{std::move(client), std::move(server)}, talk_(std::move(talk)) {}

  /// With the relay's mutex.
  void start() noexcept {
    for (const Way way : {Way::there, Way::back}) {
      try {
        threads_[index(way)] = std::thread([this, way] { pump(way); });
      } catch (const std::exception& failure) {  // too many threads
        std::cerr << "corbel: a connection is cut: " << failure.what() << '\n';
        cut(false);
        if (pumps_.fetch_sub(1) == 1) close();
        --running_;
      }
    }
  }
  bool ended() const { return running_ == 0; }
  void join() {
    for (auto& thread : threads_)
      if (thread.joinable()) thread.join();
  }

  bool send(Way way, base::ConstByteSpan octets) override {
    auto& to = streams_[1 - index(way)];
    while (!octets.empty()) {  // in turns, because a reset does not wake a sender
      std::size_t sent = 0;
      const auto status = to.send_n(octets, base::Deadline::after(kTurn), &sent);
      octets = octets.subspan(sent);
      if (cut_ || (!status && status.error().code != base::Code::timed_out)) return false;
    }
    return true;
  }
  void finish(Way way) override {
    if (!cut_) (void)streams_[1 - index(way)].shutdown(ipc::Direction::send);
  }
  bool broken() const override { return cut_; }
  void cut(bool reset) override {
    const std::lock_guard lock(closing_);
    cut_ = true;
    for (auto& stream : streams_) {
      if (!stream.is_open()) continue;
      if (reset) (void)stream.set(ipc::option::linger, std::chrono::seconds(0));
      // A thread that receives wakes up; the reset comes with close().
      (void)stream.shutdown(reset ? ipc::Direction::receive : ipc::Direction::both);
    }
  }

 private:
  void pump(Way way) noexcept {
    try {
      pass_on(way);
    } catch (const std::exception& failure) {  // of this connection alone
      std::cerr << "corbel: a connection is cut: " << failure.what() << '\n';
      if (!cut_) cut(false);
    }
    if (pumps_.fetch_sub(1) == 1) close();
    const std::lock_guard lock(relay_.mutex_);
    --running_;
    relay_.ended_.notify_all();
  }

  void pass_on(Way way) {
    std::vector<base::Octet> room(kPiece);
    auto& from = streams_[index(way)];
    for (;;) {
      const auto count = from.recv(room);
      if (!count || cut_) {
        if (!cut_) cut(false);
        return;
      }
      if (*count == 0) return talk_->end(way, *this);
      if (!talk_->octets(way, base::ConstByteSpan(room).first(*count), *this)) {
        if (!cut_) cut(false);
        return;
      }
    }
  }

  /// The last of the two threads closes, so that peers need not wait until the link is forgotten.
  void close() {
    talk_.reset();
    const std::lock_guard lock(closing_);
    for (auto& stream : streams_) stream.close();
  }

  Relay& relay_;
  std::array<ipc::TcpStream, 2> streams_;  // the client's, the server's
  std::unique_ptr<Talk> talk_;
  std::array<std::thread, 2> threads_;
  std::mutex closing_;  // a thread that cuts must not meet one that closes
  std::atomic<bool> cut_ = false;
  std::atomic<int> pumps_ = 2;
  int running_ = 2;  // guarded by relay_.mutex_
};

Relay::Relay(const RelayOptions& options, std::string host, std::uint16_t port, MakeTalk make)
    : options_(options), host_(std::move(host)), port_(port), make_(std::move(make)) {
  const auto [listen_host, listen_port] = host_and_port(options.listen);
  auto acceptor = ipc::TcpAcceptor::open(addresses(listen_host, listen_port, options.connect_timeout).front(), {});
  if (!acceptor)
    throw std::runtime_error("cannot listen at " + options.listen + ": " + base::to_string(acceptor.error()));
  acceptor_ = *std::move(acceptor);
  const auto address = acceptor_.local_address();
  if (!address) throw std::runtime_error("cannot listen at " + options.listen);
  address_ = *address;
}

Relay::~Relay() {
  stop();
  clear_ended(true);
}

ior::Ior Relay::through(const ior::Ior& ior) const {
  ior::Ior result{ior.type_id, {}};
  for (const auto& profile : ior.profiles) {
    auto body = ior::decode_iiop_profile(profile);
    if (!body || body->port == 0) continue;
    body->host = options_.publish.empty() ? host_and_port(options_.listen).first : options_.publish;
    body->port = address_.port();
    std::erase_if(body->components, [](const ior::TaggedComponent& component) {  // they lead past the relay
      return component.tag != static_cast<std::uint32_t>(ior::ComponentTag::orb_type) &&
             component.tag != static_cast<std::uint32_t>(ior::ComponentTag::code_sets);
    });
    result.profiles.push_back(ior::encode_profile(*body));
    break;
  }
  return result;
}

void Relay::run() {
  for (unsigned number = 1;; ++number) {
    auto client = acceptor_.accept();
    {
      const std::lock_guard lock(mutex_);
      if (stopped_) return;
    }
    if (!client) {  // descriptors ran out
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      clear_ended(false);
      continue;
    }
    clear_ended(false);
    begin(*std::move(client), number);
  }
}

void Relay::begin(ipc::TcpStream client, unsigned number) try {
  {
    const std::lock_guard lock(mutex_);
    if (wires_.size() >= static_cast<std::size_t>(options_.most_links)) {
      std::cerr << "corbel: more than " << options_.most_links << " connections (--connections): one is refused\n";
      return client.close_with_reset();
    }
  }
  const auto all = addresses(host_, port_, options_.connect_timeout);
  auto server =
      ipc::TcpConnector().connect(all, base::Deadline::after(std::chrono::milliseconds(options_.connect_timeout)));
  if (!server) {
    std::cerr << "corbel: the server does not take a connection: " << base::to_string(server.error()) << '\n';
    return client.close_with_reset();
  }
  (void)client.set(ipc::option::no_delay, true);
  (void)server->set(ipc::option::no_delay, true);
  Ends ends{number, {}, {}};
  if (const auto peer = client.peer_address()) ends.client = *peer;
  if (const auto peer = server->peer_address()) ends.server = *peer;
  const auto wire = std::make_shared<Wire>(*this, std::move(client), *std::move(server), make_(ends));
  const std::lock_guard lock(mutex_);
  if (stopped_) return;
  wires_.push_back(wire);
  wire->start();
} catch (const std::exception& failure) {
  std::cerr << "corbel: a connection is refused: " << failure.what() << '\n';
}

void Relay::clear_ended(bool all) {
  std::list<std::shared_ptr<Wire>> gone;
  {
    std::unique_lock lock(mutex_);
    if (all)
      ended_.wait(lock, [&] { return std::all_of(wires_.begin(), wires_.end(), [](auto& w) { return w->ended(); }); });
    for (auto at = wires_.begin(); at != wires_.end();) {
      const auto next = std::next(at);
      if ((*at)->ended()) gone.splice(gone.end(), wires_, at);
      at = next;
    }
  }
  for (const auto& wire : gone) wire->join();
}

void Relay::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  acceptor_.shutdown();
  cut(false);
}

std::size_t Relay::cut(bool reset) {
  std::vector<std::shared_ptr<Wire>> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& wire : wires_)
      if (!wire->ended()) all.push_back(wire);
  }
  for (const auto& wire : all) wire->cut(reset);
  return all.size();
}

Target relay_target(const std::string& reference) {
  const auto orb = make_orb({});
  const auto object = find_object(orb, reference);
  if (object == nullptr) throw std::runtime_error("this reference is nil");
  auto ior = ior::from_string(orb->object_to_string(object));
  orb->destroy();
  if (!ior) throw std::runtime_error("the reference has no stringified form");
  bool has_tls = false;
  for (const auto& profile : ior->profiles) {
    const auto body = ior::decode_iiop_profile(profile);
    if (!body) continue;
    if (body->port != 0) return {*std::move(ior), body->host, body->port};
    has_tls = true;
  }
  if (has_tls) throw std::runtime_error("the server takes TLS alone, which nobody else can read");
  throw std::runtime_error(
      "the reference has no address at TCP (an IIOP profile), where something could stand between");
}

void add_relay_options(CLI::App& command, RelayOptions& options, std::string& ior_file) {
  command.add_option("--listen", options.listen, "Where clients connect; port 0: any")
      ->type_name("HOST:PORT")
      ->capture_default_str();
  command.add_option("--publish", options.publish, "Host for clients' reference [that of --listen]")->type_name("HOST");
  command.add_option("--ior-file", ior_file, "Write clients' reference into this file")->type_name("FILE");
  command.add_option("--connections", options.most_links, "At the same time, at most")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
}

namespace {

std::atomic<bool> ended{false};

sigset_t end_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

}  // namespace

void block_signals() {
  const sigset_t signals = end_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

void wait_for_end() {
  const sigset_t signals = end_signals();
  int number = 0;
  sigwait(&signals, &number);
  ended = true;
}

bool end_comes_within(std::chrono::milliseconds time) {
  const sigset_t signals = end_signals();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  const timespec most{seconds.count(), std::chrono::nanoseconds(time - seconds).count()};
  if (sigtimedwait(&signals, nullptr, &most) < 0) return false;
  ended = true;
  return true;
}

bool end_came() {
  return ended;
}

void serve(Relay& relay) {
  std::thread serving([&] { relay.run(); });
  wait_for_end();
  relay.stop();
  serving.join();
}

void end_serving() {
  ::kill(::getpid(), SIGTERM);
}

void announce(const Relay& relay, const Target& target, const std::string& ior_file, bool json) {
  const std::string reference = ior::to_string(relay.through(target.ior));
  if (!ior_file.empty()) write_line_to(ior_file, reference);
  const std::string server = target.host + ":" + std::to_string(target.port);
  if (json) {
    std::cout << nlohmann::ordered_json{{"reference", reference},
                                        {"listening", relay.address().to_string()},
                                        {"server", server}}
                     .dump()
              << std::endl;
  } else {
    std::cout << reference << std::endl;
    std::cerr << "corbel: the reference above leads through " << relay.address().to_string() << " to " << server
              << "; SIGINT ends\n";
  }
}

}  // namespace corbel::tool
