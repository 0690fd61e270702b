// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/base/bytes.hpp"
#include "corbel/base/deadline.hpp"
#include "corbel/base/option_rows.hpp"
#include "corbel/base/result.hpp"
#include "corbel/cdr/encoder.hpp"
#include "corbel/ior/ior.hpp"
#include "corbel/ior/profile.hpp"
#include "corbel/ior/url.hpp"
#include "corbel/ipc/traffic_options.hpp"
#include "corbel/transport/lent_memory.hpp"
#include "corbel/transport/setup.hpp"

/// Port 2, the ORB transport adapter: what a carrier of messages must do. docs/transports.md is the guide for authors.
namespace corbel::transport {

/// What a transport gives; checked against messaging::Requirements when the two are combined. The defaults are those of
/// a byte stream.
struct Traits {
  bool byte_stream = true;  ///< false: keeps message boundaries; then largest_message must be set
  bool reliable = true;
  bool ordered = true;
  bool connected = true;  ///< false: an acceptor knows of a peer from its first message on, and of no end
  /// Not 0: the connecting side sends to a group of any size and hears nothing back, the accepting side hears all
  /// senders. Requests name their target by a profile with this tag.
  std::uint32_t group_profile = 0;
  bool shakes_hands = false;  ///< what an acceptor makes has to handshake() before it carries anything
  /// handle() becomes readable anew, edge-triggered, with whatever comes, or the end, after a receive() that brought
  /// less than there was room for. Saves the server a system call for each request of a connection without a thread.
  bool edges = false;
  std::size_t largest_message = 0;  ///< octets that one send() takes at most; 0: a byte stream, which takes any number
};

/// The peer's identity, as far as the carrier vouches for it. What a peer says of itself is not here.
struct PeerIdentity {
  /// A process of this host, as the system saw it when the connection was made. The numbers are those of the name
  /// spaces of this process.
  struct Process {
    std::uint32_t user = 0;
    std::uint32_t group = 0;
    std::int32_t id = 0;
  };
  std::optional<Process> process;  ///< local carriers
  std::string subject;             ///< carriers that check certificates: the name in the peer's; empty: not checked
  bool encrypted = false;          ///< what it carries is, whoever is at the other end
};

/// One live carrier to one peer. Owned by one connection. send() may be called by one thread while another is in
/// receive(); shutdown() by any thread at any time, it makes both return. The destructor closes.
///
/// A byte stream may cut and join what it carries. A carrier that keeps messages (Traits::byte_stream is false) takes
/// each list as one message, whole or not at all, and gives it to one receive(), whose buffer has room for the largest.
/// Where messages from many addresses come in at one place, the acceptor makes a Transport for each address.
class Transport {
 public:
  virtual ~Transport() = default;

