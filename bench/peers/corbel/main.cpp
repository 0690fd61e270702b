// SPDX-License-Identifier: Apache-2.0
// Corbel in the laboratory, with its defaults; as protocol "giop-spin" it looks for 200 us before it sleeps, as
// "giop-lent" it sends from memory that the carrier lends; for the suite lines also as "frames", and as "ziop": giop
// compressed by the plug-in that CORBEL_BENCH_ZIOP names.
#include <corbel/corba/buffering_policy.hpp>
#include <corbel/corba/messaging_policies.hpp>
#include <corbel/dynamic/request.hpp>
#include <corbel/mapping/with_policies.hpp>
#include <corbel/orb/lent_values.hpp>
#include <corbel/orb/orb.hpp>
#include <corbel/poa/poa.hpp>

#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstdlib>
#include <functional>
#include <latch>
#include <memory>
#include <span>

#include "asynchronous_server.hpp"
#include "peers/corbel/servants.hpp"
#include "peers/log_text.hpp"
#include "peers/peer.hpp"

namespace {

using TargetRef = IDL::traits<Bench::Target>::ref_type;
using peer::Cubit;
using peer::CubitRef;
using peer::Ring;
using peer::Target;
using OrbRef = IDL::traits<CORBA::ORB>::ref_type;

/// Begins at once, and nobody waits for its end.
struct Task {
  struct promise_type {
    static Task get_return_object() noexcept { return {}; }
    static std::suspend_never initial_suspend() noexcept { return {}; }
    static std::suspend_never final_suspend() noexcept { return {}; }
    static void return_void() noexcept {}
    [[noreturn]] static void unhandled_exception() noexcept { std::abort(); }
  };
};

/// `count` calls, one after the other.
Task ping_in_turn(IDL::traits<Bench::Pinger>::ref_type pinger, unsigned long count, std::latch& missing) {
  for (unsigned long i = 0; i < count; ++i) co_await pinger->async_ping();
  missing.count_down();
}

/// Counts replies down.
class Handler : public virtual CORBA::amic_traits<Bench::Pinger>::replyhandler_base_type {
 public:
  void ping() override { missing->count_down(); }
  void ping_excep(IDL::traits<Messaging::ExceptionHolder>::ref_type) override { std::abort(); }

  std::latch* missing = nullptr;
};

class Client {
 public:
  /// `lossy`: calls may get lost on the way. `lends`: streams are sent from memory of the carrier.
  Client(OrbRef orb, TargetRef target, bool lossy, std::string reference = {}, bool lends = false)
      : orb_(std::move(orb)),
        target_(std::move(target)),
        lossy_(lossy),
        lends_(lends),
        reference_(std::move(reference)) {}
  void ping() { target_->ping(); }
  std::unique_ptr<Client> of_number(unsigned long number) const {
    const auto object = orb_->string_to_object(peer::numbered(reference_, number));
    return std::make_unique<Client>(orb_, IDL::traits<Bench::Target>::unchecked_narrow(object), lossy_);
  }
  std::unique_ptr<Client> for_thread() { return std::make_unique<Client>(orb_, target_, lossy_); }
  std::function<void()> put(std::size_t payload) {
    const std::string text = peer::log_text(payload);
    return [this, data = Bench::Octets(text.begin(), text.end())] { target_->put_octets(data); };
  }

  peer::Flow flow(bool oneway, const std::string& type, std::size_t count) {
    using T = Bench::Target;
    using L = Bench::Lending;
    if (lends_ && type == "octet") {
      return lent_flow(count, std::uint8_t{'x'}, oneway ? &L::take_lent_octets : &L::put_lent_octets);
    }
    if (lends_ && type == "struct") {
      return lent_flow(count, Bench::BinStruct(1, 'c', 2, 3, 4.5),
                       oneway ? &L::take_lent_structs : &L::put_lent_structs);
    }
    if (lends_) throw std::runtime_error("octets and structs alone are sent from lent memory");
    if (type == "octet") return flow(Bench::Octets(count, 'x'), oneway ? &T::take_octets : &T::put_octets);
    if (type == "char") return flow(Bench::Chars(count, 'x'), oneway ? &T::take_chars : &T::put_chars);
    if (type == "short") return flow(Bench::Shorts(count, 1), oneway ? &T::take_shorts : &T::put_shorts);
    if (type == "long") return flow(Bench::Longs(count, 2), oneway ? &T::take_longs : &T::put_longs);
    if (type == "double") return flow(Bench::Doubles(count, 4.5), oneway ? &T::take_doubles : &T::put_doubles);
    if (type == "string") return flow(std::string(count, 'x'), oneway ? &T::take_string : &T::put_string);
    return flow(Bench::BinStructs(count, Bench::BinStruct(1, 'c', 2, 3, 4.5)),
                oneway ? &T::take_structs : &T::put_structs);
  }

