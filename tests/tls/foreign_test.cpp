// SPDX-License-Identifier: Apache-2.0
// Peers of OpenSSL's own, which do what Corbel would not.
#include <openssl/ssl.h>

#include <array>
#include <atomic>
#include <future>

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
  SSL_CTX* context() { return context_; }

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

TEST_F(TlsForeignPeers, AreGivenOneTicketAndToldOfTheEnd) {
  static std::atomic<int> tickets;
  tickets = 0;
  Place place(both());
  RawClient raw(certificates_, {});
  const auto socket = place.plainly();
  const auto server = place.accept();
  bool connected = false;
  std::thread connecting([&] { connected = raw.connect(socket->handle()); });
  ASSERT_TRUE(shake(*server));
  connecting.join();
  ASSERT_TRUE(connected);
  SSL_CTX* const context = SSL_get_SSL_CTX(raw.ssl());
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT);
  SSL_CTX_sess_set_new_cb(context, [](SSL*, SSL_SESSION*) {
    ++tickets;
    return 0;
  });
  char answer[6];
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(say(*server, "answer"));
    ASSERT_EQ(SSL_read(raw.ssl(), answer, 6), 6);
  }
  EXPECT_EQ(tickets, 1);
  server->shutdown();
  const int count = SSL_read(raw.ssl(), answer, 6);
  EXPECT_EQ(SSL_get_error(raw.ssl(), count), SSL_ERROR_ZERO_RETURN) << "with a word, not cut off";
}

// A server of OpenSSL's own makes sends tickets at once. If a peer closes upon them, its system takes back what has not
// left yet.
TEST_F(TlsForeignPeers, HearAllThatAClientSaysThatDoesNotReadItsTickets) {
  constexpr std::size_t kSaid = 150'000;  // more than the other side takes before it is read
  const auto tcp = transport::make_tcp();
  const auto acceptor = *tcp->listen(**tcp->parse("127.0.0.1:0"), {});
  const std::string file = certificates_.issue("raw");
  std::promise<void> gone;
  std::size_t heard = 0;
  std::thread serving([&] {
    ASSERT_TRUE(
        ipc::wait_ready(acceptor->handle(), ipc::Ready::readable, Deadline::after(kPatience), base::Stage::accept));
    const auto peer = *acceptor->accept();
    SSL_CTX* context = SSL_CTX_new(TLS_server_method());
    EXPECT_EQ(SSL_CTX_use_certificate_chain_file(context, file.c_str()), 1);
    EXPECT_EQ(SSL_CTX_use_PrivateKey_file(context, file.c_str(), SSL_FILETYPE_PEM), 1);
    SSL_CTX_set_num_tickets(context, 1);  // a second one could come when the client has gone
    SSL* ssl = SSL_new(context);
    SSL_set_fd(ssl, peer->handle());
    SSL_set_accept_state(ssl);
    const auto run = [&](auto&& step) {
      for (;;) {
        const int result = step();
        if (result > 0 || SSL_get_error(ssl, result) != SSL_ERROR_WANT_READ) return result;
        if (!ipc::wait_ready(peer->handle(), ipc::Ready::readable, Deadline::after(kPatience), base::Stage::receive))
          return -1;
      }
    };
    EXPECT_EQ(run([&] { return SSL_accept(ssl); }), 1);
    gone.get_future().wait();
    std::array<char, 16384> room;
    int count = 0;
    while ((count = run([&] { return SSL_read(ssl, room.data(), static_cast<int>(room.size())); })) > 0) {
      heard += static_cast<std::size_t>(count);
    }
    SSL_free(ssl);
    SSL_CTX_free(context);
  });
  const auto factory = transport::make_tls(tcp, {both()});
  const auto there = factory->parse(acceptor->endpoints().front()->text().substr(6));
  transport::ConnectionOptions options;
  options.send_buffer = 200'000;
  auto connected = factory->make_connector()->connect(**there, options, Deadline::after(kPatience));
  EXPECT_TRUE(connected) << base::to_string(connected.error());
  if (connected) {
    EXPECT_TRUE(
        ipc::wait_ready((*connected)->handle(), ipc::Ready::readable, Deadline::after(kPatience), base::Stage::wait))
        << "the ticket";
    EXPECT_TRUE(say(**connected, std::string(kSaid, 'x')));
    connected->reset();
  }
  gone.set_value();
  serving.join();
  EXPECT_EQ(heard, kSaid);
}

