// SPDX-License-Identifier: Apache-2.0
// ONC RPC (libtirpc) in the laboratory, with the marshalling that rpcgen generates ("stubs") and with opaque octets
// whatever the type ("opaque"). Oneway calls are what RPC calls batched: without a reply, gathered in the client's
// buffer. No rpcbind: the server's port is the reference.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <rpc/rpc.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>

extern "C" {
#include "bench.h"
}
#include "peers/cubes.hpp"
#include "peers/peer.hpp"

namespace {

constexpr rpcprog_t kProgram = 0x20002001;
constexpr rpcvers_t kVersion = 1;

/// Procedures: ping is 0; streams of type i are kTake + i, kPut + i and kRing + i; cubes of kind i kCube + i.
enum Procedure : rpcproc_t { kPing = 0, kTaken = 1, kReset = 2, kTake = 10, kPut = 20, kCube = 30, kRing = 40 };

template <class F>
xdrproc_t routine(F* function) {
  return reinterpret_cast<xdrproc_t>(reinterpret_cast<void (*)()>(function));  // one of them takes no arguments
}

/// All that rpcgen makes of sequences looks like this.
struct Sequence {
  u_int length;
  char* elements;
};
static_assert(sizeof(Sequence) == sizeof(Octets) && sizeof(Sequence) == sizeof(BinStructs));

struct Type {
  const char* name;
  xdrproc_t marshal;
};
const Type kTypes[] = {
    {"octet", routine(xdr_Octets)},  {"char", routine(xdr_Chars)},     {"short", routine(xdr_Shorts)},
    {"long", routine(xdr_Longs)},    {"double", routine(xdr_Doubles)}, {"struct", routine(xdr_BinStructs)},
    {"opaque", routine(xdr_Opaque)},  // elements of one octet
};
constexpr rpcproc_t kText = std::size(kTypes);  // a string is no sequence

struct Cube {
  const char* name;
  xdrproc_t marshal;
};
const Cube kCubes[] = {{"octet", routine(xdr_u_char)}, {"short", routine(xdr_short)}, {"long", routine(xdr_int)},
                       {"struct", routine(xdr_Many)},  {"union", routine(xdr_OneOf)}, {"octets", routine(xdr_Octets)},
                       {"longs", routine(xdr_Longs)}};

union CubeValue {
  u_char o;
  short s;
  int l;
  Many many;
  OneOf one_of;
  Octets octets;
  Longs longs;
};

void cube(std::size_t kind, CubeValue& value) {
  if (kind == 0) value.o = peer::cubed(value.o);
  if (kind == 1) value.s = peer::cubed(value.s);
  if (kind == 2) value.l = peer::cubed(value.l);
  if (kind == 3) value.many = {peer::cubed(value.many.o), peer::cubed(value.many.l), peer::cubed(value.many.s)};
  if (kind == 4) value.one_of.OneOf_u.l = peer::cubed(value.one_of.OneOf_u.l);
  for (u_int i = 0; kind == 5 && i < value.octets.Octets_len; ++i) {
    value.octets.Octets_val[i] = peer::cubed(value.octets.Octets_val[i]);
  }
  for (u_int i = 0; kind == 6 && i < value.longs.Longs_len; ++i) {
    value.longs.Longs_val[i] = peer::cubed(value.longs.Longs_val[i]);
  }
}

std::uint64_t taken = 0;

/// How a stream of the procedure `base` is answered: not at all, by a void reply, or with the data.
void serve_stream(SVCXPRT* transport, std::size_t type, rpcproc_t base) {
  Sequence data{};
  const bool text = type == kText;
  const xdrproc_t marshal = text ? routine(xdr_Text) : kTypes[type].marshal;
  void* const place = text ? static_cast<void*>(&data.elements) : &data;
  if (svc_getargs(transport, marshal, static_cast<char*>(place)) == 0) return svcerr_decode(transport);
  taken += text ? std::strlen(data.elements) : data.length * std::max<std::size_t>(1, peer::size_of(kTypes[type].name));
  if (base == kPut) svc_sendreply(transport, routine(xdr_void), nullptr);
  if (base == kRing) svc_sendreply(transport, marshal, static_cast<char*>(place));
  svc_freeargs(transport, marshal, static_cast<char*>(place));
}

void serve_cube(SVCXPRT* transport, std::size_t kind) {
  CubeValue value{};
  if (svc_getargs(transport, kCubes[kind].marshal, &value) == 0) return svcerr_decode(transport);
  cube(kind, value);
  svc_sendreply(transport, kCubes[kind].marshal, &value);
  svc_freeargs(transport, kCubes[kind].marshal, &value);
}

void dispatch(svc_req* request, SVCXPRT* transport) {
  const rpcproc_t procedure = request->rq_proc;
  if (procedure == kTaken) {
    svc_sendreply(transport, routine(xdr_uint64_t), &taken);
  } else if (procedure == kPing || procedure == kReset) {
    if (procedure == kReset) taken = 0;
    svc_sendreply(transport, routine(xdr_void), nullptr);
  } else if (procedure >= kTake && procedure <= kTake + kText) {
    serve_stream(transport, procedure - kTake, kTake);
  } else if (procedure >= kPut && procedure <= kPut + kText) {
    serve_stream(transport, procedure - kPut, kPut);
  } else if (procedure >= kRing && procedure <= kRing + kText) {
    serve_stream(transport, procedure - kRing, kRing);
  } else if (procedure >= kCube && procedure < kCube + std::size(kCubes)) {
    serve_cube(transport, procedure - kCube);
  } else {
    svcerr_noproc(transport);
  }
}

void check(bool good, const char* what) {
  if (!good) throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
}

/// A socket and its address: "PATH" or "HOST PORT".
struct Place {
  sockaddr_storage address{};
  socklen_t size = 0;
  int handle = -1;

