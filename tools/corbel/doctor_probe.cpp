// SPDX-License-Identifier: Apache-2.0
// What an address says to a LocateRequest that is written by hand: the ORB would hide what is wrong with an answer.
#include <algorithm>
#include <array>
#include <cerrno>

#include "corbel/base/log.hpp"
#include "corbel/ipc/connector.hpp"
#include "corbel/ipc/resolver.hpp"
#include "corbel/ipc/unix_address.hpp"
#include "doctor.hpp"
#include "giop_octets.hpp"

namespace corbel::tool {
namespace {

using Level = Finding::Level;
using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kLargestAnswer = 1 << 20;
constexpr std::uint32_t kRequestId = 0x4c4f4f4b;
constexpr const char* kNotAnOrb =
    "look which program has the port (ss -ltnp on that host); the reference may be older than it";

enum MessageType : std::uint8_t { kReply = 1, kLocateRequest = 3, kLocateReply = 4, kCloseConnection = 5, kError = 6 };

class Stopwatch {
 public:
  double milliseconds() const { return std::chrono::duration<double, std::milli>(Clock::now() - begin_).count(); }

 private:
  Clock::time_point begin_ = Clock::now();
};

void put(base::Bytes& octets, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) octets.push_back(static_cast<base::Octet>(value >> 8 * i));
}

/// Little endian.
base::Bytes locate_request(const Place& place, std::uint8_t minor) {
  base::Bytes body;
  put(body, kRequestId);
  if (minor >= 2) put(body, 0);  // a key follows, and two octets of padding
  put(body, static_cast<std::uint32_t>(place.key.size()));
  body.insert(body.end(), place.key.begin(), place.key.end());
  base::Bytes message{'G', 'I', 'O', 'P', 1, minor, 1, kLocateRequest};
  put(message, static_cast<std::uint32_t>(body.size()));
  message.insert(message.end(), body.begin(), body.end());
  return message;
}

/// What octets that are no GIOP may be.
std::string seems(base::ConstByteSpan octets) {
  const std::string_view text = base::as_text(octets);
  if (text.starts_with("HTTP/")) return "speaks HTTP";
  if (text.starts_with("SSH-")) return "speaks SSH";
  if (text.starts_with("220")) return "greets like a mail or FTP server";
  if (octets.size() >= 2 && octets[0] == 0x15 && octets[1] == 3) return "speaks TLS (it answered with an alert)";
  return "sends '" + base::printable(text, 40) + "'";
}

/// One answer, as far as it came.
struct Answer {
  enum class Kind { message, silence, closed, reset, half, foreign, nonsense } kind = Kind::silence;
  std::uint8_t type = 0;
  std::uint8_t minor = 0;
  bool little = true;
  base::Bytes body;
  base::Bytes raw;  ///< what came of the header