TEST_F(TlsForeignPeers, APeerThatRenewsItsKeysWithoutEndCostsNoMemory) {
  Place place(both());
  RawClient raw(certificates_, {});
  const auto socket = place.plainly();
  const auto server = place.accept();
  std::thread connecting([&] { (void)raw.connect(socket->handle()); });
  ASSERT_TRUE(shake(*server));
  connecting.join();
  bool ended = false;
  for (int round = 0; round < 20000 && !ended; ++round) {
    ASSERT_EQ(SSL_key_update(raw.ssl(), SSL_KEY_UPDATE_REQUESTED), 1);
    ASSERT_EQ(SSL_do_handshake(raw.ssl()), 1);
    base::Bytes room(100);
    const auto got = server->receive(room, Deadline::now());
    ended = !got && got.error().code != Code::would_block;
  }
  EXPECT_TRUE(ended) << "its answers are kept as long as nothing is sent";
  server->shutdown();
}

TEST_F(TlsForeignPeers, ShakeHandsOnceWithAServer) {
  Place place(both());
  RawClient raw(certificates_, {});
  SSL_CTX_set_max_proto_version(raw.context(), TLS1_2_VERSION);
  const auto socket = place.plainly();
  const auto server = place.accept();
  bool connected = false;
  std::thread connecting([&] { connected = raw.connect(socket->handle()); });
  ASSERT_TRUE(shake(*server));
  connecting.join();
  ASSERT_TRUE(connected);
  ASSERT_EQ(SSL_renegotiate(raw.ssl()), 1);
  std::atomic<bool> over{false};
  bool again = true;
  std::thread asking([&] {
    again = SSL_do_handshake(raw.ssl()) == 1;
    over = true;
  });
  base::Bytes room(100);
  while (!over) {
    (void)server->receive(room, Deadline::after(std::chrono::milliseconds(5)));
    (void)say(*server, "");  // but for what it has to say by itself
  }
  asking.join();
  EXPECT_FALSE(again);
}

TEST_F(TlsForeignPeers, ShakeHandsOnceWithAClient) {
  const auto tcp = transport::make_tcp();
  const auto acceptor = *tcp->listen(**tcp->parse("127.0.0.1:0"), {});
  const auto factory = transport::make_tls(tcp, {both()});
  const auto there = factory->parse(acceptor->endpoints().front()->text().substr(6));
  auto connecting = std::async(
      std::launch::async, [&] { return factory->make_connector()->connect(**there, {}, Deadline::after(kPatience)); });
  ASSERT_TRUE(ipc::wait_ready(acceptor->handle(), ipc::Ready::readable, Deadline::after(kPatience), base::Stage::wait));
  const auto peer = *acceptor->accept();
  const std::string file = certificates_.issue("raw");
  SSL_CTX* context = SSL_CTX_new(TLS_server_method());
  SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION);
  EXPECT_EQ(SSL_CTX_use_certificate_chain_file(context, file.c_str()), 1);
  EXPECT_EQ(SSL_CTX_use_PrivateKey_file(context, file.c_str(), SSL_FILETYPE_PEM), 1);
  SSL* ssl = SSL_new(context);
  SSL_set_fd(ssl, peer->handle());
  SSL_set_accept_state(ssl);
  int shaken = -1;
  do {
    shaken = SSL_do_handshake(ssl);
  } while (shaken != 1 && SSL_get_error(ssl, shaken) == SSL_ERROR_WANT_READ &&
           ipc::wait_ready(peer->handle(), ipc::Ready::readable, Deadline::after(kPatience), base::Stage::receive));
  EXPECT_EQ(shaken, 1);
  const auto client = connecting.get();
  ASSERT_TRUE(client) << base::to_string(client.error());
  ASSERT_EQ(SSL_renegotiate(ssl), 1);
  ASSERT_EQ(SSL_do_handshake(ssl), 1);  // says so, no more
  ASSERT_TRUE(
      ipc::wait_ready((*client)->handle(), ipc::Ready::readable, Deadline::after(kPatience), base::Stage::wait));
  base::Bytes room(100);
  EXPECT_EQ((*client)->receive(room, Deadline::now()).error().code, Code::would_block);
  EXPECT_TRUE(say(**client, "question"));
  EXPECT_TRUE(peer->receive(room, Deadline::after(std::chrono::seconds(5))));
  EXPECT_NE(room[0], 22) << "nothing of a hand-shake";
  SSL_free(ssl);
  SSL_CTX_free(context);
}

}  // namespace
}  // namespace corbel::tls_test
