// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "corbel/base/bytes.hpp"
#include "corbel/base/result.hpp"
#include "corbel/transport/tls_openssl/context.hpp"
#include "corbel/transport/tls_openssl/resumption.hpp"
#include "corbel/transport/tls_openssl/verify.hpp"

namespace corbel::transport::tls {

/// One TLS conversation between octets in memory: what came from the peer goes in, what is to go to the peer comes out.
/// Used by one thread at a time; never waits.
class Session {
 public:
  enum class Step : std::uint8_t {
    done,
    wants_input,
    closed,  ///< the peer said that it ends
    failed,  ///< for good: failure() says why
  };
  /// Why it failed.
  struct Failure {
    base::Code code = base::Code::lost;
    std::string reason;   ///< in words, for the log
    std::string subject;  ///< of the peer's certificate that is at fault, if it is one
  };
  /// How a client goes on with an earlier conversation, and keeps this one. `store` null: it does not.
  struct Memory {
    std::shared_ptr<Resumption> store{};
    std::string server{};
  };

  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  /// Null if there is no memory.
  static std::unique_ptr<Session> make(ContextPtr context, Expected expected, Memory memory);
  /// The Session that an SSL belongs to.
  static Session& of(const SSL* ssl) noexcept;
  /// What OpenSSL calls when a server has given a client a ticket.
  static int on_new_ticket(SSL* ssl, SSL_SESSION* session);

  /// The name (not an address) by which a client asks for the server; before handshake().
  void ask_for(const std::string& host);

  /// What the next step reads: whole records. It takes them from the front.
  void set_input(base::ConstByteSpan records) noexcept { input_ = records; }
  base::ConstByteSpan input() const noexcept { return input_; }
  /// What has to go to the peer, in this order. The caller that takes it clears it.
  base::Bytes& output() noexcept { return output_; }

  Step handshake();
  /// Fills `buffer` with what is there: done if `count` is more than 0.
  Step read(base::ByteSpan buffer, std::size_t& count);
  /// Deciphered octets that did not fit the last read().
  bool has_more() const noexcept { return SSL_pending(ssl_.get()) > 0; }
  /// At most one record's worth, of 16,384 octets.
  Step write(base::ConstByteSpan plain);
  /// Lets a ticket for the next conversation go out with what is written next (servers).
  void offer_ticket();
  /// Tells the peer that nothing more comes.
  void say_end();

  const Failure& failure() const noexcept { return failure_; }
  const Expected& expected() const noexcept { return expected_; }
  void set_verdict(Verdict verdict) { verdict_ = std::move(verdict); }

  /// Of the peer's certificate, if it was checked; after the hand-shake.
  std::string subject() const;
  /// True if a client of the same settings would have taken the peer for the server at this host; after the hand-shake.
  bool stands_for(const std::string& host) const;
  std::string_view version() const noexcept { return SSL_get_version(ssl_.get()); }
  std::string_view cipher() const noexcept { return SSL_get_cipher_name(ssl_.get()); }
  bool is_resumed() const noexcept { return SSL_session_reused(ssl_.get()) == 1; }

 private:
  Session(Owned<SSL> ssl, ContextPtr context, Expected expected, Memory memory);
  Step step(int result);
  Step fail(Failure failure);
  Step explain(int what);
  bool has_shown_itself();
  bool is_still_good();

  static const BIO_METHOD* bio_method();
  static int on_read(BIO* bio, char* octets, int size) noexcept;
  static int on_write(BIO* bio, const char* octets, int size) noexcept;
  static long on_control(BIO* bio, int command, long number, void* pointer) noexcept;

  const ContextPtr context_;
  const Expected expected_;
  const Memory memory_;
  const Owned<SSL> ssl_;
  base::ConstByteSpan input_;
  base::Bytes output_;
  Verdict verdict_;
  Failure failure_;
  bool has_failed_ = false;
  bool has_read_ = false;  // the peer has sent octets of its own
};

}  // namespace corbel::transport::tls