  std::uint32_t number(std::size_t at) const {
    if (at + 4 > body.size()) return 0;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value |= std::uint32_t{body[at + i]} << 8 * (little ? i : 3 - i);
    return value;
  }
};

template <class Stream>
Answer receive(Stream& stream, base::Deadline deadline) {
  Answer answer;
  std::array<base::Octet, kGiopHeader> header{};
  std::size_t got = 0;
  const base::Status status = stream.recv_n(header, deadline, &got);
  answer.raw.assign(header.begin(), header.begin() + static_cast<std::ptrdiff_t>(got));
  if (!is_giop(answer.raw)) {
    answer.kind = Answer::Kind::foreign;
    return answer;
  }
  if (!status) {
    const bool silent = status.error().code == base::Code::timed_out;
    answer.kind = got > 0                                     ? Answer::Kind::half
                  : silent                                    ? Answer::Kind::silence
                  : status.error().code == base::Code::closed ? Answer::Kind::closed
                                                              : Answer::Kind::reset;
    return answer;
  }
  answer.minor = header[5];
  answer.little = (header[6] & 1) != 0;
  answer.type = header[7];
  std::uint32_t size = 0;
  for (std::size_t i = 0; i < 4; ++i) size |= std::uint32_t{header[8 + i]} << 8 * (answer.little ? i : 3 - i);
  if (header[4] != 1 || size > kLargestAnswer) {
    answer.kind = Answer::Kind::nonsense;
    return answer;
  }
  answer.body.resize(size);
  answer.kind = stream.recv_n(answer.body, deadline) ? Answer::Kind::message : Answer::Kind::half;
  return answer;
}

/// The reference in an answer that says OBJECT_FORWARD.
std::optional<ior::Ior> forward_of(const Answer& answer) {
  if (answer.body.size() <= 8) return std::nullopt;
  base::Bytes octets{static_cast<base::Octet>(answer.little ? 1 : 0), 0, 0, 0};
  octets.insert(octets.end(), answer.body.begin() + 8, answer.body.end());
  std::string text = "IOR:";
  for (const base::Octet octet : octets) {
    text += "0123456789abcdef"[octet >> 4];
    text += "0123456789abcdef"[octet & 15];
  }
  auto ior = ior::from_string(text);
  return ior ? std::optional(*std::move(ior)) : std::nullopt;
}

/// Tells what an answer means; nothing came of it unless it is a LocateReply.
Finding explain(const Answer& answer, const std::string& where, long timeout) {
  switch (answer.kind) {
    case Answer::Kind::silence:
      return {Level::problem, where,
              "accepts the connection, and then says nothing for " + std::to_string(timeout) + " ms",
              "the process may be stopped, hang or have no thread left (look at it with gdb or strace); a port that "
              "waits for "
              "TLS is as silent, and so is a proxy whose server is away"};
    case Answer::Kind::closed:
    case Answer::Kind::reset:
      return {Level::problem, where, "accepts the connection, and closes it without an answer",
              "a limit of connections, an access list, a port that wants TLS, or a proxy whose server is away; the "
              "server's "
              "log should say"};
    case Answer::Kind::half:
      return {
          Level::problem, where,
          "begins an answer and does not end it (" + std::to_string(answer.raw.size()) + " octets of the header came)",
          "the server died or hangs while it answers, or something on the way loses data (MTU)"};
    case Answer::Kind::foreign:
      return {Level::problem, where, "is no CORBA server: it " + seems(answer.raw), kNotAnOrb};
    case Answer::Kind::nonsense:
      return {Level::problem, where, "answers with a header that makes no sense", kNotAnOrb};
    case Answer::Kind::message:
      break;
  }
  if (answer.type == kCloseConnection) {
    return {Level::problem, where, "says CloseConnection at once",
            "the server is shutting down, or at its limit of connections"};
  }
  return {Level::problem, where,
          "answers with a message of type " + std::to_string(answer.type) + " instead of a LocateReply",
          "whatever it is, it does not keep to GIOP"};
}

/// The state of a locate status (0: unknown, 1: here, 2 and 3: forward, 4: system exception, 5: other addressing).
Reached explain_locate(const Place& place, const Answer& answer, const std::string& where, double milliseconds,
                       std::vector<Finding>& findings, std::optional<ior::Ior>& forward) {
  if (answer.body.size() < 8 || answer.number(0) != kRequestId) {
    findings.push_back({Level::problem, where, "answers another question than the one that was asked", kNotAnOrb});
    return Reached::silence;
  }
  switch (answer.number(4)) {
    case 0:
      findings.push_back(
          {Level::problem, where, "is a CORBA server, and does not know the object",
           is_transient_key(place.key)
               ? "the object is transient: it ended with its server, which may have been restarted since, or was "
                 "deactivated. "
                 "Get a new reference (from the naming service, a file), or make the object persistent"
               : "the object was deactivated, its POA is not there (yet), or another server has the address now",
           milliseconds});
      return Reached::server;
    case 2:
    case 3:
      forward = forward_of(answer);
      findings.push_back({Level::good, where, "says that the object is elsewhere", "", milliseconds});
      return Reached::object;
    case 4:
      findings.push_back({Level::note, where, "answers the LocateRequest with a system exception", "", milliseconds});
      return Reached::server;
    default:
      findings.push_back({Level::good, where, "says that the object is there", "", milliseconds});
      return Reached::object;
  }
}

/// Asks on connections that `connect` makes; an older GIOP where the profile's own is refused.
template <class Connect>
Reached locate(const Place& place, const std::string& where, std::chrono::milliseconds timeout, Connect connect,
               std::vector<Finding>& findings, std::optional<ior::Ior>& forward) {
  const int highest = std::min<int>(place.version.minor, 2);
  for (int minor = highest; minor >= 0; --minor) {
    auto stream = connect();
    if (!stream) return Reached::nothing;
    const auto deadline = base::Deadline::after(timeout);
    const Stopwatch watch;
    // A server that has closed is met when its answer is read.
    (void)stream->send_n(locate_request(place, static_cast<std::uint8_t>(minor)), deadline);
    const Answer answer = receive(*stream, deadline);
    if (answer.kind == Answer::Kind::message && answer.type == kError && minor > 0) continue;
    if (answer.kind != Answer::Kind::message || answer.type != kLocateReply) {
      findings.push_back(
          answer.kind == Answer::Kind::message && answer.type == kError
              ? Finding{Level::problem, where, "answers MessageError whatever GIOP version it is asked in", kNotAnOrb}
              : explain(answer, where, timeout.count()));
      return Reached::silence;
    }
    if (minor < highest) {
      findings.push_back({Level::problem, where,
                          "refuses GIOP 1." + std::to_string(highest) + ", which the reference promises, and takes 1." +
                              std::to_string(minor),
                          "call with -ORBGiopVersion 1." + std::to_string(minor) +
                              ", and have the server publish the version that it speaks"});
    }
    return explain_locate(place, answer, where, watch.milliseconds(), findings, forward);
  }
  return Reached::silence;
}

Finding explain_connect(const base::Error& error, const std::string& where, double milliseconds) {
  switch (error.code) {
    case base::Code::refused:
      if (error.os_error == EACCES || error.os_error == EPERM) {
        return {Level::problem, where, "must not be connected to: " + base::to_string(error),
                "look at permissions and firewall", milliseconds};
      }
      return {Level::problem, where, "is there, but nobody listens at it",
              "start the server; if it runs, it has another port now: give it a fixed one (-ORBListenEndpoints), or "
              "get a new "
              "reference",
              milliseconds};
    case base::Code::timed_out:
      return {Level::problem, where, "does not answer at all",
              "a firewall that drops packets, a host that is down, a server whose queue is full, or an address of a "
              "network that "
              "cannot be reached from here",
              milliseconds};
    case base::Code::unreachable:
      return {Level::problem, where, "cannot be reached: " + base::to_string(error),
              "there is no route, or no such socket file: the reference was made for clients elsewhere "
              "(-ORBPublishHost), or the "
              "server has ended",
              milliseconds};
    default:
      return {Level::problem, where, "cannot be connected to: " + base::to_string(error), "", milliseconds};
  }
}

template <class Address>
Reached probe_address(const Place& place, const Address& address, const std::string& where,
                      std::chrono::milliseconds timeout, std::vector<Finding>& findings,
                      std::optional<ior::Ior>& forward) {
  const ipc::Connector<Address> connector;
  const Stopwatch watch;
  auto first = connector.connect(address, base::Deadline::after(timeout));
  if (!first) {
    findings.push_back(explain_connect(first.error(), where, watch.milliseconds()));
    return Reached::nothing;
  }
  findings.push_back({Level::good, where, "accepts connections", "", watch.milliseconds()});
  if (!place.speaks_giop || place.kind == Place::Kind::tls) return Reached::object;
  bool again = false;
  return locate(
      place, where, timeout,
      [&]() {
        if (std::exchange(again, true)) return connector.connect(address, base::Deadline::after(timeout));
        return std::move(first);
      },
      findings, forward);
}

}  // namespace

