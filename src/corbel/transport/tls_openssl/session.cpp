// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/tls_openssl/session.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "corbel/ipc/inet_address.hpp"

namespace corbel::transport::tls {

using base::Code;

namespace {

/// An alert in which the peer refuses what this side has shown.
bool is_about_certificate(int alert) {
  switch (alert) {
    case SSL_AD_BAD_CERTIFICATE:
    case SSL_AD_UNSUPPORTED_CERTIFICATE:
    case SSL_AD_CERTIFICATE_REVOKED:
    case SSL_AD_CERTIFICATE_EXPIRED:
    case SSL_AD_CERTIFICATE_UNKNOWN:
    case SSL_AD_UNKNOWN_CA:
    case SSL_AD_DECRYPT_ERROR:  // its signature is not of the authority that it names
    case SSL_AD_ACCESS_DENIED:
    case SSL_AD_CERTIFICATE_REQUIRED:
      return true;
    default:
      return false;
  }
}

Code code_of_alert(int alert, bool has_agreed) {
  // With this alert servers of TLS 1.2 say, too, that they miss a certificate.
  const bool misses_one = alert == SSL_AD_HANDSHAKE_FAILURE && has_agreed;
  if (is_about_certificate(alert) || misses_one) return Code::certificate_refused;
  if (alert == SSL_AD_PROTOCOL_VERSION || alert == SSL_AD_INSUFFICIENT_SECURITY || alert == SSL_AD_HANDSHAKE_FAILURE) {
    return Code::no_common_security;
  }
  return Code::lost;
}

Code code_of_reason(int reason) {
  switch (reason) {
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
      return Code::certificate_missing;
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_NO_SHARED_CIPHER:
    case SSL_R_VERSION_TOO_LOW:
    case SSL_R_WRONG_SSL_VERSION:
    case SSL_R_NO_SHARED_SIGNATURE_ALGORITHMS:
    case SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM:
    case SSL_R_NO_SUITABLE_KEY_SHARE:
    case SSL_R_NO_PROTOCOLS_AVAILABLE:
    case SSL_R_NO_CIPHERS_AVAILABLE:
      return Code::no_common_security;
    case SSL_R_EE_KEY_TOO_SMALL:
    case SSL_R_CA_KEY_TOO_SMALL:
    case SSL_R_CA_MD_TOO_WEAK:
    case SSL_R_DH_KEY_TOO_SMALL:
      return Code::certificate_weak;
    default:
      return Code::lost;
  }
}

}  // namespace

std::unique_ptr<Session> Session::make(ContextPtr context, Expected expected, Memory memory) {
  ERR_clear_error();
  Owned<SSL> ssl(SSL_new(context->get()));
  BIO* bio = ssl != nullptr && bio_method() != nullptr ? BIO_new(bio_method()) : nullptr;
  if (bio == nullptr) return nullptr;
  SSL_set_bio(ssl.get(), bio, bio);
  std::unique_ptr<Session> session(
      new Session(std::move(ssl), std::move(context), std::move(expected), std::move(memory)));
  BIO_set_data(bio, session.get());
  SSL_set_app_data(session->ssl_.get(), session.get());
  return session;
}

Session::Session(Owned<SSL> ssl, ContextPtr context, Expected expected, Memory memory)
    : context_(std::move(context)), expected_(std::move(expected)), memory_(std::move(memory)), ssl_(std::move(ssl)) {
  if (context_->role() == Role::server) {
    SSL_set_accept_state(ssl_.get());
    return;
  }
  SSL_set_connect_state(ssl_.get());
  if (memory_.store == nullptr) return;
  if (const auto earlier = memory_.store->take(memory_.server)) SSL_set_session(ssl_.get(), earlier.get());
}

/// OpenSSL forgets sessions that were not ended with a word. Many peers give none, and their sessions are as good.
Session::~Session() {
  if (!has_failed_) SSL_set_shutdown(ssl_.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
}

Session& Session::of(const SSL* ssl) noexcept {
  return *static_cast<Session*>(SSL_get_app_data(ssl));
}

int Session::on_new_ticket(SSL* ssl, SSL_SESSION* session) {
  const Session& self = of(ssl);
  if (self.memory_.store == nullptr) return 0;
  self.memory_.store->put(self.memory_.server, Owned<SSL_SESSION>(session));
  return 1;
}

void Session::ask_for(const std::string& host) {
  if (!ipc::InetAddress::parse(host, 0)) SSL_set_tlsext_host_name(ssl_.get(), host.c_str());
}

Session::Step Session::handshake() {
  ERR_clear_error();  // what the application left there would be taken for an answer
  const Step result = step(SSL_do_handshake(ssl_.get()));
  return result == Step::done && !(has_shown_itself() && is_still_good()) ? Step::failed : result;
}

Session::Step Session::read(base::ByteSpan buffer, std::size_t& count) {
  count = 0;
  std::size_t got = 0;
  if (has_failed_) return Step::failed;
  ERR_clear_error();
  const Step result = step(SSL_read_ex(ssl_.get(), buffer.data(), buffer.size(), &got));
  if (result != Step::done) return result;
  has_read_ = true;
  count = got;
  return Step::done;
}

Session::Step Session::write(base::ConstByteSpan plain) {
  std::size_t written = 0;
  ERR_clear_error();
  return step(SSL_write_ex(ssl_.get(), plain.data(), plain.size(), &written));
}

void Session::offer_ticket() {
  if (SSL_version(ssl_.get()) != TLS1_3_VERSION || SSL_new_session_ticket(ssl_.get()) == 1) return;
  ERR_clear_error();  // it goes without one; what the application asks OpenSSL for on this thread has not failed
}

void Session::say_end() {
  if (has_failed_ || SSL_is_init_finished(ssl_.get()) != 1) return;
  if (SSL_shutdown(ssl_.get()) < 0) ERR_clear_error();  // not to be taken for the application's
}

/// Tells what one of OpenSSL's steps has come to.
Session::Step Session::step(int result) {
  if (result == 1) [[likely]]
    return Step::done;
  if (has_failed_) return Step::failed;
  const int what = SSL_get_error(ssl_.get(), result);
  switch (what) {
    case SSL_ERROR_WANT_READ:
      return Step::wants_input;
    case SSL_ERROR_ZERO_RETURN:
      return Step::closed;
    default:
      return explain(what);
  }
}

Session::Step Session::explain(int what) {
  if (what == SSL_ERROR_SYSCALL) return fail({Code::out_of_resources, "no memory", {}});
  const unsigned long number = ERR_peek_last_error();
  const int reason = ERR_GET_LIB(number) == ERR_LIB_SSL ? ERR_GET_REASON(number) : 0;
  std::string words = take_reasons();
  if (verdict_.error != X509_V_OK) return fail({code_of(verdict_.error), verdict_.reason, verdict_.subject});
  // Before the peer's first octets an alert is about the hand-shake, of which a client of TLS 1.3 does not see the end.
  const bool alerted = reason > SSL_AD_REASON_OFFSET;
  const bool has_agreed = context_->role() == Role::client && SSL_get_pending_cipher(ssl_.get()) != nullptr;
  const Code code = !alerted     ? code_of_reason(reason)
                    : !has_read_ ? code_of_alert(reason - SSL_AD_REASON_OFFSET, has_agreed)
                                 : Code::lost;
  return fail({code, alerted ? "the peer says: " + words : std::move(words), {}});
}

Session::Step Session::fail(Failure failure) {
  has_failed_ = true;
  failure_ = std::move(failure);
  if (memory_.store != nullptr) memory_.store->forget(memory_.server);
  return Step::failed;
}

/// Where there is no certificate, nothing was checked.
bool Session::has_shown_itself() {
  const int mode = SSL_get_verify_mode(ssl_.get());
  const bool has_to =
      context_->role() == Role::client ? mode != SSL_VERIFY_NONE : (mode & SSL_VERIFY_FAIL_IF_NO_PEER_CERT) != 0;
  if (!has_to || Owned<X509>(SSL_get1_peer_certificate(ssl_.get())) != nullptr) return true;
  fail({Code::certificate_missing, "no certificate was shown", {}});
  return false;
}

/// A conversation that goes on with an earlier one shows no certificates: asks whether the earlier ones still hold.
bool Session::is_still_good() {
  if (!is_resumed() || SSL_get_verify_mode(ssl_.get()) == SSL_VERIFY_NONE) return true;
  const Owned<X509> certificate(SSL_get1_peer_certificate(ssl_.get()));
  if (certificate == nullptr) return true;
  const std::string subject = text_of(X509_get_subject_name(certificate.get()));
  if (X509_cmp_current_time(X509_get0_notAfter(certificate.get())) < 0) {
    fail({Code::certificate_expired, "has expired since it was shown", subject});
    return false;
  }
  if (is_made_out_to(*certificate, expected_)) return true;
  fail({Code::certificate_name, "it is made out to " + names_of(*certificate), subject});
  return false;
}

std::string Session::subject() const {
  if (SSL_get_verify_mode(ssl_.get()) == SSL_VERIFY_NONE) return {};
  const Owned<X509> certificate(SSL_get1_peer_certificate(ssl_.get()));
  return certificate == nullptr ? std::string() : text_of(X509_get_subject_name(certificate.get()));
}

/// The authorities and the lists of revocations are the same for both roles.
bool Session::stands_for(const std::string& host) const {
  if (!context_->verifies_servers()) return true;
  if (SSL_get_verify_mode(ssl_.get()) == SSL_VERIFY_NONE) return false;
  const Owned<X509> certificate(SSL_get1_peer_certificate(ssl_.get()));
  if (certificate == nullptr || X509_check_purpose(certificate.get(), X509_PURPOSE_SSL_SERVER, 0) != 1) return false;
  return is_made_out_to(*certificate, expected_at(host, context_->server_names()));
}

// --- octets in memory as OpenSSL sees them ---

const BIO_METHOD* Session::bio_method() {
  static const BIO_METHOD* const kMethod = [] {
    BIO_METHOD* method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "corbel");
    if (method == nullptr) return method;
    BIO_meth_set_read(method, &on_read);
    BIO_meth_set_write(method, &on_write);
    BIO_meth_set_ctrl(method, &on_control);
    BIO_meth_set_create(method, [](BIO* bio) {
      BIO_set_init(bio, 1);
      return 1;
    });
    return method;
  }();
  return kMethod;
}

int Session::on_read(BIO* bio, char* octets, int size) noexcept {
  auto& self = *static_cast<Session*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  if (self.input_.empty()) {
    BIO_set_retry_read(bio);
    return -1;
  }
  const std::size_t count = std::min(self.input_.size(), static_cast<std::size_t>(size));
  std::memcpy(octets, self.input_.data(), count);
  self.input_ = self.input_.subspan(count);
  return static_cast<int>(count);
}

int Session::on_write(BIO* bio, const char* octets, int size) noexcept try {
  auto& self = *static_cast<Session*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  // As octets: the library inserts characters one by one.
  const auto* const first = reinterpret_cast<const base::Octet*>(octets);
  self.output_.insert(self.output_.end(), first, first + size);
  return size;
} catch (const std::bad_alloc&) {
  return -1;
}

long Session::on_control(BIO*, int command, long, void*) noexcept {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

}  // namespace corbel::transport::tls