  /// Sends the whole gather list, or fails: timed_out (some octets may have left: the connection is unusable), lost
  /// (the peer is gone), closed or lost (after shutdown() here). With Deadline::now() it does not block and returns the
  /// octets taken (would_block if none). Otherwise the returned count is the whole, and a deadline that has passed
  /// already is timed_out. Empty pieces are skipped; of nothing else, nothing is sent and 0 returned. A list beyond
  /// Traits::largest_message fails with too_large, whatever the deadline; nothing was sent, and the carrier is as it
  /// was.
  virtual base::Result<std::size_t> send(std::span<const cdr::Segment> data, base::Deadline deadline) = 0;
  /// As send(), but a deadline that passes is no failure: the octets taken by then (would_block if none).
  virtual base::Result<std::size_t> send_some(std::span<const cdr::Segment> data, base::Deadline) {
    return send(data, base::Deadline::now());
  }
  /// For carriers that keep messages: sends some that lie one behind the other, of so many octets each, and takes fewer
  /// system calls than they are, if it can. Never blocks. How many have been taken, the first ones; at least one, or
  /// fails as send() with Deadline::now() does. By default it sends the first.
  virtual base::Result<std::size_t> send_messages(base::ConstByteSpan octets, std::span<const std::uint32_t> sizes) {
    const cdr::Segment first{octets.data(), sizes.front()};
    CORBEL_CHECK(send({&first, 1}, base::Deadline::now()));
    return std::size_t{1};
  }
  /// Receives at least one octet and at most `buffer.size()`; a carrier that keeps messages, one message. Fails with
  /// timed_out (nothing was lost; may be called again), would_block (Deadline::now(), and no other deadline: one that
  /// has passed is timed_out), closed (orderly end of stream, after all that was sent before it; or shutdown() here),
  /// lost (reset), truncated (a message was larger than the buffer). A finite deadline may overrun by a sixteenth, plus
  /// the clock's resolution: a time-out must not cost a system call.
  virtual base::Result<std::size_t> receive(base::ByteSpan buffer, base::Deadline deadline) = 0;
  /// For a receiver that has just found nothing, and knows that so many octets are on their way: may sleep until they
  /// are there, but not longer than about a tenth of a millisecond, and is woken once instead of for each piece. By
  /// default nothing happens. Called by the receiving thread only.
  virtual void wait_for_many(std::size_t octets) noexcept { (void)octets; }
  /// Memory of so many octets, which may be filled and then be sent by this carrier without being copied: as a piece of
  /// send()'s list that lies in it. What it has sent the peer sees as long as it likes, also changes. Empty, the
  /// default, where there is none. Any thread.
  virtual LentMemory lend(std::size_t octets) noexcept {
    (void)octets;
    return {};
  }
  /// Octets of the piece that comes next if that lies in memory which the peer lends, and is there; 0, the default, if
  /// it does not. Called by the receiving thread only, as take_lent().
  virtual std::size_t next_lent() noexcept { return 0; }
  /// That piece, received. The peer may change it at any time. Without this receive() copies it.
  virtual LentMemory take_lent() noexcept { return {}; }
  /// True if receive() would return something at once of which handle() does not tell: octets taken from below and not
  /// handed out yet (records of TLS, a decompressor's output). The receiving thread asks before it leaves the carrier
  /// to its handle, and goes on receiving then. Called by the receiving thread only.
  virtual bool pending() const noexcept { return false; }
  /// The accepting side's part of the hand-shake, of carriers whose traits say that they shake hands; on a thread that
  /// the server keeps for this, before anything but shutdown(). (The connecting side does its part in
  /// Connector::connect.) Succeeds when the carrier is ready. would_block: to be called again when handle() is
  /// readable, and never blocks with Deadline::now(). Without a handle it waits until the deadline (timed_out). Any
  /// other failure ends the connection. The server bounds the whole by -ORBMessageTimeout.
  virtual base::Status handshake(base::Deadline deadline) {
    (void)deadline;
    return {};
  }
  /// After a handshake() that said would_block: it has something to say that the peer has not taken, and is to be
  /// called again also when send_handle() is writable. Asked by the thread that called it.
  virtual bool wants_room() const noexcept { return false; }
  /// Ends both directions and wakes every thread blocked in send() or receive(). What was sent before still arrives at
  /// the peer, and what a reliable carrier had received before can still be had. The handle stays open until
  /// destruction. Nothing happens the second time.
  virtual void shutdown() noexcept = 0;
  /// Octets that send() took and that the peer may not get if this ends now: the system has still to send them, because
  /// the peer does not read, or would reset the connection upon them; 0 if that is not known, or if they reach the peer
  /// whatever happens here.
  virtual std::size_t unsent() const noexcept { return 0; }
  /// In a child of fork(2), whose parent goes on using this: closes the handle, tells no peer and takes no lock;
  /// nothing else is called afterwards. By default nothing happens.
  virtual void abandon() noexcept {}
  /// What a reactor waits on for input: readable while receive() would return, but for what pending() tells. The same
  /// number each time. -1 if there is none; then the connection needs a thread of its own.
  virtual int handle() const noexcept = 0;
  /// What a reactor waits on until the peer takes more; -1 if there is none.
  virtual int send_handle() const noexcept { return -1; }
  /// After a send() that said would_block: it is to be called again when handle() is readable, whatever send_handle()
  /// says, for the peer has yet to say something. Asked by the thread that called it.
  virtual bool wants_input() const noexcept { return false; }
  /// Those of this carrier: as its factory's, but that largest_message may be less.
  virtual Traits traits() const noexcept { return {}; }
  /// For diagnostics: "tcp://127.0.0.1:4711". May cost a system call, and say no address once the peer has gone: who
  /// needs it then keeps it.
  virtual std::string local() const = 0;
  virtual std::string peer() const = 0;
  /// Asked for rarely; may cost a system call. After handshake().
  virtual PeerIdentity identity() const { return {}; }
  /// True if a connector of this ORB would have taken the peer for the one at that host. A carrier that checks the
  /// servers it connects to asks this of a peer that has connected itself, before calls meant for the host go there.
  /// Any thread, after handshake().
  virtual bool stands_for(const std::string& host) const {
    (void)host;
    return true;
  }
};

/// Which peers can use an endpoint that a reference names.
enum class Reach : std::uint8_t {
  anybody,
  this_link,  ///< hosts on the same link: a link-local address
  loopback,   ///< an address of the network by which every host means itself
  this_host,  ///< processes of this host, by the nature of the transport
};

/// An address as a value. Immutable; shared freely between threads.
class Endpoint {
 public:
  virtual ~Endpoint() = default;
  /// The transport's scheme, as in the URL: "tcp".
  virtual std::string_view scheme() const noexcept = 0;
  /// The URL form, "tcp://host:port"; equal endpoints have equal text, so it serves as the key of the connection cache.
  virtual const std::string& text() const noexcept = 0;
  virtual Reach reach() const noexcept { return Reach::anybody; }
};
using EndpointPtr = std::shared_ptr<const Endpoint>;

/// What may differ from connection to connection. A transport ignores what it has no use for, but for Options::backlog.
struct ConnectionOptions {
  int send_buffer = 0;     ///< octets; 0 = the system's default
  int receive_buffer = 0;  ///< octets; 0 = the system's default
  bool no_delay = true;
  bool keep_alive = true;
  base::Duration keep_alive_time{};      ///< idle time before the first probe, in seconds rounded up; 0 = the system's
  base::Duration keep_alive_interval{};  ///< from probe to probe, likewise
  int keep_alive_probes = 0;             ///< so many unanswered: the peer is lost; 0 = the system's default
  /// Octets from which on arrays, sequences and strings that are sent are gathered from where they lie; smaller ones
  /// are copied behind the header. Not for transports: it is the connection's, whatever carries it.
  int gather_threshold = cdr::Encoder::kReferenceThreshold;
  /// Octets of oneways that wait for the peer (-ORBOnewayQueue); -1: as the ORB has it. Not for transports either.
  int oneway_queue = -1;
  int unsent = 0;  ///< octets that the system keeps for later at most (TCP_NOTSENT_LOWAT); 0: its default
  int ring = 0;    ///< octets of each ring of shared memory; 0: as the server has them
  ipc::TrafficOptions traffic{};
  base::Duration spin{};  ///< how long a receiving thread looks again and again before it sleeps (base::Spin)

