// SPDX-License-Identifier: Apache-2.0
#include "mailbox.hpp"

#include <cstring>
#include <deque>
#include <map>
#include <utility>

#include "corbel/base/condition.hpp"
#include "corbel/ipc/event.hpp"
#include "corbel/transport/endpoint_text.hpp"

namespace carriers {
namespace {

using namespace corbel::base;
using namespace corbel::transport;

constexpr std::string_view kScheme = "mailbox";
constexpr Traits kTraits{.byte_stream = false, .largest_message = 4096};

struct Settings {
  std::uint32_t letters = 64;  // of one direction that are not received yet, at most
};
constexpr OptionRow<Settings> kOptions[] = {
    {"MailboxLetters", NumberMember<Settings>{member_v<&Settings::letters>}, 1, 4096, "letters",
     "mailbox: letters that wait to be received, at most; then senders wait"},
};

/// One direction of a conversation.
class Box {
 public:
  static std::shared_ptr<Box> make(std::size_t most) {
    auto event = corbel::ipc::Event::open();
    return event ? std::make_shared<Box>(*std::move(event), most) : nullptr;
  }
  Box(corbel::ipc::Event event, std::size_t most) : filled_(std::move(event)), most_(most) {}
  Result<std::size_t> put(Bytes letter, Deadline deadline) {
    std::unique_lock lock(mutex_);
    const bool room = changed_.wait(lock, deadline, [&] { return closed_ || letters_.size() < most_; });
    if (closed_) return error(Stage::send, Code::lost);
    if (!room) return error(Stage::send, deadline.is_now() ? Code::would_block : Code::timed_out);
    const std::size_t size = letter.size();
    letters_.push_back(std::move(letter));
    filled_.set();
    changed_.notify_all();
    return size;
  }
  Result<std::size_t> take(ByteSpan room, Deadline deadline) {
    std::unique_lock lock(mutex_);
    const bool any = changed_.wait(lock, deadline, [&] { return closed_ || !letters_.empty(); });
    if (!any) return error(Stage::receive, deadline.is_now() ? Code::would_block : Code::timed_out);
    if (letters_.empty()) return error(Stage::receive, Code::closed);
    const Bytes letter = std::move(letters_.front());
    letters_.pop_front();
    if (letters_.empty() && !closed_) filled_.clear();
    changed_.notify_all();
    if (letter.size() > room.size()) return error(Stage::receive, Code::truncated);
    std::memcpy(room.data(), letter.data(), letter.size());
    return letter.size();
  }
  void close() noexcept {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    filled_.set();
    changed_.notify_all();
  }
  int handle() const noexcept { return filled_.handle(); }

 private:
  const corbel::ipc::Event filled_;  // its handle is readable while there is something to take, or the end
  const std::size_t most_;
  Mutex mutex_;  // guards what follows
  Condition changed_;
  std::deque<Bytes> letters_;
  bool closed_ = false;
};

class MailboxTransport final : public Transport {
 public:
  MailboxTransport(std::shared_ptr<Box> out, std::shared_ptr<Box> in, std::string name)
      : out_(std::move(out)), in_(std::move(in)), name_(std::string(kScheme) + "://" + name) {}
  ~MailboxTransport() override { MailboxTransport::shutdown(); }

  Result<std::size_t> send(std::span<const corbel::cdr::Segment> data, Deadline deadline) override {
    Bytes letter;
    for (const auto& segment : data) {
      const auto* octets = static_cast<const Octet*>(segment.data);
      if (segment.size > kTraits.largest_message - letter.size()) return error(Stage::send, Code::too_large);
      letter.insert(letter.end(), octets, octets + segment.size);
    }
    if (letter.empty()) return std::size_t{0};
    return out_->put(std::move(letter), deadline);
  }
  Result<std::size_t> receive(ByteSpan buffer, Deadline deadline) override { return in_->take(buffer, deadline); }
  void shutdown() noexcept override {
    out_->close();
    in_->close();
  }
  int handle() const noexcept override { return in_->handle(); }
  Traits traits() const noexcept override { return kTraits; }
  std::string local() const override { return name_; }
  std::string peer() const override { return name_; }

