// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/faulty/faulty.hpp"

#include <algorithm>
#include <atomic>

namespace corbel::transport {
namespace faulty {
namespace {

using base::Code;
using base::Stage;

class FaultyTransport final : public Transport {
 public:
  FaultyTransport(std::unique_ptr<Transport> inner, std::shared_ptr<Plan> plan, Side side)
      : inner_(std::move(inner)), plan_(std::move(plan)), side_(side) {
    plan_->count_conversation(side_);
  }

  base::Result<std::size_t> send(std::span<const cdr::Segment> data, base::Deadline deadline) override;
  base::Result<std::size_t> receive(base::ByteSpan buffer, base::Deadline deadline) override;
  void shutdown() noexcept override { inner_->shutdown(); }
  void abandon() noexcept override { inner_->abandon(); }
  int handle() const noexcept override { return inner_->handle(); }
  int send_handle() const noexcept override { return inner_->send_handle(); }
  bool wants_input() const noexcept override { return inner_->wants_input(); }
  bool pending() const noexcept override { return inner_->pending(); }
  base::Status handshake(base::Deadline deadline) override { return inner_->handshake(deadline); }
  bool wants_room() const noexcept override { return inner_->wants_room(); }
  PeerIdentity identity() const override { return inner_->identity(); }
  bool stands_for(const std::string& host) const override { return inner_->stands_for(host); }
  std::size_t unsent() const noexcept override { return inner_->unsent(); }
  /// It may bring less than there is.
  Traits traits() const noexcept override {
    Traits traits = inner_->traits();
    traits.edges = false;
    return traits;
  }
  std::string local() const override { return inner_->local(); }
  std::string peer() const override { return inner_->peer(); }

 private:
  /// Cuts the connection if its time has come; true from then on.
  bool cut(const Script& script) {
    if (sent_ >= script.cut_sent || received_ >= script.cut_received) cut_ = true;
    if (cut_) inner_->shutdown();
    return cut_;
  }
  static bool hesitates(const Script& script, base::Deadline deadline, bool& last) {
    return script.hesitate && deadline.is_now() && (last = !last);
  }
  base::Result<std::size_t> send_message(std::span<const cdr::Segment> data, const Script& script,
                                         base::Deadline deadline);
  base::Result<std::size_t> send_loosely(std::span<const cdr::Segment> data, std::size_t size, const Script& script,
                                         base::Deadline deadline);
  base::Result<std::size_t> receive_message(base::ByteSpan buffer, const Script& script, base::Deadline deadline);
  base::Result<std::size_t> send_piece(const base::Octet* data, std::size_t size, const Script& script,
                                       base::Deadline deadline);