  friend bool operator==(const ConnectionOptions&, const ConnectionOptions&) = default;
};

/// An option of connections that policies may set for those of single references, and endpoints for accepted ones.
struct ConnectionOption {
  std::string_view name;
  std::string_view values;                                          ///< which there are, for messages: "on or off"
  bool (*set)(ConnectionOptions& options, std::string_view value);  ///< false, and nothing changes, if it is none
};

/// What listening takes as well. Accepted connections have the options of their acceptor.
struct Options : ConnectionOptions {
  /// Peers that may wait to be accepted (or a few more); others wait in connect() or end there at their deadline. Of
  /// all options this one is for every transport whose peers connect: those who wait must cost a bounded amount.
  int backlog = 1024;
  /// Written into references instead of the listening address, if not empty: parse_published_hosts() of
  /// corbel/transport/inet_endpoint.hpp reads it.
  std::string publish_host;
};

/// The active side.
class Connector {
 public:
  virtual ~Connector() = default;
  /// Connects by `deadline`, hand-shake included. Thread-safe. Fails with Stage::resolve or Stage::connect: refused or
  /// unreachable (at once if nobody listens there), timed_out, bad_argument (an endpoint of another transport, as
  /// own_endpoint() says).
  virtual base::Result<std::unique_ptr<Transport>> connect(const Endpoint& endpoint, const ConnectionOptions& options,
                                                           base::Deadline deadline) = 0;
};

/// The passive side: one open listening endpoint.
class Acceptor {
 public:
  virtual ~Acceptor() = default;
  /// Takes one waiting peer; would_block if there is none. Never blocks, and shakes no hands (Transport::handshake).
  /// Call from one thread at a time.
  virtual base::Result<std::unique_ptr<Transport>> accept() = 0;
  /// What a reactor waits on for waiting peers: readable while there are some; where peers do not connect
  /// (Traits::connected), if there are more than when accept() would have blocked. Never -1.
  virtual int handle() const noexcept = 0;
  /// The endpoints to publish, with everything resolved (port 0 replaced, wildcard address expanded).
  virtual std::vector<EndpointPtr> endpoints() const = 0;
  /// Peers that come from now on are refused, if the system can tell them from those that wait, which can still be
  /// accepted; by default nothing happens. For sockets: a peer that was let in, and then not accepted, could not know
  /// that nothing of its was executed. close() follows soon.
  virtual void refuse_more() noexcept {}
  /// Stops listening, and the endpoint is free; a UNIX-domain path is unlinked. Nothing happens the second time. The
  /// destructor does it as well.
  virtual void close() noexcept = 0;
};

/// A profile of a reference as this transport understands it.
struct Reachable {
  ior::ProfileBase base;
  std::string protocol = "giop";
  std::vector<EndpointPtr> endpoints;  ///< in order of preference
};

/// What ships a transport: named in `builtins`, or passed to ORB_init, or exported by a plug-in. Stateless,
/// thread-safe.
class Factory {
 public:
  virtual ~Factory() = default;

