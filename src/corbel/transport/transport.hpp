// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/base/bytes.hpp"
#include "corbel/base/deadline.hpp"
#include "corbel/base/result.hpp"
#include "corbel/cdr/encoder.hpp"
#include "corbel/ior/ior.hpp"
#include "corbel/ior/profile.hpp"
#include "corbel/ior/url.hpp"

/// Port 2, the ORB transport adapter: what a carrier of messages must do.
namespace corbel::transport {

/// What a transport gives; checked against messaging::Requirements when the two are combined.
struct Traits {
  bool byte_stream = true;  ///< false: keeps message boundaries
  bool reliable = true;
  bool ordered = true;
  std::size_t largest_message = 0;  ///< octets in one send; 0 = unlimited
};

/// One live carrier to one peer. Owned by one connection. send() may be called by one thread while another is in
/// receive(); shutdown() by any thread at any time, it makes both return. The destructor closes.
class Transport {
 public:
  virtual ~Transport() = default;

  /// Sends the whole gather list, or fails: timed_out (some octets may have left: the connection is unusable), closed
  /// or lost. With Deadline::now() it does not block and returns the octets taken (would_block if none). Otherwise the
  /// returned count is the whole.
  virtual base::Result<std::size_t> send(std::span<const cdr::Segment> data, base::Deadline deadline) = 0;
  /// As send(), but a deadline that passes is no failure: the octets taken by then (would_block if none).
  virtual base::Result<std::size_t> send_some(std::span<const cdr::Segment> data, base::Deadline) {
    return send(data, base::Deadline::now());
  }
  /// Receives at least one octet and at most `buffer.size()`. Fails with timed_out (nothing was lost; may be called
  /// again), would_block (Deadline::now()), closed (orderly end of stream), lost (reset). A finite deadline may
  /// overrun by a sixteenth, plus the clock's resolution: a time-out must not cost a system call.
  virtual base::Result<std::size_t> receive(base::ByteSpan buffer, base::Deadline deadline) = 0;
  /// Ends both directions and wakes every thread blocked in send() or receive(). The handle stays open until
  /// destruction.
  virtual void shutdown() noexcept = 0;
  /// Octets that send() took and the system has still to send, because the peer does not read; 0 if that is not known,
  /// or if they reach the peer whatever happens here.
  virtual std::size_t unsent() const noexcept { return 0; }
  /// In a child of fork(2), whose parent goes on using this: closes the handle, tells nobody and takes no lock; nothing
  /// else is called afterwards. By default nothing happens.
  virtual void abandon() noexcept {}
  /// What a reactor waits on for input; -1 if there is none (then the connection needs a thread of its own).
  virtual int handle() const noexcept = 0;
  /// What a reactor waits on until the peer takes more; -1 if there is none.
  virtual int send_handle() const noexcept { return -1; }
  virtual Traits traits() const noexcept = 0;
  /// For diagnostics: "tcp://127.0.0.1:4711".
  virtual std::string local() const = 0;
  virtual std::string peer() const = 0;
};

/// An address as a value. Immutable; shared freely between threads.
class Endpoint {
 public:
  virtual ~Endpoint() = default;
  /// The transport's scheme, as in the URL: "tcp".
  virtual std::string_view scheme() const noexcept = 0;
  /// The URL form, "tcp://host:port"; equal endpoints have equal text, so it serves as the key of the connection cache.
  virtual const std::string& text() const noexcept = 0;
};
using EndpointPtr = std::shared_ptr<const Endpoint>;

/// The active side.
class Connector {
 public:
  virtual ~Connector() = default;
  /// Connects by `deadline`. Thread-safe. Fails with Stage::resolve or Stage::connect: refused, unreachable, timed_out.
  virtual base::Result<std::unique_ptr<Transport>> connect(const Endpoint& endpoint, base::Deadline deadline) = 0;
};

/// The passive side: one open listening endpoint.
class Acceptor {
 public:
  virtual ~Acceptor() = default;
  /// Takes one waiting peer; would_block if there is none. Never blocks. Call from one thread at a time.
  virtual base::Result<std::unique_ptr<Transport>> accept() = 0;
  /// What a reactor waits on for waiting peers.
  virtual int handle() const noexcept = 0;
  /// The endpoints to publish, with everything resolved (port 0 replaced, wildcard address expanded).
  virtual std::vector<EndpointPtr> endpoints() const = 0;
  /// Stops listening; a UNIX-domain path is unlinked. The destructor does it as well.
  virtual void close() noexcept = 0;
};

/// A profile of a reference as this transport understands it.
struct Reachable {
  ior::ProfileBase base;
  std::string protocol = "giop";
  std::vector<EndpointPtr> endpoints;  ///< in order of preference
};

/// Options that connectors and acceptors of every transport take.
struct Options {
  int send_buffer = 0;     ///< octets; 0 = the system's default
  int receive_buffer = 0;  ///< octets; 0 = the system's default
  bool no_delay = true;
  bool keep_alive = true;
  int backlog = 1024;
  base::Duration spin{};     ///< how long a receiving thread looks again and again before it sleeps (base::Spin)
  std::string publish_host;  ///< written into references instead of the listening address, if not empty
};

/// What ships a transport: named in `builtins`, or passed to ORB_init, or exported by a plug-in. Stateless,
/// thread-safe.
class Factory {
 public:
  virtual ~Factory() = default;

  /// "tcp", "unix", "inproc": the scheme of its endpoints.
  virtual std::string_view scheme() const noexcept = 0;
  virtual Traits traits() const noexcept = 0;

  /// Reads the part after "scheme://". Fails with Stage::resolve, bad_argument.
  virtual base::Result<EndpointPtr> parse(std::string_view address) const = 0;
  /// Reads one address of a corbaloc URL; unsupported if the scheme is not this transport's.
  virtual base::Result<EndpointPtr> from_url(const ior::UrlAddress& address) const = 0;
  virtual std::unique_ptr<Connector> make_connector(const Options& options) const = 0;
  /// Opens a listening endpoint. Fails with Stage::listen.
  virtual base::Result<std::unique_ptr<Acceptor>> listen(const Endpoint& endpoint, const Options& options) const = 0;

  /// The endpoints by which a profile can be reached over this transport; unsupported if by none (that is no fault).
  /// The generic Corbel profile is decoded by the registry, not here.
  virtual base::Result<Reachable> decode(const ior::TaggedProfile& profile, const cdr::Limits& limits) const = 0;
  /// Adds the profiles (or components in existing profiles) that publish `endpoints` of this transport for GIOP.
  /// Returns false if the transport has no profile of its own; the registry then writes a Corbel profile.
  virtual bool publish(std::span<const EndpointPtr> endpoints, const ior::ProfileBase& base,
                       std::vector<ior::TaggedProfile>& profiles) const = 0;
};

}  // namespace corbel::transport
