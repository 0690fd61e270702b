// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <atomic>
#include <ctime>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "CorbelMetrics_server.hpp"
#include "corbel/interceptors/portable_interceptor.hpp"
#include "corbel/orb/statistics.hpp"
#include "counters.hpp"
#include "endpoint.hpp"

namespace corbel::metrics {
namespace {

namespace pi = PortableInterceptor;

/// "CORBA::TRANSIENT" of "IDL:omg.org/CORBA/TRANSIENT:1.0".
std::string short_name(const std::string& id) {
  constexpr std::string_view kBegin = "IDL:omg.org/CORBA/";
  const std::size_t end = id.rfind(':');
  if (!id.starts_with(kBegin) || end == std::string::npos || end < kBegin.size()) return id;
  return "CORBA::" + id.substr(kBegin.size(), end - kBegin.size());
}

/// The minor code of a system exception in an Any, which holds its id first.
std::uint32_t minor_of(const CORBA::Any& exception) {
  std::uint32_t minor = 0;
  try {
    exception._decode_value([&](cdr::Decoder& decoder) {
      (void)decoder.get_plain_string();
      minor = decoder.get<std::uint32_t>();
      (void)decoder.get<std::uint32_t>();
    });
  } catch (const CORBA::SystemException&) {  // then without
  }
  return minor;
}

/// An interceptor must not disturb the call that it counts.
template <class Count>
void quietly(Count count) noexcept {
  try {
    count();
  } catch (...) {  // not counted
  }
}

}  // namespace

struct Metrics::Parts {
  std::atomic<bool> counts = true;
  Counters server{"server"};
  Counters client{"client"};
  mutable std::mutex mutex;  // guards the next
  std::vector<IDL::traits<CORBA::ORB>::weak_ref_type> orbs;
};

namespace {

/// Ids of requests are unique in one ORB only, so each ORB has upper halves of its own.
std::uint64_t next_base() {
  static std::atomic<std::uint64_t> last{0};
  return ++last << 32;
}

template <class Parts>
class ClientCounter final : public pi::ClientRequestInterceptor {
 public:
  using Info = IDL::traits<pi::ClientRequestInfo>::ref_type;
  explicit ClientCounter(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}

  std::string name() override { return "corbel.metrics"; }
  void send_request(Info info) override {
    quietly([&] {
      if (!parts_->counts) return;
      const std::uint64_t id = base_ | info->request_id();
      parts_->client.begin(id);
      parts_->client.found(id);  // the program's own words
    });
  }
  void send_poll(Info) override {}
  void receive_reply(Info info) override {
    quietly([&] { parts_->client.end(base_ | info->request_id(), info->operation(), Outcome::ok); });
  }
  void receive_exception(Info info) override {
    quietly([&] {
      const bool of_user = info->reply_status() == pi::USER_EXCEPTION;
      const std::string id = info->received_exception_id();
      parts_->client.end(base_ | info->request_id(), info->operation(),
                         of_user ? Outcome::user_exception : Outcome::system_exception, short_name(id),
                         of_user ? 0 : minor_of(info->received_exception()));
    });
  }
  void receive_other(Info info) override {
    quietly([&] {
      parts_->client.end(base_ | info->request_id(), info->operation(),
                         info->reply_status() == pi::SUCCESSFUL ? Outcome::sent : Outcome::elsewhere);
    });
  }

 private:
  const std::shared_ptr<Parts> parts_;
  const std::uint64_t base_ = next_base();
};

template <class Parts>
class ServerCounter final : public pi::ServerRequestInterceptor {
 public:
  using Info = IDL::traits<pi::ServerRequestInfo>::ref_type;
  explicit ServerCounter(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}

  std::string name() override { return "corbel.metrics"; }
  void receive_request_service_contexts(Info info) override {
    quietly([&] {
      if (parts_->counts) parts_->server.begin(base_ | info->request_id());
    });
  }
  void receive_request(Info info) override {
    quietly([&] { parts_->server.found(base_ | info->request_id()); });
  }
  void send_reply(Info info) override {
    quietly([&] { parts_->server.end(base_ | info->request_id(), info->operation(), Outcome::ok); });
  }
  void send_exception(Info info) override {
    quietly([&] {
      const bool of_user = info->reply_status() == pi::USER_EXCEPTION;
      const CORBA::Any exception = info->sending_exception();
      const std::string id = of_user ? "user exception" : exception._type().id();
      parts_->server.end(base_ | info->request_id(), info->operation(),
                         of_user ? Outcome::user_exception : Outcome::system_exception, short_name(id),
                         of_user ? 0 : minor_of(exception));
    });
  }
  void send_other(Info info) override {
    quietly([&] {
      parts_->server.end(base_ | info->request_id(), info->operation(),
                         info->reply_status() == pi::SUCCESSFUL ? Outcome::sent : Outcome::elsewhere);
    });
  }