  peer::Flow ring(const std::string& type, std::size_t count) {
    using R = Bench::Ring;
    if (type == "octet") return ring(Bench::Octets(count, 'x'), &R::echo_octets);
    if (type == "char") return ring(Bench::Chars(count, 'x'), &R::echo_chars);
    if (type == "short") return ring(Bench::Shorts(count, 1), &R::echo_shorts);
    if (type == "long") return ring(Bench::Longs(count, 2), &R::echo_longs);
    if (type == "double") return ring(Bench::Doubles(count, 4.5), &R::echo_doubles);
    if (type == "string") return ring(std::string(count, 'x'), &R::echo_string);
    return ring(Bench::BinStructs(count, Bench::BinStruct(1, 'c', 2, 3, 4.5)), &R::echo_structs);
  }

  /// Oneway calls that are kept back until 100 leave together.
  peer::Flow buffered(const std::string& type, std::size_t count) {
    if (type != "octet" || lossy_) throw std::runtime_error("only octets are kept back");
    const corbel::BufferingConstraint together(corbel::BUFFER_MESSAGE_COUNT, 0, 100, 0);
    auto patient =
        corbel::with_policies(target_, {CORBA::make_reference<Messaging::SyncScopePolicy>(Messaging::SYNC_NONE),
                                        CORBA::make_reference<corbel::BufferingConstraintPolicy>(together)});
    target_->reset();
    return {count, [this, patient, data = Bench::Octets(count, 'x')](unsigned long calls) {
              for (unsigned long i = 0; i < calls; ++i) patient->take_octets(data);
              while (target_->taken() < data.size() * calls) {
              }
            }};
  }

  void async(const std::string& how, unsigned long window, unsigned long count) {
    const auto pinger = IDL::traits<Bench::Pinger>::unchecked_narrow(target_);
    if (how == "futures") {
      std::vector<corbel::Future<void>> futures(window);
      for (unsigned long i = 0; i < count; i += window) {
        for (auto& future : futures) future = pinger->async_ping();
        for (auto& future : futures) future.get();
      }
      return;
    }
    if (how == "pollers") {
      std::vector<IDL::traits<Bench::AMI_PingerPoller>::ref_type> pollers(window);
      for (unsigned long i = 0; i < count; i += window) {
        for (auto& poller : pollers) poller = pinger->sendp_ping();
        for (auto& poller : pollers) poller->ping(0xffffffff);
      }
      return;
    }
    if (how == "deferred") {
      std::vector<IDL::traits<CORBA::Request>::ref_type> requests(window);
      for (unsigned long i = 0; i < count; i += window) {
        for (auto& request : requests) {
          request = pinger->_request("ping");
          request->send_deferred();
        }
        for (auto& request : requests) request->get_response();
      }
      return;
    }
    if (how == "coroutines") {
      std::latch missing(static_cast<std::ptrdiff_t>(window));
      for (unsigned long k = 0; k < window; ++k) ping_in_turn(pinger, count / window, missing);
      return missing.wait();
    }
    const auto poa = IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
    const auto servant = CORBA::make_reference<Handler>();
    poa->the_POAManager()->activate();
    const auto handler =
        CORBA::amic_traits<Bench::Pinger>::replyhandler_traits::narrow(poa->servant_to_reference(servant));
    for (unsigned long i = 0; i < count; i += window) {
      std::latch missing(static_cast<std::ptrdiff_t>(window));
      servant->missing = &missing;
      for (unsigned long k = 0; k < window; ++k) pinger->sendc_ping(handler);
      missing.wait();
    }
    poa->deactivate_object(poa->servant_to_id(servant));
  }

