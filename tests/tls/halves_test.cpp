// SPDX-License-Identifier: Apache-2.0
// Messages that come in parts, and words that the other side does not take at once.
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <fstream>

#include "support.hpp"

namespace corbel::tls_test {
namespace {

using namespace std::chrono_literals;

/// A server of OpenSSL's own in memory: the test carries its octets. What it says beside the conversation is cut into
/// records of 512 octets.
class MemoryServer {
 public:
  explicit MemoryServer(const std::string& certificate) : context_(SSL_CTX_new(TLS_server_method())) {
    EXPECT_EQ(SSL_CTX_use_certificate_chain_file(context_, certificate.c_str()), 1);
    EXPECT_EQ(SSL_CTX_use_PrivateKey_file(context_, certificate.c_str(), SSL_FILETYPE_PEM), 1);
    SSL_CTX_set_max_send_fragment(context_, 512);
    SSL_CTX_set_num_tickets(context_, 0);
    SSL_CTX_set_session_ticket_cb(context_, &enlarge, nullptr, nullptr);
    ssl_ = SSL_new(context_);
    SSL_set_bio(ssl_, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_accept_state(ssl_);
  }
  ~MemoryServer() {
    SSL_free(ssl_);
    SSL_CTX_free(context_);
  }
  MemoryServer(const MemoryServer&) = delete;
  MemoryServer& operator=(const MemoryServer&) = delete;

  bool shake(Transport& socket) {
    while (SSL_do_handshake(ssl_) != 1) {
      if (!say(socket, output()) || !feed(socket)) return false;
    }
    return say(socket, output()).ok();
  }
  /// The octets of a ticket, in several records.
  std::string ticket() {
    EXPECT_EQ(SSL_new_session_ticket(ssl_), 1);
    EXPECT_EQ(SSL_do_handshake(ssl_), 1);
    return output();
  }
  std::string cipher(const std::string& text) {
    EXPECT_EQ(SSL_write(ssl_, text.data(), static_cast<int>(text.size())), static_cast<int>(text.size()));
    return output();
  }
  std::string hear(Transport& socket, std::size_t size) {
    std::string text;
    while (text.size() < size) {
      std::array<char, 100> room;
      const int count = SSL_read(ssl_, room.data(), static_cast<int>(room.size()));
      if (count > 0) {
        text.append(room.data(), static_cast<std::size_t>(count));
      } else if (!feed(socket)) {
        return "(the end)";
      }
    }
    return text;
  }

 private:
  static int enlarge(SSL* ssl, void*) {
    const std::string filling(1000, 'x');
    return SSL_SESSION_set1_ticket_appdata(SSL_get_session(ssl), filling.data(), filling.size());
  }
  std::string output() {
    std::string octets(BIO_ctrl_pending(SSL_get_wbio(ssl_)), '\0');
    if (!octets.empty()) BIO_read(SSL_get_wbio(ssl_), octets.data(), static_cast<int>(octets.size()));
    return octets;
  }
  bool feed(Transport& socket) {
    base::Bytes room(70000);
    const auto count = socket.receive(room, Deadline::after(kPatience));
    return count && BIO_write(SSL_get_rbio(ssl_), room.data(), static_cast<int>(*count)) > 0;
  }

  SSL_CTX* context_;
  SSL* ssl_ = nullptr;
};

class TlsHalves : public testing::Test {
 protected:
  Security both() { return certificates_.security(certificates_.issue("both")); }

  /// Lets a client meet a server in memory.
  void meet() {
    const auto tcp = transport::make_tcp();
    const auto acceptor = *tcp->listen(**tcp->parse("127.0.0.1:0"), {});
    const auto factory = transport::make_tls(tcp, {both(), &logged_.log});
    const auto there = *factory->parse(acceptor->endpoints().front()->text().substr(6));
    std::thread connecting([&] {
      auto connected = factory->make_connector()->connect(*there, {}, Deadline::after(kPatience));
      ASSERT_TRUE(connected) << base::to_string(connected.error());
      client_ = *std::move(connected);
    });
    ASSERT_TRUE(
        ipc::wait_ready(acceptor->handle(), ipc::Ready::readable, Deadline::after(kPatience), base::Stage::accept));
    socket_ = *acceptor->accept();
    raw_ = std::make_unique<MemoryServer>(certificates_.issue("raw"));
    EXPECT_TRUE(raw_->shake(*socket_));
    connecting.join();
  }
  /// The client looks at what has come, and at no more.
  void let_client_look() {
    ASSERT_TRUE(
        ipc::wait_ready(client_->handle(), ipc::Ready::readable, Deadline::after(kPatience), base::Stage::wait));
    base::Bytes room(100);
    EXPECT_EQ(client_->receive(room, Deadline::now()).error().code, Code::would_block);
  }