 private:
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
    info->add_client_request_interceptor(CORBA::make_reference<ClientCounter<Parts>>(parts));
    info->add_server_request_interceptor(CORBA::make_reference<ServerCounter<Parts>>(parts));
  }
  void post_init(IDL::traits<pi::ORBInitInfo>::ref_type) override {}

 private:
  const std::weak_ptr<Parts> parts_;  // ORBs that are made when the Metrics are gone have no interceptors
};

class Servant final : public virtual CORBA::servant_traits<CorbelMetrics::Metrics>::base_type {
 public:
  explicit Servant(std::function<std::string()> text) : text_(std::move(text)) {}

  std::string text() override { return text_(); }

 private:
  const std::function<std::string()> text_;
};

/// Connections by protocol and side, and queues, summed up over ORBs.
void write_connections(const std::vector<IDL::traits<CORBA::ORB>::ref_type>& orbs, std::string& text) {
  std::map<std::pair<std::string, bool>, std::size_t> connections;
  orb::Statistics sum;
  for (const auto& one : orbs) try {
      for (const auto& conversation : orb::conversations(*one))
        ++connections[{conversation.protocol, conversation.accepted}];
      const orb::Statistics own = orb::statistics(*one);
      sum.oneways_queued += own.oneways_queued;
      sum.oneway_octets_waiting += own.oneway_octets_waiting;
      sum.oneways_dropped += own.oneways_dropped;
    } catch (const CORBA::SystemException&) {  // it was destroyed meanwhile
    }
  text +=
      "# HELP corbel_connections Connections now, by message protocol and who made them.\n"
      "# TYPE corbel_connections gauge\n";
  for (const auto& [kind, count] : connections) {
    text += "corbel_connections{protocol=" + label(kind.first) + ",accepted=\"" + (kind.second ? "true" : "false") +
            "\"} " + std::to_string(count) + "\n";
  }
  const std::tuple<const char*, const char*, std::uint64_t> figures[] = {
      {"corbel_oneways_queued_total", "counter", sum.oneways_queued},
      {"corbel_oneways_dropped_total", "counter", sum.oneways_dropped},
      {"corbel_oneway_octets_waiting", "gauge", sum.oneway_octets_waiting}};
  for (const auto& [name, type, value] : figures)
    text += std::string("# TYPE ") + name + " " + type + "\n" + name + " " + std::to_string(value) + "\n";
}

void write_process(std::string& text) {
  static const auto begin = std::time(nullptr);
  text += "# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds " + std::to_string(begin) + "\n";
  std::ifstream memory("/proc/self/statm");
  std::uint64_t whole = 0;
  std::uint64_t resident = 0;
  if (memory >> whole >> resident) {
    text += "# TYPE process_resident_memory_bytes gauge\nprocess_resident_memory_bytes " +
            std::to_string(resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE))) + "\n";
  }
}

}  // namespace

Metrics::Metrics() : parts_(std::make_shared<Parts>()) {
  pi::register_orb_initializer(CORBA::make_reference<Initializer<Parts>>(parts_));
}

Metrics::~Metrics() {
  parts_->counts = false;
}

void Metrics::watch(const IDL::traits<CORBA::ORB>::ref_type& orb) {
  const std::lock_guard lock(parts_->mutex);
  parts_->orbs.push_back(orb.weak_reference());
}

std::string Metrics::text() const {
  return text(*parts_);
}

std::string Metrics::text(const Parts& parts) {
  std::string text;
  Counters::write_head(text);
  parts.server.write(text);
  parts.client.write(text);
  std::vector<IDL::traits<CORBA::ORB>::ref_type> orbs;
  {
    const std::lock_guard lock(parts.mutex);
    for (const auto& one : parts.orbs)
      if (auto orb = one.lock(); orb != nullptr) orbs.push_back(orb);
  }
  write_connections(orbs, text);
  write_process(text);
  return text;
}

void Metrics::serve(const std::string& address) {
  if (endpoint_ != nullptr) throw std::runtime_error("metrics are served already");
  endpoint_ = std::make_unique<Endpoint>(address, [this] { return text(); });
}

void Metrics::serve(const IDL::traits<CORBA::ORB>::ref_type& orb) {
  const auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  const auto servant = CORBA::make_reference<Servant>([parts = parts_] {
    if (!parts->counts) throw CORBA::OBJECT_NOT_EXIST(0, CORBA::CompletionStatus::COMPLETED_NO, "it was switched off");
    return text(*parts);
  });
  orb->register_initial_reference("CorbelMetrics", root->servant_to_reference(servant));
}

std::uint16_t Metrics::port() const noexcept {
  return endpoint_ == nullptr ? 0 : endpoint_->port();
}

}  // namespace corbel::metrics