  std::function<void()> cube(const std::string& what) {
    const CubitRef cubit = target_->cubes();
    if (what == "octet") return [cubit] { cubit->cube_octet(3); };
    if (what == "short") return [cubit] { cubit->cube_short(3); };
    if (what == "long") return [cubit] { cubit->cube_long(3); };
    if (what == "struct") return [cubit] { cubit->cube_struct(Bench::Many(3, 4, 5)); };
    if (what == "union") {
      Bench::OneOf value;
      value.l(3);
      return [cubit, value] { cubit->cube_union(value); };
    }
    const std::size_t size = what.ends_with("large") ? peer::kLargeOctets : peer::kSmallOctets;
    if (what.starts_with("octets-")) {
      return [cubit, data = Bench::Octets(size, 3)] { cubit->cube_octets(data); };
    }
    return [cubit, data = Bench::Longs(size / 4, 3)] { cubit->cube_longs(data); };
  }

 private:
  template <class Data>
  peer::Flow flow(Data data, void (Bench::Target::*call)(const Data&)) {
    const std::uint64_t size = data.size() * sizeof(data[0]);
    if (lossy_) {
      return {size,
              [this, data = std::move(data), call](unsigned long count) {
                patiently([](Bench::Target& target) { return target.reset(), 0U; });
                for (unsigned long i = 0; i < count; ++i) ((*target_).*call)(data);
                arrived_ = what_arrived(data.size() * sizeof(data[0]), count);
              },
              [this] { return arrived_; }};
    }
    target_->reset();
    return {size, [this, data = std::move(data), call, size](unsigned long count) {
              for (unsigned long i = 0; i < count; ++i) ((*target_).*call)(data);
              while (target_->taken() < size * count) {
              }
            }};
  }

  /// Buffers that go round, each filled once, as those of the others are.
  template <class Value>
  peer::Flow lent_flow(std::size_t count, const Value& value, void (Bench::Lending::*call)(std::span<const Value>)) {
    constexpr std::size_t kBuffers = 4;
    const auto target = IDL::traits<Bench::Lending>::unchecked_narrow(target_);
    const auto buffers = std::make_shared<std::vector<corbel::orb::LentValues<Value>>>();
    for (std::size_t i = 0; i < kBuffers; ++i) {
      buffers->push_back(corbel::orb::lend<Value>(target, count));
      if (!buffers->back().is_lent()) throw std::runtime_error("no memory is lent");
      std::fill(buffers->back().begin(), buffers->back().end(), value);
    }
    target_->reset();
    const std::uint64_t size = count * sizeof(Value);
    return {size, [this, target, buffers, call, size](unsigned long calls) {
              for (unsigned long i = 0; i < calls; ++i) ((*target).*call)((*buffers)[i % kBuffers]);
              while (target_->taken() < size * calls) {
              }
            }};
  }

  template <class Data>
  peer::Flow ring(Data data, Data (Bench::Ring::*call)(const Data&)) {
    const std::uint64_t size = 2 * data.size() * sizeof(data[0]);
    return {size, [rings = target_->rings(), data = std::move(data), call](unsigned long count) {
              for (unsigned long i = 0; i < count; ++i) peer::check_ring(data.size(), ((*rings).*call)(data).size());
            }};
  }

  /// Calls again, with more and more patience, should request or reply get lost: the server's queue may be full.
  template <class Call>
  std::uint64_t patiently(Call call) const {
    for (std::chrono::milliseconds patience(8);; patience *= 2) {
      try {
        return call(*corbel::with_timeout(target_, patience));
      } catch (const CORBA::TIMEOUT&) {
        if (patience > std::chrono::seconds(20)) throw;
      }
    }
  }
  /// Octets of `count` calls with `size` octets each that the server has counted, when no more can come: behind them
  /// goes a call with one octet, again and again until it is counted, because the question may overtake them (frames
  /// have a socket of their own).
  std::uint64_t what_arrived(std::uint64_t size, std::uint64_t count) const {
    for (std::chrono::milliseconds patience(8);; patience *= 2) {
      if (size > kMostMarks) target_->take_string("x");
      const auto end = std::chrono::steady_clock::now() + patience;
      std::uint64_t last = size * count + 1;
      do {
        const std::uint64_t now = patiently([](Bench::Target& target) { return target.taken(); });
        const bool is_last = size > kMostMarks ? now % size != 0 : now >= size * count || now == last;
        if (is_last) return size > kMostMarks ? now / size * size : now;
        last = now;
      } while (std::chrono::steady_clock::now() < end);
    }
  }
  static constexpr std::uint64_t kMostMarks = 16;