 private:
  std::shared_ptr<Box> out_;
  std::shared_ptr<Box> in_;
  std::string name_;
};

/// Peers that wait to be accepted under one name.
struct Queue {
  explicit Queue(corbel::ipc::Event event, std::size_t most) : waiting(std::move(event)), backlog(most) {}
  const corbel::ipc::Event waiting;
  const std::size_t backlog;
  std::deque<std::unique_ptr<Transport>> peers;
};

/// The listeners, by name. Shared by a factory and all that it makes.
struct Office {
  Mutex mutex;  // guards what follows, queues included
  Condition room;
  std::map<std::string, std::shared_ptr<Queue>, std::less<>> queues;
  unsigned made = 0;
};

struct MailboxEndpoint final : TextEndpoint {
  explicit MailboxEndpoint(std::string_view name) : TextEndpoint(kScheme, name) {}
  Reach reach() const noexcept override { return Reach::this_host; }
};

struct MailboxConnector final : Connector {
  MailboxConnector(std::shared_ptr<Office> shared, Settings set) : office(std::move(shared)), settings(set) {}
  Result<std::unique_ptr<Transport>> connect(const Endpoint& endpoint, const ConnectionOptions&,
                                             Deadline deadline) override {
    CORBEL_TRY(const auto* own, own_endpoint<MailboxEndpoint>(endpoint, Stage::connect));
    const auto there = Box::make(settings.letters);
    const auto back = Box::make(settings.letters);
    if (!there || !back) return error(Stage::connect, Code::out_of_resources);
    const std::string name(own->address());
    std::unique_lock lock(office->mutex);
    std::shared_ptr<Queue> queue;
    const auto find = [&] {
      const auto found = office->queues.find(name);
      queue = found == office->queues.end() ? nullptr : found->second;
      return queue == nullptr || queue->peers.size() < queue->backlog;
    };
    if (!office->room.wait(lock, deadline, find)) return error(Stage::connect, Code::timed_out);
    if (queue == nullptr) return error(Stage::connect, Code::refused);
    queue->peers.push_back(std::make_unique<MailboxTransport>(back, there, name));
    queue->waiting.set();
    return std::unique_ptr<Transport>(new MailboxTransport(there, back, name));
  }

  std::shared_ptr<Office> office;
  Settings settings;
};

struct MailboxAcceptor final : Acceptor {
  MailboxAcceptor(std::shared_ptr<Office> shared, std::string chosen, std::shared_ptr<Queue> waiting)
      : office(std::move(shared)), name(std::move(chosen)), queue(std::move(waiting)) {}
  ~MailboxAcceptor() override { MailboxAcceptor::close(); }

  Result<std::unique_ptr<Transport>> accept() override {
    const std::lock_guard lock(office->mutex);
    if (queue->peers.empty()) return error(Stage::accept, closed ? Code::cancelled : Code::would_block);
    auto peer = std::move(queue->peers.front());
    queue->peers.pop_front();
    if (queue->peers.empty()) queue->waiting.clear();
    office->room.notify_all();
    return peer;
  }
  int handle() const noexcept override { return queue->waiting.handle(); }
  std::vector<EndpointPtr> endpoints() const override { return {std::make_shared<MailboxEndpoint>(name)}; }
  void close() noexcept override {
    const std::lock_guard lock(office->mutex);
    if (std::exchange(closed, true)) return;
    office->queues.erase(name);
    queue->peers.clear();  // their peers see the end
    office->room.notify_all();
  }

  std::shared_ptr<Office> office;
  std::string name;
  std::shared_ptr<Queue> queue;
  bool closed = false;
};

struct MailboxFactory final : Factory {
  MailboxFactory(std::shared_ptr<Office> shared, Settings set) : office(std::move(shared)), settings(set) {}
  std::string_view scheme() const noexcept override { return kScheme; }
  std::string_view address_form() const noexcept override { return "name"; }
  Traits traits() const noexcept override { return kTraits; }
  Result<EndpointPtr> parse(std::string_view address) const override {
    if (!is_printable(address)) return error(Stage::resolve, Code::bad_argument);
    return EndpointPtr(std::make_shared<MailboxEndpoint>(address));
  }
  std::unique_ptr<Connector> make_connector() const override {
    return std::make_unique<MailboxConnector>(office, settings);
  }
  Result<std::unique_ptr<Acceptor>> listen(const Endpoint& endpoint, const Options& options) const override {
    CORBEL_TRY(const auto* own, own_endpoint<MailboxEndpoint>(endpoint, Stage::listen));
    CORBEL_TRY(auto event, corbel::ipc::Event::open());
    const std::lock_guard lock(office->mutex);
    std::string name(own->address());
    if (name.empty()) name = "letters-" + std::to_string(++office->made);
    const auto queue = std::make_shared<Queue>(std::move(event), static_cast<std::size_t>(options.backlog));
    if (!office->queues.emplace(name, queue).second) return error(Stage::listen, Code::address_in_use);
    return std::unique_ptr<Acceptor>(new MailboxAcceptor(office, std::move(name), queue));
  }
  std::unique_ptr<OptionSet> options() const override { return option_set(settings, kOptions); }
  std::shared_ptr<const Factory> with(const Setup& setup) const override {
    return std::make_shared<MailboxFactory>(office, setup.settings(settings));  // one office for all ORBs
  }

  const std::shared_ptr<Office> office;
  const Settings settings;
};

}  // namespace

std::shared_ptr<const Factory> make_mailbox() {
  return std::make_shared<MailboxFactory>(std::make_shared<Office>(), Settings());
}

}  // namespace carriers
