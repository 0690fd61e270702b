// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atomic>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "corbel/base/thread_value.hpp"
#include "corbel/interceptors/portable_interceptor.hpp"
#include "corbel/interceptors/sees_threads.hpp"
#include "exporter.hpp"

namespace corbel::tracing {
namespace {

namespace pi = PortableInterceptor;
using SystemClock = std::chrono::system_clock;
using SteadyClock = std::chrono::steady_clock;

/// What the thread does is below this; none: nothing that belongs to a trace.
ContextPtr& here() {
  return base::ThreadValue<ContextPtr>::here();
}

/// "CORBA::TRANSIENT" of "IDL:omg.org/CORBA/TRANSIENT:1.0".
std::string short_name(const std::string& id) {
  constexpr std::string_view kBegin = "IDL:omg.org/CORBA/";
  const std::size_t end = id.rfind(':');
  if (!id.starts_with(kBegin) || end == std::string::npos || end < kBegin.size()) return id;
  return "CORBA::" + id.substr(kBegin.size(), end - kBegin.size());
}

/// A span that has begun.
struct Open {
  SpanData data;
  SteadyClock::time_point since;
  ContextPtr before;         // what the thread did until then
  std::thread::id thread{};  // whose; none if nothing was replaced

  /// It does that again, if it is the calling one.
  void leave_thread() noexcept {
    if (thread != std::this_thread::get_id()) return;
    here() = std::move(before);
    thread = {};
  }
};

/// Those of requests, by number. Requests are many and short: shards keep their threads apart.
class Requests {
 public:
  void begin(std::uint64_t id, Open open) {
    Shard& own = shard(id);
    const std::lock_guard lock(own.mutex);
    own.open.insert_or_assign(id, std::move(open));
  }
  template <class Change>
  void change(std::uint64_t id, Change change) {
    Shard& own = shard(id);
    const std::lock_guard lock(own.mutex);
    if (const auto found = own.open.find(id); found != own.open.end()) change(found->second);
  }
  std::optional<Open> end(std::uint64_t id) {
    Shard& own = shard(id);
    const std::lock_guard lock(own.mutex);
    auto node = own.open.extract(id);
    if (node.empty()) return std::nullopt;
    return std::move(node.mapped());
  }

 private:
  struct Shard {
    std::mutex mutex;
    std::unordered_map<std::uint64_t, Open> open;
  };
  Shard& shard(std::uint64_t id) { return shards_[id % shards_.size()]; }
  std::array<Shard, 16> shards_;
};

/// Ids of requests are unique in one ORB only, and on one side: each has upper halves of its own.
std::uint64_t next_base() {
  static std::atomic<std::uint64_t> last{0};
  return ++last << 32;
}

/// An interceptor must not disturb the call that it looks at.
template <class Do>
void quietly(Do action) noexcept {
  try {
    action();
  } catch (...) {  // no span, then
  }
}

}  // namespace

struct Tracer::Parts {
  explicit Parts(Settings settings) : share(settings.share), exporter(std::move(settings)) {}

  const double share;
  std::atomic<bool> traces = true;
  Requests requests;
  Exporter exporter;

  Open open(std::string name, Kind kind, const Context* parent) const {
    Open made;
    made.data.name = std::move(name);
    made.data.kind = kind;
    made.data.context = std::make_shared<const Context>(begin_context(parent, share));
    if (parent != nullptr) made.data.parent = parent->span;
    made.data.begin = SystemClock::now();
    made.since = SteadyClock::now();
    return made;
  }
  void close(Open done) {
    done.leave_thread();
    if (!done.data.context->sampled) return;
    done.data.lasted = SteadyClock::now() - done.since;
    exporter.put(std::move(done.data));
  }
  /// Of a request.
  void end(std::uint64_t id, const char* outcome, const std::string& exception, bool is_error) {
    auto open = requests.end(id);
    if (!open) return;
    open->data.attributes.emplace_back("corba.outcome", outcome);
    if (!exception.empty()) open->data.attributes.emplace_back("corba.exception", exception);
    if (is_error) open->data.error = exception;
    close(std::move(*open));
  }
};

namespace {

template <class Parts>
class ClientSide final : public pi::ClientRequestInterceptor {
 public:
  using Info = IDL::traits<pi::ClientRequestInfo>::ref_type;
  explicit ClientSide(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}

  std::string name() override { return "corbel.tracing"; }
  void send_request(Info info) override {
    quietly([&] {
      if (!parts_->traces) return;
      Open open = parts_->open(info->operation(), Kind::client, here().get());
      const auto data = to_octets(*open.data.context);
      info->add_request_service_context(IOP::ServiceContext(kContextId, {data.begin(), data.end()}), true);
      open.data.attributes = {{"rpc.system", "corba"}, {"rpc.method", info->operation()}};
      parts_->requests.begin(base_ | info->request_id(), std::move(open));
    });
  }
  void send_poll(Info) override {}
  void receive_reply(Info info) override { end(info, "ok"); }
  void receive_exception(Info info) override {
    quietly([&] {
      const bool of_user = info->reply_status() == pi::USER_EXCEPTION;
      end(info, of_user ? "user_exception" : "system_exception", short_name(info->received_exception_id()), !of_user);
    });
  }
  void receive_other(Info info) override {
    quietly([&] { end(info, info->reply_status() == pi::SUCCESSFUL ? "sent" : "elsewhere"); });
  }