  OrbRef orb_;
  TargetRef target_;
  bool lossy_;
  bool lends_;
  std::string reference_;      ///< with a '*' for numbers
  std::uint64_t arrived_ = 0;  ///< of the last run of a lossy flow
};

constexpr std::string_view kSpinning = "-spin";
constexpr std::string_view kLent = "-lent";
constexpr std::size_t kLentOctets = 16U << 20;

/// The message protocol on the wire.
std::string message_protocol(std::string_view protocol) {
  return protocol == "ziop" ? "giop" : std::string(protocol.substr(0, protocol.find('-')));
}

OrbRef make_orb(std::string_view protocol, std::vector<std::string> arguments) {
  if (protocol.ends_with(kSpinning)) arguments.insert(arguments.end(), {"-ORBSpin", "200"});
  if (protocol.ends_with(kLent)) arguments.insert(arguments.end(), {"-ORBShmLentMemory", std::to_string(kLentOctets)});
  if (protocol == "ziop") {
    const char* const plugin = std::getenv("CORBEL_BENCH_ZIOP");
    arguments.insert(arguments.end(), {"-ORBLoad", plugin != nullptr ? plugin : "ziop.so"});
  }
  if (const int size = peer::queue_size(); size > 0) {
    for (const char* const option : {"-ORBSendBuffer", "-ORBReceiveBuffer"}) {
      arguments.emplace_back(option);
      arguments.push_back(std::to_string(size));
    }
  }
  return CORBA::ORB_init(arguments);
}

/// Makes the servants and returns the reference of the first.
std::string activate(const OrbRef& orb) {
  const auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  const auto reference_of = [&](const IDL::traits<PortableServer::Servant>::ref_type& servant) {
    return poa->id_to_reference(poa->activate_object(servant));
  };
  const auto cubit = reference_of(CORBA::make_reference<Cubit>());
  const auto ring = reference_of(CORBA::make_reference<Ring>());
  const auto target = reference_of(
      CORBA::make_reference<Target>(IDL::traits<Bench::Cubit>::narrow(cubit), IDL::traits<Bench::Ring>::narrow(ring)));
  poa->the_POAManager()->activate();
  return orb->object_to_string(target);
}

/// True of protocols that carry no replies: other calls go over TCP then.
bool is_one_way(std::string_view protocol) {
  return protocol == "frames";
}

bool is_internet(const std::string& transport) {
  return transport == "tcp" || transport == "udp" || transport == "tls" || transport == "rudp";
}

int command_loop(const OrbRef& orb, std::string_view protocol, const std::string& transport,
                 const std::string& reference) {
  const auto object = orb->string_to_object(peer::numbered(reference, 0));
  Client client(orb, IDL::traits<Bench::Target>::narrow(object), transport == "udp", reference,
                protocol.ends_with(kLent));
  return peer::command_loop(client);
}

struct Corbel {
  static peer::About about() {
    return {"corbel " CORBEL_PEER_VERSION, "giop giop_lite giop-spin giop-lent",
            "tcp unix shm udp tls rudp packet inproc collocated",
            "latency threads fan oneway twoway ring buffered cube async queues delays", peer::kAllTypes};
  }
  static void serve(const char* protocol, const char* transport, const char* where) {
    const bool internet = is_internet(transport);
    const std::string place = std::string(transport) + "://" + where;
    const std::string endpoint = place + (internet ? ":0" : "");
    // Frames carry oneways alone: what wants a reply needs an endpoint beside theirs.
    const std::string beside = is_one_way(protocol) ? ";giop+" + place + (internet ? ":0" : "-giop") : "";
    const auto orb = make_orb(protocol, {"-ORBListenEndpoints", message_protocol(protocol) + "+" + endpoint + beside});
    peer::announce(activate(orb));
    orb->run();
  }
  /// With transport inproc or collocated, this process is the server, too.
  static int run_client(const char* protocol, const char* transport, const char* reference) {
    const bool collocated = std::string(transport) == "collocated";
    if (!collocated && std::string(transport) != "inproc") {
      std::vector<std::string> options{"-ORBOnewayOverflow", "wait"};
      if (is_one_way(protocol))
        options.insert(options.end(), {"-ORBProtocolPreference", std::string(protocol) + "+" + transport});
      return command_loop(make_orb(protocol, std::move(options)), protocol, transport, reference);
    }
    const auto orb = make_orb(protocol, {"-ORBListenEndpoints", message_protocol(protocol) + "+inproc://bench",
                                         "-ORBCollocation", collocated ? "on" : "off"});
    return command_loop(orb, protocol, transport, activate(orb));
  }
};

}  // namespace

int main(int argc, char** argv) {
  return peer::main<Corbel>(argc, argv);
}
