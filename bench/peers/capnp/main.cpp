// SPDX-License-Identifier: Apache-2.0
// Cap'n Proto in the laboratory.
#include <capnp/ez-rpc.h>
#include <capnp/message.h>
#include <kj/exception.h>

#include "bench.capnp.h"
#include "peers/peer.hpp"

namespace {

std::uint64_t taken = 0;

template <class T>
void use(const T& value) {
  asm volatile("" : : "r"(&value), "m"(value));
}

template <class Context>
kj::Promise<void> count(Context& context) {
  ::taken += context.getParams().getData().size();
  return kj::READY_NOW;
}

/// Cap'n Proto looks at lists where they arrived; reading the elements is what receiving them means.
template <class Context, class Read>
kj::Promise<void> read_all(Context& context, std::uint64_t element, Read read) {
  const auto list = context.getParams().getData();
  for (const auto& one : list) read(one);
  ::taken += list.size() * element;
  return kj::READY_NOW;
}

template <class Context>
kj::Promise<void> read_structs(Context& context) {
  return read_all(context, sizeof(peer::BinStruct), [](const auto& one) {
    use(peer::BinStruct{one.getS(), static_cast<char>(one.getC()), one.getL(), one.getO(), one.getD()});
  });
}

/// The list goes into the answer in one copy, as it lies in the request.
template <class Context>
kj::Promise<void> send_back(Context& context) {
  context.getResults().setData(context.getParams().getData());
  return kj::READY_NOW;
}

class TargetImpl final : public Target::Server {
 public:
  kj::Promise<void> ping(PingContext) override { return kj::READY_NOW; }
  kj::Promise<void> takeOctets(TakeOctetsContext context) override { return count(context); }
  kj::Promise<void> putOctets(PutOctetsContext context) override { return count(context); }
  kj::Promise<void> takeString(TakeStringContext context) override { return count(context); }
  kj::Promise<void> putString(PutStringContext context) override { return count(context); }
  kj::Promise<void> takeChars(TakeCharsContext context) override { return read_all(context, 1, use<std::int8_t>); }
  kj::Promise<void> putChars(PutCharsContext context) override { return read_all(context, 1, use<std::int8_t>); }
  kj::Promise<void> takeShorts(TakeShortsContext context) override { return read_all(context, 2, use<std::int16_t>); }
  kj::Promise<void> putShorts(PutShortsContext context) override { return read_all(context, 2, use<std::int16_t>); }
  kj::Promise<void> takeLongs(TakeLongsContext context) override { return read_all(context, 4, use<std::int32_t>); }
  kj::Promise<void> putLongs(PutLongsContext context) override { return read_all(context, 4, use<std::int32_t>); }
  kj::Promise<void> takeDoubles(TakeDoublesContext context) override { return read_all(context, 8, use<double>); }
  kj::Promise<void> putDoubles(PutDoublesContext context) override { return read_all(context, 8, use<double>); }
  kj::Promise<void> takeStructs(TakeStructsContext context) override { return read_structs(context); }
  kj::Promise<void> putStructs(PutStructsContext context) override { return read_structs(context); }
  kj::Promise<void> echoOctets(EchoOctetsContext context) override { return send_back(context); }
  kj::Promise<void> echoString(EchoStringContext context) override { return send_back(context); }
  kj::Promise<void> echoChars(EchoCharsContext context) override { return send_back(context); }
  kj::Promise<void> echoShorts(EchoShortsContext context) override { return send_back(context); }
  kj::Promise<void> echoLongs(EchoLongsContext context) override { return send_back(context); }
  kj::Promise<void> echoDoubles(EchoDoublesContext context) override { return send_back(context); }
  kj::Promise<void> echoStructs(EchoStructsContext context) override { return send_back(context); }
  kj::Promise<void> taken(TakenContext context) override {
    context.getResults().setOctets(::taken);
    return kj::READY_NOW;
  }
};

class Client {
 public:
  Client(Target::Client target, kj::WaitScope& scope) : target_(target), scope_(scope) {}
  void ping() { target_.pingRequest().send().wait(scope_); }
  std::function<void()> put(std::size_t payload) {
    return bytes([this] { return target_.putOctetsRequest(); }, payload);
  }

  peer::Flow ring(const std::string& type, std::size_t count) {
    return {2 * count * peer::size_of(type), [send = ring_sender(type, count)](unsigned long calls) {
              for (unsigned long i = 0; i < calls; ++i) send();
            }};
  }

  peer::Flow flow(bool oneway, const std::string& type, std::size_t count) {
    const std::uint64_t before = arrived();
    const std::uint64_t size = count * peer::size_of(type);
    return {size, [this, before, size, send = sender(oneway, type, count)](unsigned long calls) {
              for (unsigned long i = 0; i < calls; ++i) send();
              while (arrived() - before < size * calls) {
              }
            }};
  }

 private:
  std::function<void()> ring_sender(const std::string& type, std::size_t count) {
    const auto size = static_cast<unsigned>(count);
    if (type == "octet") return bytes([this] { return target_.echoOctetsRequest(); }, count);
    if (type == "string") return text([this] { return target_.echoStringRequest(); }, count);
    if (type == "char") return filler([this] { return target_.echoCharsRequest(); }, size, std::int8_t{'x'});
    if (type == "short") return filler([this] { return target_.echoShortsRequest(); }, size, std::int16_t{1});
    if (type == "long") return filler([this] { return target_.echoLongsRequest(); }, size, std::int32_t{2});
    if (type == "double") return filler([this] { return target_.echoDoublesRequest(); }, size, 4.5);
    return structs([this] { return target_.echoStructsRequest(); }, size);
  }