  Place(const std::string& transport, const std::string& text) {
    if (transport == "unix") {
      auto& name = reinterpret_cast<sockaddr_un&>(address);
      name.sun_family = AF_UNIX;
      check(text.size() < sizeof name.sun_path, "path");
      text.copy(name.sun_path, text.size());
      size = sizeof name;
    } else {
      auto& name = reinterpret_cast<sockaddr_in&>(address);
      const std::size_t blank = text.find(' ');
      name.sin_family = AF_INET;
      check(inet_aton(text.substr(0, blank).c_str(), &name.sin_addr) != 0, "address");
      if (blank != std::string::npos) name.sin_port = htons(static_cast<std::uint16_t>(std::stoi(text.substr(blank))));
      size = sizeof name;
    }
    handle = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    check(handle >= 0, "socket");
    const int queue = peer::queue_size();
    if (queue > 0) {
      setsockopt(handle, SOL_SOCKET, SO_SNDBUF, &queue, sizeof queue);
      setsockopt(handle, SOL_SOCKET, SO_RCVBUF, &queue, sizeof queue);
    }
  }
  sockaddr* native() { return reinterpret_cast<sockaddr*>(&address); }
};

class Client {
 public:
  Client(const std::string& transport, const std::string& reference, bool opaque) : opaque_(opaque) {
    Place server(transport, reference);
    check(connect(server.handle, server.native(), server.size) == 0, "connect");
    const int on = 1;
    setsockopt(server.handle, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    netbuf address{static_cast<unsigned>(sizeof server.address), server.size, &server.address};
    client_ = clnt_vc_create(server.handle, &address, kProgram, kVersion, 0, 0);
    if (client_ == nullptr) throw std::runtime_error(clnt_spcreateerror("client"));
  }

  void ping() { call(kPing, routine(xdr_void), nullptr, routine(xdr_void), nullptr); }
  std::function<void()> put(std::size_t payload) { return sender(kPut, "octet", payload); }

  peer::Flow flow(bool oneway, const std::string& type, std::size_t count) {
    call(kReset, routine(xdr_void), nullptr, routine(xdr_void), nullptr);
    const std::uint64_t size = count * peer::size_of(type);
    return {size, [this, size, send = sender(oneway ? kTake : kPut, type, count)](unsigned long calls) {
              for (unsigned long i = 0; i < calls; ++i) send();
              std::uint64_t arrived = 0;
              while (arrived < size * calls) call(kTaken, routine(xdr_void), nullptr, routine(xdr_uint64_t), &arrived);
            }};
  }

  peer::Flow ring(const std::string& type, std::size_t count) {
    return {2 * count * peer::size_of(type), [send = sender(kRing, type, count)](unsigned long calls) {
              for (unsigned long i = 0; i < calls; ++i) send();
            }};
  }

  std::function<void()> cube(const std::string& what) {
    const std::string name = what.substr(0, what.find('-'));
    const auto kind = static_cast<rpcproc_t>(
        std::find_if(std::begin(kCubes), std::end(kCubes), [&](const Cube& one) { return name == one.name; }) - kCubes);
    const std::size_t size = what.ends_with("large") ? peer::kLargeOctets : peer::kSmallOctets;
    CubeValue value{};
    if (kind < 3) value.l = 3;
    if (kind == 3) value.many = {3, 4, 5};
    if (kind == 4) value.one_of.which = 2;
    return [this, kind, value, octets = std::vector<u_char>(size, 3), longs = std::vector<int>(size / 4, 3)]() mutable {
      if (kind == 5) value.octets = {static_cast<u_int>(octets.size()), octets.data()};
      if (kind == 6) value.longs = {static_cast<u_int>(longs.size()), longs.data()};
      CubeValue result{};
      call(kCube + kind, kCubes[kind].marshal, &value, kCubes[kind].marshal, &result);
      if (kind >= 5) xdr_free(kCubes[kind].marshal, &result);
    };
  }

 private:
  void call(rpcproc_t procedure, xdrproc_t in, void* argument, xdrproc_t out, void* result, long seconds = 60) {
    const clnt_stat status = clnt_call(client_, procedure, in, static_cast<char*>(argument), out,
                                       static_cast<char*>(result), (timeval{seconds, 0}));
    if (status != RPC_SUCCESS && !(seconds == 0 && status == RPC_TIMEDOUT))
      throw std::runtime_error(clnt_sperrno(status));
  }

  /// Sends `count` elements of a type; without waiting if `base` is kTake, until they are back if it is kRing.
  std::function<void()> sender(rpcproc_t base, std::string type, std::size_t count) {
    std::size_t elements = count;
    std::vector<char> data(count * peer::size_of(type) + 1, 'x');
    data.back() = '\0';
    if (opaque_) {
      elements = data.size() - 1;
      type = "opaque";
    }
    rpcproc_t index = 0;
    while (index < kText && type != kTypes[index].name) ++index;
    const xdrproc_t marshal = index == kText ? routine(xdr_Text) : kTypes[index].marshal;
    return [this, data = std::move(data), elements, base, index, marshal]() mutable {
      Sequence sequence{static_cast<u_int>(elements), data.data()};
      const auto place = [&](Sequence& of) { return index == kText ? static_cast<void*>(&of.elements) : &of; };
      if (base == kRing) {
        Sequence back{};
        call(base + index, marshal, place(sequence), marshal, place(back));
        peer::check_ring(elements, index == kText ? std::strlen(back.elements) : back.length);
        return xdr_free(marshal, place(back));
      }
      call(base + index, marshal, place(sequence), base == kTake ? nullptr : routine(xdr_void), nullptr,
           base == kTake ? 0 : 60);
    };
  }

  CLIENT* client_;
  bool opaque_;
};

struct Rpc {
  static peer::About about() {
    return {"ONC-RPC " CORBEL_BENCH_TIRPC_VERSION, "opaque stubs", "tcp unix", "latency oneway twoway ring cube queues",
            peer::kAllTypes};
  }
  static void serve(const char*, const std::string& transport, const std::string& where) {
    Place place(transport, where);
    check(bind(place.handle, place.native(), place.size) == 0 && listen(place.handle, 64) == 0, "listen");
    SVCXPRT* const listener = svc_vc_create(place.handle, 0, 0);
    check(listener != nullptr && svc_reg(listener, kProgram, kVersion, dispatch, nullptr) != 0, "svc_reg");
    if (transport == "unix") {
      peer::announce(where);
    } else {
      check(getsockname(place.handle, place.native(), &place.size) == 0, "getsockname");
      peer::announce(where + " " + std::to_string(ntohs(reinterpret_cast<sockaddr_in&>(place.address).sin_port)));
    }
    svc_run();
  }
  static int run_client(const std::string& protocol, const std::string& transport, const std::string& reference) {
    Client client(transport, reference, protocol == "opaque");
    return peer::command_loop(client);
  }
};

}  // namespace

int main(int argc, char** argv) {
  return peer::main<Rpc>(argc, argv);
}