std::string Place::text() const {
  if (kind == Kind::unix_socket) return "unix://" + base::printable(host);
  const bool six = host.find(':') != std::string::npos;
  const std::string shown = base::printable(host);
  return (kind == Kind::tls ? "tls://" : "tcp://") + (six ? "[" + shown + "]" : shown) + ":" + std::to_string(port);
}

bool is_transient_key(base::ConstByteSpan key) {
  return key.size() >= 20 && key[0] == 'C' && key[1] == 'B' && key[3] == 0;
}

Reached probe(const Place& place, std::chrono::milliseconds timeout, std::vector<Finding>& findings,
              std::optional<ior::Ior>& forward) {
  if (place.kind == Place::Kind::unix_socket) {
    const auto address = ipc::UnixAddress::path(place.host);
    if (!address) {
      findings.push_back({Level::problem, place.text(), "is no path of a socket", ""});
      return Reached::nothing;
    }
    return probe_address(place, *address, place.text(), timeout, findings, forward);
  }
  ipc::Resolver resolver;
  const Stopwatch watch;
  const auto addresses = resolver.resolve(place.host, place.port, base::Deadline::after(timeout));
  if (!addresses) {
    const bool late = addresses.error().code == base::Code::timed_out;
    findings.push_back(
        {Level::problem, place.text(),
         late ? "the name server does not answer" : "no name server here knows the host's name",
         "have the server write a name or address that clients can resolve (-ORBPublishHost), or add the name here",
         watch.milliseconds()});
    return Reached::nothing;
  }
  const bool numeric = static_cast<bool>(ipc::InetAddress::parse(place.host, place.port));
  if (!numeric) {
    findings.push_back({Level::good, place.text(), "the name has " + std::to_string(addresses->size()) + " addresses",
                        "", watch.milliseconds()});
  }
  Reached best = Reached::nothing;
  for (const auto& address : *addresses) {
    const std::string where = numeric ? place.text() : place.text() + " (" + address.host() + ")";
    best = std::max(best, probe_address(place, address, where, timeout, findings, forward));
  }
  if (place.kind == Place::Kind::tls && best != Reached::nothing) return ask_by_tls(place, timeout, findings);
  return best;
}

}  // namespace corbel::tool