  /// Waits for the answer; where that has data, all have to be back.
  template <class Request>
  void finish(Request& request, std::size_t sent) {
    if constexpr (requires { request.send().wait(scope_).getData(); }) {
      peer::check_ring(sent, request.send().wait(scope_).getData().size());
    } else {
      request.send().wait(scope_);
    }
  }

  std::uint64_t arrived() { return target_.takenRequest().send().wait(scope_).getOctets(); }

  /// Streaming and plain calls are of different types, and alike in everything else.
  std::function<void()> sender(bool oneway, const std::string& type, std::size_t count) {
    const auto size = static_cast<unsigned>(count);
    if (type == "octet") {
      return oneway ? bytes([this] { return target_.takeOctetsRequest(); }, count)
                    : bytes([this] { return target_.putOctetsRequest(); }, count);
    }
    if (type == "string") {
      return oneway ? text([this] { return target_.takeStringRequest(); }, count)
                    : text([this] { return target_.putStringRequest(); }, count);
    }
    if (type == "char") {
      return oneway ? filler([this] { return target_.takeCharsRequest(); }, size, std::int8_t{'x'})
                    : filler([this] { return target_.putCharsRequest(); }, size, std::int8_t{'x'});
    }
    if (type == "short") {
      return oneway ? filler([this] { return target_.takeShortsRequest(); }, size, std::int16_t{1})
                    : filler([this] { return target_.putShortsRequest(); }, size, std::int16_t{1});
    }
    if (type == "long") {
      return oneway ? filler([this] { return target_.takeLongsRequest(); }, size, std::int32_t{2})
                    : filler([this] { return target_.putLongsRequest(); }, size, std::int32_t{2});
    }
    if (type == "double") {
      return oneway ? filler([this] { return target_.takeDoublesRequest(); }, size, 4.5)
                    : filler([this] { return target_.putDoublesRequest(); }, size, 4.5);
    }
    return oneway ? structs([this] { return target_.takeStructsRequest(); }, size)
                  : structs([this] { return target_.putStructsRequest(); }, size);
  }

  template <class MakeRequest>
  std::function<void()> bytes(MakeRequest make_request, std::size_t count) {
    return [this, make_request, data = std::vector<kj::byte>(count, 'x')] {
      auto request = make_request();
      request.setData(kj::arrayPtr(data.data(), data.size()));
      finish(request, data.size());
    };
  }

  template <class MakeRequest>
  std::function<void()> text(MakeRequest make_request, std::size_t count) {
    return [this, make_request, data = std::string(count, 'x')] {
      auto request = make_request();
      request.setData(data.c_str());
      finish(request, data.size());
    };
  }

  /// Scalars are copied one by one into the message, as an application with an array of its own does.
  template <class MakeRequest, class T>
  std::function<void()> filler(MakeRequest make_request, unsigned size, T value) {
    return [this, make_request, data = std::vector<T>(size, value)] {
      auto request = make_request();
      auto list = request.initData(static_cast<unsigned>(data.size()));
      for (unsigned i = 0; i < list.size(); ++i) list.set(i, data[i]);
      finish(request, data.size());
    };
  }

  template <class MakeRequest>
  std::function<void()> structs(MakeRequest make_request, unsigned size) {
    return [this, make_request, size] {
      auto request = make_request();
      for (auto one : request.initData(size)) {
        one.setS(1);
        one.setC('c');
        one.setL(2);
        one.setO(3);
        one.setD(4.5);
      }
      finish(request, size);
    };
  }

  Target::Client target_;
  kj::WaitScope& scope_;
};

template <class F>
auto translated(F&& f) {
  try {
    return f();
  } catch (const kj::Exception& failure) {
    throw std::runtime_error(failure.getDescription().cStr());
  }
}

struct CapnProto {
  static peer::About about() {
    const int version = CAPNP_VERSION;
    return {.name = "CapnProto " + std::to_string(version / 1000000) + "." + std::to_string(version / 1000 % 1000) +
                    "." + std::to_string(version % 1000),
            .transports = "tcp unix",
            .commands = "latency oneway twoway",
            .types = peer::kAllTypes};
  }
  static void serve(const char*, const std::string& transport, const std::string& where) {
    translated([&] {
      const bool local = transport == "unix";
      capnp::EzRpcServer server(kj::heap<TargetImpl>(), local ? "unix:" + where : where + ":0");
      const unsigned port = server.getPort().wait(server.getWaitScope());
      peer::announce(local ? "unix:" + where : where + ":" + std::to_string(port));
      kj::NEVER_DONE.wait(server.getWaitScope());
    });
  }
  static int run_client(const char*, const char*, const std::string& reference) {
    return translated([&] {
      capnp::EzRpcClient connection(reference, 0);
      Client client(connection.getMain<Target>(), connection.getWaitScope());
      client.ping();
      return peer::command_loop(client);
    });
  }
};

}  // namespace

int main(int argc, char** argv) {
  return peer::main<CapnProto>(argc, argv);
}