  Certificates certificates_;
  Logged logged_;
  std::unique_ptr<MemoryServer> raw_;
  std::unique_ptr<Transport> client_, socket_;
};

TEST_F(TlsHalves, WhoSendsWhileATicketHasComeInPartTakesTheRestAndNoMore) {
  meet();
  std::string ticket = raw_->ticket();
  ASSERT_GT(ticket.size(), 1024U) << "several records";
  for (std::size_t cut = 1; cut < ticket.size(); ++cut) {
    ASSERT_TRUE(say(*socket_, ticket.substr(0, cut)));
    let_client_look();
    base::Result<std::size_t> said = 0U;
    std::thread saying([&] { said = say(*client_, "question"); });
    const bool passed = say(*socket_, ticket.substr(cut) + raw_->cipher("answer")).ok();
    saying.join();
    ASSERT_TRUE(passed && said) << "cut at " << cut << ": " << base::to_string(said.error());
    ASSERT_EQ(raw_->hear(*socket_, 8), "question");
    // The sender leaves it to the handle, by which a reactor learns of it.
    ASSERT_TRUE(
        ipc::wait_ready(client_->handle(), ipc::Ready::readable, Deadline::after(kPatience), base::Stage::wait));
    ASSERT_EQ(hear(*client_, 6), "answer");
    ticket = raw_->ticket();
  }
}

TEST_F(TlsHalves, WhoSendsWhileAnotherReceivesWaitsForItToBringTheRest) {
  meet();
  std::string ticket = raw_->ticket();
  for (std::size_t cut = 1; cut < ticket.size(); cut += 7) {
    std::string heard;
    std::thread hearing([&] { heard = hear(*client_, 6); });
    ASSERT_TRUE(say(*socket_, ticket.substr(0, cut)));
    while (ipc::wait_ready(client_->handle(), ipc::Ready::readable, Deadline::now(), base::Stage::wait)) {
      std::this_thread::yield();
    }
    base::Result<std::size_t> said = 0U;
    std::thread saying([&] { said = say(*client_, "question"); });
    const bool passed = say(*socket_, ticket.substr(cut)).ok();
    saying.join();
    EXPECT_TRUE(passed && said) << "cut at " << cut << ": " << base::to_string(said.error());
    EXPECT_TRUE(say(*socket_, raw_->cipher("answer")));
    hearing.join();
    ASSERT_EQ(heard, "answer");
    ASSERT_EQ(raw_->hear(*socket_, 8), "question");
    ticket = raw_->ticket();
  }
}

TEST_F(TlsHalves, WhoReceivesWhileASenderTakesTheRestWaitsForItsTurn) {
  meet();
  std::string ticket = raw_->ticket();
  for (std::size_t cut = 600; cut < ticket.size(); cut += 11) {
    ASSERT_TRUE(say(*socket_, ticket.substr(0, cut)));
    let_client_look();
    base::Result<std::size_t> said = 0U;
    std::string heard;
    std::thread saying([&] { said = say(*client_, "question"); });
    std::thread hearing([&] { heard = hear(*client_, 6); });
    const bool passed = say(*socket_, ticket.substr(cut) + raw_->cipher("answer")).ok();
    saying.join();
    hearing.join();
    ASSERT_TRUE(passed && said) << "cut at " << cut << ": " << base::to_string(said.error());
    ASSERT_EQ(heard, "answer");
    ASSERT_EQ(raw_->hear(*socket_, 8), "question");
    ticket = raw_->ticket();
  }
}

TEST_F(TlsHalves, APeerThatNeverSendsTheRestHoldsNoSenderForLong) {
  for (const bool receives : {false, true}) {
    meet();
    const std::string ticket = raw_->ticket();
    ASSERT_TRUE(say(*socket_, ticket.substr(0, ticket.size() - 1)));
    let_client_look();
    std::thread hearing;
    if (receives) hearing = std::thread([&] { EXPECT_EQ(end_of(*client_).code, Code::lost); });
    const auto said = say(*client_, "question");
    ASSERT_FALSE(said);
    EXPECT_EQ(said.error(), base::error(base::Stage::send, Code::lost));
    EXPECT_NE(logged_.kept->wait_for("TLS refused").value("why").find("has come in part"), std::string::npos);
    client_->shutdown();
    if (receives) hearing.join();
  }
}

TEST_F(TlsHalves, WhoDoesNotWaitIsToldToComeBackWithTheRest) {
  meet();
  const cdr::Segment question{"question", 8};
  std::string ticket = raw_->ticket();
  for (std::size_t cut = 600; cut < ticket.size(); cut += 11) {
    ASSERT_TRUE(say(*socket_, ticket.substr(0, cut)));
    let_client_look();
    for (int tries = 0; tries < 3; ++tries) {
      EXPECT_EQ(client_->send({&question, 1}, Deadline::now()).error().code, Code::would_block);
      EXPECT_EQ(client_->send_some({&question, 1}, Deadline::after(1ms)).error().code, Code::timed_out);
    }
    EXPECT_TRUE(client_->wants_input());
    ASSERT_TRUE(say(*socket_, ticket.substr(cut) + raw_->cipher("answer")));
    base::Result<std::size_t> sent = 0U;
    do {
      ASSERT_TRUE(
          ipc::wait_ready(client_->handle(), ipc::Ready::readable, Deadline::after(kPatience), base::Stage::wait));
      sent = client_->send({&question, 1}, Deadline::now());
    } while (!sent && sent.error().code == Code::would_block);
    ASSERT_TRUE(sent) << "cut at " << cut << ": " << base::to_string(sent.error());
    EXPECT_FALSE(client_->wants_input());
    ASSERT_EQ(raw_->hear(*socket_, 8), "question");
    ASSERT_EQ(hear(*client_, 6), "answer");
    ticket = raw_->ticket();
  }
}

// --- words that the other side does not take at once ---

/// The certificate in `file`, and behind it others that are of no use, but all come along.
std::string with_long_chain(Certificates& certificates, const std::string& file) {
  std::string names;
  for (int i = 0; i < 60; ++i) names += (i == 0 ? "" : ",") + std::string("DNS:") + std::string(50, 'n') + ".example";
  std::ofstream all(file, std::ios::app);
  for (int i = 0; i < 22; ++i) {
    std::ifstream one(certificates.issue("filling", {.names = names}));
    all << one.rdbuf();
  }
  return file;
}

TEST_F(TlsHalves, AFlightLargerThanTheSendBufferGetsThrough) {
  const std::string file = with_long_chain(certificates_, certificates_.issue("both"));
  for (const bool young : {true, false}) {
    Security security = certificates_.security(file);
    security.verify_clients = VerifyClients::required;
    if (!young) security.ciphers = "ECDHE-ECDSA-AES128-GCM-SHA256";
    transport::Options options;
    options.send_buffer = options.receive_buffer = 4096;
    Place place(security, "127.0.0.1:0", options);
    const auto factory = transport::make_tls(transport::make_tcp(), {security, &place.client_log.log});
    const auto connector = factory->make_connector();
    const Meeting meeting = place.meet(*connector, nullptr, options);
    ASSERT_NE(meeting.client, nullptr) << base::to_string(meeting.client_error);
    ASSERT_EQ(meeting.server_error, base::Error());
    EXPECT_EQ(meeting.server->identity().subject, "CN=server,O=Corbel");
    ASSERT_TRUE(say(*meeting.server, "welcome"));
    EXPECT_EQ(hear(*meeting.client, 7), "welcome");
  }
}

/// What a client says first.
std::string client_hello() {
  SSL_CTX* context = SSL_CTX_new(TLS_client_method());
  SSL* ssl = SSL_new(context);
  SSL_set_bio(ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  EXPECT_NE(SSL_connect(ssl), 1);
  std::string hello(BIO_ctrl_pending(SSL_get_wbio(ssl)), '\0');
  BIO_read(SSL_get_wbio(ssl), hello.data(), static_cast<int>(hello.size()));
  SSL_free(ssl);
  SSL_CTX_free(context);
  return hello;
}

TEST_F(TlsHalves, AHandshakeThatIsNotReadSaysThatItWantsRoom) {
  transport::Options little;
  little.send_buffer = 4096;
  Place place(certificates_.security(with_long_chain(certificates_, certificates_.issue("both"))), "127.0.0.1:0",
              little);
  // A hello, which the client says and then reads no answer.
  const auto tcp = transport::make_tcp();
  transport::ConnectionOptions small;
  small.receive_buffer = 4096;
  const auto socket = *tcp->make_connector()->connect(**tcp->parse(place.endpoint()->text().substr(6)), small,
                                                      Deadline::after(kPatience));
  const auto server = place.accept();
  EXPECT_EQ(server->handshake(Deadline::now()).error().code, Code::would_block);
  EXPECT_FALSE(server->wants_room()) << "it has nothing to say yet";
  ASSERT_TRUE(say(*socket, client_hello()));
  ASSERT_TRUE(ipc::wait_ready(server->handle(), ipc::Ready::readable, Deadline::after(kPatience), base::Stage::wait));
  EXPECT_EQ(server->handshake(Deadline::now()).error().code, Code::would_block);
  EXPECT_TRUE(server->wants_room());
  EXPECT_EQ(server->handshake(Deadline::now()).error().code, Code::would_block) << "again, without harm";
  EXPECT_EQ(server->handshake(Deadline::after(std::chrono::milliseconds(20))).error().code, Code::timed_out);
}

TEST_F(TlsHalves, WhoHasLeftBeforeItIsAnsweredCostsNoWork) {
  const Place place(both());
  for (const bool leaves : {false, true}) {
    const auto socket = place.plainly();
    const auto server = place.accept();
    ASSERT_TRUE(say(*socket, client_hello()));
    if (leaves) {
      ASSERT_EQ(::shutdown(socket->handle(), SHUT_WR), 0);
    }
    pollfd all{server->handle(), static_cast<short>(leaves ? POLLRDHUP : POLLIN), 0};
    ASSERT_EQ(::poll(&all, 1, 20000), 1);
    EXPECT_EQ(server->handshake(Deadline::now()).error().code, leaves ? Code::closed : Code::would_block);
    server->shutdown();
    base::Octet room[16];
    const auto heard = socket->receive(room, Deadline::after(kPatience));
    EXPECT_EQ(heard.ok(), !leaves) << "the server's hello, which a signature is made for";
  }
}

// Who sends may offer less the next time, or more: messages that wait are dropped, and others come behind them.
TEST_F(TlsHalves, WhatASocketTakesInPartIsTheBeginningOfWhateverIsOfferedNext) {
  const Place place(both());
  const auto factory = transport::make_tls(transport::make_tcp(), {both(), &logged_.log});
  transport::ConnectionOptions small;
  small.send_buffer = small.receive_buffer = 4096;
  const auto meeting = place.meet(*factory->make_connector(), nullptr, small);
  ASSERT_NE(meeting.client, nullptr);
  std::string all(2'000'000, ' ');
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<char>('a' + (i * 2654435761U >> 13U) % 26);
  std::string heard;
  std::thread hearing([&] { heard = hear(*meeting.server, all.size()); });
  std::size_t in_part = 0;
  for (std::size_t gone = 0, turn = 0; gone < all.size(); ++turn) {
    const std::size_t offered =
        std::min(all.size() - gone, std::array<std::size_t, 5>{40'000, 12, 3000, 300, 20'000}[turn % 5]);
    const cdr::Segment pieces[] = {{all.data() + gone, offered / 3},
                                   {all.data() + gone + offered / 3, offered - offered / 3}};
    const auto taken = meeting.client->send_some(pieces, Deadline::now());
    if (!taken) {
      ASSERT_EQ(taken.error().code, Code::would_block);
      std::this_thread::yield();
      continue;
    }
    ASSERT_LE(*taken, offered);
    in_part += *taken < offered ? 1 : 0;
    gone += *taken;
  }
  hearing.join();
  EXPECT_TRUE(heard == all);
  EXPECT_GT(in_part, 0U);
}

}  // namespace
}  // namespace corbel::tls_test