 private:
  void end(const Info& info, const char* outcome, const std::string& exception = {}, bool is_error = false) {
    quietly([&] { parts_->end(base_ | info->request_id(), outcome, exception, is_error); });
  }

  const std::shared_ptr<Parts> parts_;
  const std::uint64_t base_ = next_base();
};

template <class Parts>
class ServerSide final : public pi::ServerRequestInterceptor, public interceptors::SeesThreads {
 public:
  using Info = IDL::traits<pi::ServerRequestInfo>::ref_type;
  explicit ServerSide(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}

  std::string name() override { return "corbel.tracing"; }
  void receive_request_service_contexts(Info info) override {
    quietly([&] {
      if (!parts_->traces) return;
      const auto caller = context_of(info);
      Open open = parts_->open(info->operation(), Kind::server, caller ? &*caller : nullptr);
      open.data.attributes = {{"rpc.system", "corba"}, {"rpc.method", info->operation()}};
      parts_->requests.begin(base_ | info->request_id(), std::move(open));
    });
  }
  /// On the servant's thread.
  void receive_request(Info info) override {
    quietly([&] {
      const std::string interface = info->target_most_derived_interface();
      parts_->requests.change(base_ | info->request_id(), [&](Open& open) {
        open.data.attributes.emplace_back("rpc.service", interface);
        open.thread = std::this_thread::get_id();
        open.before = std::exchange(here(), open.data.context);
      });
    });
  }
  void send_reply(Info info) override { end(info, "ok"); }
  void send_exception(Info info) override {
    quietly([&] {
      const bool of_user = info->reply_status() == pi::USER_EXCEPTION;
      end(info, of_user ? "user_exception" : "system_exception",
          of_user ? "" : short_name(std::string(info->sending_exception()._type().id())), !of_user);
    });
  }
  void send_other(Info info) override {
    quietly([&] { end(info, info->reply_status() == pi::SUCCESSFUL ? "ok" : "elsewhere"); });
  }
  /// What the thread does from now on is not below a request that is answered later, or by another thread.
  void on_left(std::uint32_t id) noexcept override {
    parts_->requests.change(base_ | id, [](Open& open) { open.leave_thread(); });
  }

 private:
  static std::optional<Context> context_of(const Info& info) try {
    const IOP::ServiceContext context = info->get_request_service_context(kContextId);
    return from_octets(context.context_data());
  } catch (const CORBA::BAD_PARAM&) {  // its caller says nothing of traces
    return std::nullopt;
  }

  void end(const Info& info, const char* outcome, const std::string& exception = {}, bool is_error = false) {
    quietly([&] { parts_->end(base_ | info->request_id(), outcome, exception, is_error); });
  }

  const std::shared_ptr<Parts> parts_;
  const std::uint64_t base_ = next_base();
};

template <class Parts>
class Initializer final : public pi::ORBInitializer {
 public:
  explicit Initializer(const std::shared_ptr<Parts>& parts) : parts_(parts) {}
  void pre_init(IDL::traits<pi::ORBInitInfo>::ref_type info) override {
    const auto parts = parts_.lock();
    if (parts == nullptr) return;
    info->add_client_request_interceptor(CORBA::make_reference<ClientSide<Parts>>(parts));
    info->add_server_request_interceptor(CORBA::make_reference<ServerSide<Parts>>(parts));
  }
  void post_init(IDL::traits<pi::ORBInitInfo>::ref_type) override {}

 private:
  const std::weak_ptr<Parts> parts_;  // ORBs that are made when the Tracer is gone have no interceptors
};

}  // namespace

Tracer::Tracer(Settings settings) : parts_(std::make_shared<Parts>(std::move(settings))) {
  pi::register_orb_initializer(CORBA::make_reference<Initializer<Parts>>(parts_));
}

Tracer::~Tracer() {
  parts_->traces = false;
  parts_->exporter.end();
}

bool Tracer::flush(std::chrono::milliseconds most) {
  return parts_->exporter.flush(most);
}

Figures Tracer::figures() const {
  return parts_->exporter.figures();
}

struct Span::State {
  std::shared_ptr<Tracer::Parts> parts;
  Open open;
};

Span::Span(Tracer& tracer, std::string_view name)
    : state_(std::make_unique<State>(
          State{tracer.parts_, tracer.parts_->open(std::string(name), Kind::internal, here().get())})) {
  state_->open.thread = std::this_thread::get_id();
  state_->open.before = std::exchange(here(), state_->open.data.context);
}

Span::~Span() {
  quietly([&] { state_->parts->close(std::move(state_->open)); });
}

void Span::set(std::string_view key, std::string_view value) {
  state_->open.data.attributes.emplace_back(key, value);
}

void Span::failed(std::string_view why) {
  state_->open.data.error = why;
}

std::string traceparent() {
  const ContextPtr& context = here();
  return context == nullptr ? "" : to_traceparent(*context);
}

}  // namespace corbel::tracing