  /// "tcp", "unix", "inproc": the scheme of its endpoints.
  virtual std::string_view scheme() const noexcept = 0;
  virtual Traits traits() const noexcept { return {}; }
  /// How the part after "scheme://" looks, for help and messages: "host:port", "/path".
  virtual std::string_view address_form() const noexcept { return "address"; }
  /// The name that the OMG's URLs have for the scheme, which endpoints may be written with: "iiop". Empty, the default:
  /// there is none.
  virtual std::string_view standard_scheme() const noexcept { return {}; }

  /// Reads the part after "scheme://". Fails with Stage::resolve, bad_argument.
  virtual base::Result<EndpointPtr> parse(std::string_view address) const = 0;
  /// Reads one address of a corbaloc URL, by default as parse() does; unsupported if the scheme is not this
  /// transport's.
  virtual base::Result<EndpointPtr> from_url(const ior::UrlAddress& address) const {
    if (address.scheme != scheme()) return base::error(base::Stage::resolve, base::Code::unsupported);
    return parse(address.host);
  }
  /// What follows "corbaloc:scheme:", for messages. Empty, the default: "address_form()/key".
  virtual std::string_view url_form() const noexcept { return {}; }
  /// What is wrong with one that from_url() refused; empty, the default: its form.
  virtual std::string why_bad_url(const ior::UrlAddress& address) const {
    (void)address;
    return {};
  }
  /// Where a server listens that was told nothing: what parse() reads. Nothing, the default: not over this transport.
  virtual std::optional<std::string> default_address() const { return std::nullopt; }
  virtual std::unique_ptr<Connector> make_connector() const = 0;
  /// Those of its connector's options that policies may set by name; none is the default. Usual ones are in
  /// connection_options.hpp.
  virtual std::span<const ConnectionOption> connection_options() const noexcept { return {}; }
  /// Those that endpoints may set, "tcp://:4711?dscp=46", for what listen() makes; its connector's are the default.
  virtual std::span<const ConnectionOption> endpoint_options() const noexcept { return connection_options(); }
  /// Opens a listening endpoint. Fails with Stage::listen: address_in_use (somebody listens there, and it is no group),
  /// bad_argument (an endpoint of another transport, as own_endpoint() says).
  virtual base::Result<std::unique_ptr<Acceptor>> listen(const Endpoint& endpoint, const Options& options) const = 0;

  /// The endpoints by which a profile can be reached over this transport; unsupported if by none (that is no fault, and
  /// the default). The generic Corbel profile is decoded by the registry, not here.
  virtual base::Result<Reachable> decode(const ior::TaggedProfile& profile, const cdr::Limits& limits) const {
    (void)profile, (void)limits;
    return base::error(base::Stage::resolve, base::Code::unsupported);
  }
  /// Adds the profiles (or components in existing profiles) that publish `endpoints` of this transport for GIOP.
  /// Returns false, the default, if the transport has no profile of its own; the registry then writes a Corbel profile.
  virtual bool publish(std::span<const EndpointPtr> endpoints, const ior::ProfileBase& base,
                       std::vector<ior::TaggedProfile>& profiles) const {
    (void)endpoints, (void)base, (void)profiles;
    return false;
  }

  /// The options that this transport brings to an ORB (base::option_set), with the values that hold where nothing is
  /// said; null, the default: none. ORB_init takes them as it takes its own, from the command line (-ORBName) and the
  /// environment, and shows them in its help; with() is given what they were set to. A name that another option of the
  /// ORB has is refused.
  virtual std::unique_ptr<base::OptionSet> options() const { return nullptr; }
  /// The transport as it is for an ORB with these settings, to be used instead of this one; null, the default: this one
  /// will do. What is wrong with the settings is told by connect() and listen().
  virtual std::shared_ptr<const Factory> with(const Setup& setup) const {
    (void)setup;
    return nullptr;
  }
  /// True if a reference that can be reached over this transport is not to be reached over others that leave this host
  /// and do not insist: not even when this one fails, which an attacker on the way can bring about. False is the
  /// default.
  virtual bool insists() const noexcept { return false; }
};

}  // namespace corbel::transport
