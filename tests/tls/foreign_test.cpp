// SPDX-License-Identifier: Apache-2.0
// Peers of OpenSSL's own, which do what Corbel would not.
#include <openssl/ssl.h>

#include "support.hpp"

namespace corbel::tls_test {
namespace {

class TlsForeignPeers : public testing::Test {
 protected:
  Security both() { return certificates_.security(certificates_.issue("both")); }

  Certificates certificates_;
};

/// A peer of OpenSSL's own, as other programs are.
class RawClient {
 public:
  RawClient(Certificates& certificates, const Wanted& wanted) : context_(SSL_CTX_new(TLS_client_method())) {
    SSL_CTX_set_security_level(context_, 0);
    const std::string file = certificates.issue("raw", wanted);
    EXPECT_EQ(SSL_CTX_use_certificate_chain_file(context_, file.c_str()), 1);
    EXPECT_EQ(SSL_CTX_use_PrivateKey_file(context_, file.c_str(), SSL_FILETYPE_PEM), 1);
  }
  ~RawClient() {
    SSL_free(ssl_);
    SSL_CTX_free(context_);
  }
  /// Over a connection that is there, whose socket is in blocking mode; runs beside the server's hand-shake.
  bool connect(int handle) {
    ssl_ = SSL_new(context_);
    SSL_set_fd(ssl_, handle);
    return SSL_connect(ssl_) == 1;
  }
  SSL* ssl() { return ssl_; }

 private:
  SSL_CTX* context_;
  SSL* ssl_ = nullptr;
};

TEST_F(TlsForeignPeers, AWeakKeyIsRefused) {
  for (const char* ciphers : {"", "ALL:@SECLEVEL=0", "ALL:@SECLEVEL=0:TLS_AES_128_GCM_SHA256"}) {
    Security security = both();
    security.ciphers = ciphers;
    Place place(security);
    RawClient raw(certificates_, {.rsa_bits = 1024});
    const auto socket = place.plainly();
    const auto server = place.accept();
    std::thread connecting([&] { (void)raw.connect(socket->handle()); });
    const auto shaken = shake(*server);
    server->shutdown();
    connecting.join();
    ASSERT_FALSE(shaken) << ciphers;
    EXPECT_EQ(shaken.error().code, Code::certificate_weak) << ciphers << base::to_string(shaken.error());
  }
}

TEST_F(TlsForeignPeers, WhoNeedsNoCertificateIsNotSpokenWithWhateverTheCiphersSay) {
  const auto tcp = transport::make_tcp();
  const auto acceptor = *tcp->listen(**tcp->parse("127.0.0.1:0"), {});
  bool agreed = true;
  std::thread serving([&] {
    ASSERT_TRUE(
        ipc::wait_ready(acceptor->handle(), ipc::Ready::readable, Deadline::after(kPatience), base::Stage::accept));
    const auto peer = *acceptor->accept();
    SSL_CTX* context = SSL_CTX_new(TLS_server_method());
    SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_cipher_list(context, "aNULL:@SECLEVEL=0");
    SSL_CTX_set_dh_auto(context, 1);
    SSL* ssl = SSL_new(context);
    SSL_set_fd(ssl, peer->handle());
    int result = -1;
    do {
      result = SSL_accept(ssl);
    } while (result != 1 && SSL_get_error(ssl, result) == SSL_ERROR_WANT_READ &&
             ipc::wait_ready(peer->handle(), ipc::Ready::readable, Deadline::after(kPatience), base::Stage::receive));
    agreed = result == 1;
    SSL_free(ssl);
    SSL_CTX_free(context);
  });
  Security client = both();
  client.ciphers = "ALL:@SECLEVEL=0";
  const auto factory = transport::make_tls(tcp, {client});
  const auto there = factory->parse(acceptor->endpoints().front()->text().substr(6));
  const auto connected = factory->make_connector()->connect(**there, {}, Deadline::after(kPatience));
  serving.join();
  ASSERT_FALSE(connected);
  EXPECT_FALSE(agreed);
  EXPECT_EQ(connected.error(), base::error(base::Stage::connect, Code::no_common_security));
}

TEST_F(TlsForeignPeers, NewKeysInTheMiddleAreFollowed) {
  Place place(both());
  RawClient raw(certificates_, {});
  const auto socket = place.plainly();
  const auto server = place.accept();
  bool connected = false;
  std::thread connecting([&] { connected = raw.connect(socket->handle()); });
  ASSERT_TRUE(shake(*server));
  connecting.join();
  ASSERT_TRUE(connected);
  for (int round = 0; round < 5; ++round) {
    ASSERT_EQ(SSL_key_update(raw.ssl(), SSL_KEY_UPDATE_REQUESTED), 1);
    ASSERT_EQ(SSL_write(raw.ssl(), "question", 8), 8);
    EXPECT_EQ(hear(*server, 8), "question");
    ASSERT_TRUE(say(*server, "answer"));
    char answer[6];
    ASSERT_EQ(SSL_read(raw.ssl(), answer, 6), 6);
    EXPECT_EQ(std::string_view(answer, 6), "answer");
  }
}

TEST_F(TlsForeignPeers, APeerThatRenewsItsKeysWithoutEndCostsNoMemory) {
  Place place(both());
  RawClient raw(certificates_, {});
  const auto socket = place.plainly();
  const auto server = place.accept();
  std::thread connecting([&] { (void)raw.connect(socket->handle()); });
  ASSERT_TRUE(shake(*server));
  connecting.join();
  for (int round = 0; round < 20000; ++round) {
    if (SSL_key_update(raw.ssl(), SSL_KEY_UPDATE_REQUESTED) != 1 || SSL_do_handshake(raw.ssl()) != 1) break;
    base::Bytes room(100);
    const auto got = server->receive(room, Deadline::now());
    if (!got && got.error().code != Code::would_block) break;
  }
  server->shutdown();
}

}  // namespace
}  // namespace corbel::tls_test
