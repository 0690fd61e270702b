// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "corbel/base/log.hpp"
#include "corbel/transport/tls/endpoint.hpp"
#include "corbel/transport/tls_openssl/intake.hpp"
#include "corbel/transport/tls_openssl/records.hpp"
#include "corbel/transport/tls_openssl/session.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::transport::tls {

/// The carrier: a session in memory, whose octets an inner carrier brings and takes. The session is locked while it
/// enciphers or deciphers, never while the inner carrier is called.
class TlsTransport final : public Transport {
 public:
  /// `log` outlives the carrier.
  TlsTransport(std::unique_ptr<Transport> inner, std::unique_ptr<Session> session, Role role, const base::Log& log);
  ~TlsTransport() override;

  /// The part of either side. Why it failed is logged here: it cannot be told to a peer, and only in one word to a
  /// caller.
  base::Status handshake(base::Deadline deadline) override;
  bool wants_room() const noexcept override { return gone_ < wire_.size(); }
  bool wants_input() const noexcept override { return wants_input_.load(std::memory_order_relaxed); }
  base::Result<std::size_t> send(std::span<const cdr::Segment> data, base::Deadline deadline) override;
  base::Result<std::size_t> send_some(std::span<const cdr::Segment> data, base::Deadline deadline) override;
  base::Result<std::size_t> receive(base::ByteSpan buffer, base::Deadline deadline) override;
  bool pending() const noexcept override;
  void shutdown() noexcept override;
  std::size_t unsent() const noexcept override { return inner_->unsent(); }
  void abandon() noexcept override { inner_->abandon(); }
  int handle() const noexcept override { return inner_->handle(); }
  int send_handle() const noexcept override { return inner_->send_handle(); }
  Traits traits() const noexcept override { return kTraits; }
  std::string local() const override { return outer(inner_->local()); }
  std::string peer() const override { return outer(inner_->peer()); }
  PeerIdentity identity() const override;
  bool stands_for(const std::string& host) const override;

 private:
  static constexpr std::size_t kPlain = 16384;  // octets in one record
  static constexpr std::size_t kBatch = 4;      // records in one send

  static std::string outer(const std::string& inner);
  Session::Step advance_handshake();
  bool has_left();
  base::Status flush(base::Deadline deadline);
  base::Status fill(base::Stage stage, base::Deadline deadline);
  base::Result<std::size_t> receive_with_intake(base::ByteSpan buffer, base::Deadline deadline);
  bool has_pending() const noexcept { return has_more_ || records_.has_whole(); }
  base::Error refuse(const Session::Failure& failure, base::Stage stage);
  /// What came cannot be TLS.
  base::Error refuse_foreign(base::Stage stage);
  void tell_ready();

  base::Result<std::size_t> send_list(std::span<const cdr::Segment> data, base::Deadline deadline, bool some);
  /// Where in a list enciphering goes on.
  struct Position {
    std::size_t segment = 0;
    std::size_t offset = 0;
    void advance(std::span<const cdr::Segment> data, std::size_t count) noexcept;
  };
  base::Result<bool> encipher(std::span<const cdr::Segment> data, Position& at, base::Deadline deadline);
  Session::Step write(base::ConstByteSpan plain, std::unique_lock<std::mutex>& lock, base::Deadline deadline);
  Session::Step write_behind_rest(base::ConstByteSpan plain, std::unique_lock<std::mutex>& lock,
                                  base::Deadline deadline);
  base::Status fill_record(base::Deadline deadline) noexcept;
  static_assert(kPlain <= SSL3_RT_MAX_PLAIN_LENGTH);
  base::ConstByteSpan next_plain(std::span<const cdr::Segment> data, Position& at);
  std::size_t settle() noexcept;
  std::size_t keep_wire(std::size_t offered) noexcept;

  const std::unique_ptr<Transport> inner_;
  const Role role_;
  const base::Log& log_;
  mutable std::mutex mutex_;
  const std::unique_ptr<Session> session_;  // under the mutex
  std::string subject_;                     // of the peer's certificate, when hands have been shaken

  // The sending thread's. A record that the inner carrier did not take whole stays, and leaves before anything else. If
  // that is the end of what was offered, its last octet does not count as taken: it is offered again, and then skipped.
  struct Sent {
    std::size_t end = 0;    // of a record in wire_
    std::size_t plain = 0;  // octets in it
  };
  base::Bytes wire_;
  std::size_t gone_ = 0;  // octets of it
  std::array<Sent, kBatch> batch_{};
  std::size_t batch_begin_ = 0;
  std::size_t batch_end_ = 0;
  std::unique_ptr<base::Octet[]> joined_;  // pieces of a list
  bool offers_ticket_;
  bool has_spoken_ = false;           // something of this side's may have reached the peer
  std::atomic<bool> sending_{false};  // or shut down
  std::atomic<bool> wants_input_{false};
  base::Deadline rest_by_ = base::Deadline::none();  // while it does

  // Of the thread that has the intake.
  mutable Intake intake_;
  Records records_;
  bool has_more_ = false;  // deciphered, and not fetched
};

}  // namespace corbel::transport::tls