  std::unique_ptr<Transport> inner_;
  std::shared_ptr<Plan> plan_;
  const Side side_;
  const bool keeps_messages_ = !inner_->traits().byte_stream;
  std::atomic<std::uint64_t> sent_{0};
  std::atomic<std::uint64_t> received_{0};
  std::atomic<bool> cut_{false};
  bool send_hesitated_ = false;  // the sending thread's, and so are these two
  std::uint64_t messages_ = 0;
  base::Bytes late_;
  bool receive_hesitated_ = false;  // the receiving thread's
};

std::size_t at_most(std::uint64_t limit, std::uint64_t done, std::size_t size) {
  return static_cast<std::size_t>(std::min<std::uint64_t>(limit - std::min(done, limit), size));
}

base::Error not_in_time(Stage stage, base::Deadline deadline) {
  return base::error(stage, deadline.is_now() ? Code::would_block : Code::timed_out);
}

/// Sends one contiguous piece as the script allows; fewer octets than asked for only if it says so.
base::Result<std::size_t> FaultyTransport::send_piece(const base::Octet* data, std::size_t size, const Script& script,
                                                      base::Deadline deadline) {
  if (cut(script)) return base::error(Stage::send, script.cut_as);
  size = at_most(script.cut_sent, sent_, size);
  size = at_most(script.stall_sent, sent_, size);
  if (script.send_at_most != 0) size = std::min(size, script.send_at_most);
  if (size == 0) return not_in_time(Stage::send, deadline);
  const cdr::Segment piece{data, size};
  CORBEL_TRY(const std::size_t count, inner_->send({&piece, 1}, deadline));
  sent_ += count;
  plan_->count(side_, count, 0);
  (void)cut(script);
  return count;
}

/// A message leaves whole or not at all, so one that a cut would fall into does not leave.
base::Result<std::size_t> FaultyTransport::send_message(std::span<const cdr::Segment> data, const Script& script,
                                                        base::Deadline deadline) {
  std::size_t size = 0;
  for (const cdr::Segment& segment : data) size += segment.size;
  if (at_most(script.cut_sent, sent_, size) < size) cut_ = true;
  if (cut(script)) return base::error(Stage::send, script.cut_as);
  if (at_most(script.stall_sent, sent_, size) < size) return not_in_time(Stage::send, deadline);
  CORBEL_TRY(const std::size_t count, send_loosely(data, size, script, deadline));
  sent_ += count;
  plan_->count(side_, count, 0);
  (void)cut(script);
  return count;
}

/// Does with a message what may befall it on the way.
base::Result<std::size_t> FaultyTransport::send_loosely(std::span<const cdr::Segment> data, std::size_t size,
                                                        const Script& script, base::Deadline deadline) {
  const auto due = [this](unsigned every) { return every != 0 && messages_ % every == 0; };
  ++messages_;
  if (due(script.lose_every)) return size;
  if (due(script.overtake_every)) {
    for (const cdr::Segment& segment : data) {
      const auto* octets = static_cast<const base::Octet*>(segment.data);
      late_.insert(late_.end(), octets, octets + segment.size);
    }
    return size;
  }
  auto count = inner_->send(data, deadline);
  if (due(script.repeat_every)) (void)inner_->send(data, deadline);
  if (!late_.empty()) {
    const cdr::Segment late{late_.data(), late_.size()};
    (void)inner_->send({&late, 1}, deadline);
    late_.clear();
  }
  return count;
}

/// A message that a cut would fall into does not come either.
base::Result<std::size_t> FaultyTransport::receive_message(base::ByteSpan buffer, const Script& script,
                                                           base::Deadline deadline) {
  if (at_most(script.stall_received, received_, 1) == 0) return not_in_time(Stage::receive, deadline);
  auto count = inner_->receive(buffer, deadline);
  if (count && at_most(script.cut_received, received_, *count) < *count) {
    cut_ = true;
    (void)cut(script);
  }
  if (cut_) return base::error(Stage::receive, script.cut_as);
  if (!count) return count;
  received_ += *count;
  plan_->count(side_, 0, *count);
  (void)cut(script);
  return count;
}

base::Result<std::size_t> FaultyTransport::send(std::span<const cdr::Segment> data, base::Deadline deadline) {
  const Script script = plan_->script(side_);
  if (hesitates(script, deadline, send_hesitated_)) return base::error(Stage::send, Code::would_block);
  if (keeps_messages_) return send_message(data, script, deadline);
  std::size_t total = 0;
  for (const cdr::Segment& segment : data) {
    for (std::size_t offset = 0; offset < segment.size;) {
      const auto count =
          send_piece(static_cast<const base::Octet*>(segment.data) + offset, segment.size - offset, script, deadline);
      if (!count) return deadline.is_now() && total != 0 ? base::Result<std::size_t>(total) : count.error();
      offset += *count;
      total += *count;
      if (deadline.is_now() && script.send_at_most != 0) return total;
    }
  }
  return total;
}

base::Result<std::size_t> FaultyTransport::receive(base::ByteSpan buffer, base::Deadline deadline) {
  const Script script = plan_->script(side_);
  if (cut(script)) return base::error(Stage::receive, script.cut_as);
  if (hesitates(script, deadline, receive_hesitated_)) return base::error(Stage::receive, Code::would_block);
  if (keeps_messages_) return receive_message(buffer, script, deadline);
  std::size_t size = at_most(script.cut_received, received_, buffer.size());
  size = at_most(script.stall_received, received_, size);
  if (script.receive_at_most != 0) size = std::min(size, script.receive_at_most);
  if (size == 0) return not_in_time(Stage::receive, deadline);
  auto count = inner_->receive(buffer.first(size), deadline);
  if (!count) return cut_ ? base::error(Stage::receive, script.cut_as) : count.error();
  received_ += *count;
  plan_->count(side_, 0, *count);
  (void)cut(script);
  return count;
}

class FaultyConnector final : public Connector {
 public:
  FaultyConnector(std::unique_ptr<Connector> inner, std::shared_ptr<Plan> plan)
      : inner_(std::move(inner)), plan_(std::move(plan)) {}

  base::Result<std::unique_ptr<Transport>> connect(const Endpoint& endpoint, const ConnectionOptions& options,
                                                   base::Deadline deadline) override {
    if (plan_->take_refusal(Side::connecting)) return base::error(Stage::connect, Code::refused);
    CORBEL_TRY(auto transport, inner_->connect(endpoint, options, deadline));
    return std::unique_ptr<Transport>(new FaultyTransport(std::move(transport), plan_, Side::connecting));
  }

 private:
  std::unique_ptr<Connector> inner_;
  std::shared_ptr<Plan> plan_;
};

class FaultyAcceptor final : public Acceptor {
 public:
  FaultyAcceptor(std::unique_ptr<Acceptor> inner, std::shared_ptr<Plan> plan)
      : inner_(std::move(inner)), plan_(std::move(plan)) {}

  base::Result<std::unique_ptr<Transport>> accept() override {
    if (plan_->take_refusal(Side::accepting)) return base::error(Stage::accept, Code::out_of_resources);
    CORBEL_TRY(auto transport, inner_->accept());
    return std::unique_ptr<Transport>(new FaultyTransport(std::move(transport), plan_, Side::accepting));
  }
  int handle() const noexcept override { return inner_->handle(); }
  std::vector<EndpointPtr> endpoints() const override { return inner_->endpoints(); }
  void refuse_more() noexcept override { inner_->refuse_more(); }
  void close() noexcept override { inner_->close(); }

 private:
  std::unique_ptr<Acceptor> inner_;
  std::shared_ptr<Plan> plan_;
};

class FaultyFactory final : public Factory {
 public:
  FaultyFactory(std::shared_ptr<const Factory> inner, std::shared_ptr<Plan> plan)
      : inner_(std::move(inner)), plan_(std::move(plan)) {}

  std::string_view scheme() const noexcept override { return inner_->scheme(); }
  std::string_view address_form() const noexcept override { return inner_->address_form(); }
  std::string_view standard_scheme() const noexcept override { return inner_->standard_scheme(); }
  std::span<const ConnectionOption> connection_options() const noexcept override {
    return inner_->connection_options();
  }
  std::span<const ConnectionOption> endpoint_options() const noexcept override { return inner_->endpoint_options(); }
  Traits traits() const noexcept override { return inner_->traits(); }
  bool insists() const noexcept override { return inner_->insists(); }
  base::Result<EndpointPtr> parse(std::string_view address) const override { return inner_->parse(address); }
  base::Result<EndpointPtr> from_url(const ior::UrlAddress& address) const override {
    return inner_->from_url(address);
  }
  std::optional<std::string> default_address() const override { return inner_->default_address(); }
  std::unique_ptr<Connector> make_connector() const override {
    return std::make_unique<FaultyConnector>(inner_->make_connector(), plan_);
  }
  base::Result<std::unique_ptr<Acceptor>> listen(const Endpoint& endpoint, const Options& options) const override {
    CORBEL_TRY(auto acceptor, inner_->listen(endpoint, options));
    return std::unique_ptr<Acceptor>(new FaultyAcceptor(std::move(acceptor), plan_));
  }
  base::Result<Reachable> decode(const ior::TaggedProfile& profile, const cdr::Limits& limits) const override {
    return inner_->decode(profile, limits);
  }
  bool publish(std::span<const EndpointPtr> endpoints, const ior::ProfileBase& base,
               std::vector<ior::TaggedProfile>& profiles) const override {
    return inner_->publish(endpoints, base, profiles);
  }

 private:
  std::shared_ptr<const Factory> inner_;
  std::shared_ptr<Plan> plan_;
};

}  // namespace
}  // namespace faulty

std::shared_ptr<const Factory> make_faulty(std::shared_ptr<const Factory> inner, std::shared_ptr<faulty::Plan> plan) {
  return std::make_shared<faulty::FaultyFactory>(std::move(inner), std::move(plan));
}

}  // namespace corbel::transport
