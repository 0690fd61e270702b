// SPDX-License-Identifier: Apache-2.0
// Octets on their way: peers that are not what they should be, and conversations that go on.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "corbel/transport/unix/unix.hpp"
#include "support.hpp"

namespace corbel::tls_test {
namespace {

class TlsCarrier : public testing::Test {
 protected:
  Security both() { return certificates_.security(certificates_.issue("both")); }
  std::unique_ptr<transport::Connector> connector(const Security& security, const Logged& logged) {
    return transport::make_tls(transport::make_tcp(), {security, &logged.log})->make_connector();
  }

  Certificates certificates_;
};

TEST_F(TlsCarrier, WhoSpeaksNoTlsIsToldOfAndShutOut) {
  const Security security = both();
  struct Case {
    std::string octets;
    Code code;
  };
  for (const auto& [octets, code] :
       {Case{std::string("GIOP\1\2\1\0\0\0\0\0", 12), Code::not_secure}, Case{"GET / HTTP/1.1\r\n", Code::not_secure},
        Case{"G", Code::not_secure}, Case{std::string("\x16\x02\x01\x00\x05hello", 10), Code::not_secure},
        Case{std::string("\x16\x03\x01\x00\x05hello", 10), Code::lost},
        Case{std::string("\x16\x03\x01\xff\xff", 5), Code::lost},
        Case{std::string("\x17\x03\x03\x00\x00", 5), Code::lost},
        Case{std::string("\x15\x03\x03\x00\x02\x02\x28", 7), Code::lost}}) {
    SCOPED_TRACE(octets);
    Place place(security);
    const auto client = place.plainly();
    const auto server = place.accept();
    ASSERT_TRUE(say(*client, octets));
    const auto shaken = shake(*server);
    ASSERT_FALSE(shaken);
    EXPECT_EQ(shaken.error().code, code) << base::to_string(shaken.error());
    EXPECT_EQ(place.server_log.kept->count("TLS refused"), 1U);
  }
}

TEST_F(TlsCarrier, IsKeptAliveAsTcpIs) {
  transport::Options options;
  options.keep_alive_time = std::chrono::seconds(45);
  const Security security = both();
  const Place place(security, "127.0.0.1:0", options);
  const auto met = place.meet(*connector(security, place.client_log), nullptr, options);
  ASSERT_NE(met.client, nullptr);
  for (const int handle : {met.client->handle(), met.server->handle()}) {
    int idle = 0;
    socklen_t size = sizeof idle;
    ASSERT_EQ(::getsockopt(handle, IPPROTO_TCP, TCP_KEEPIDLE, &idle, &size), 0);
    EXPECT_EQ(idle, 45);
  }
}

TEST_F(TlsCarrier, AServerThatSpeaksNoTlsIsNotSecure) {
  const auto tcp = transport::make_tcp();
  const auto acceptor = *tcp->listen(**tcp->parse("127.0.0.1:0"), {});
  std::thread serving([&] {
    ASSERT_TRUE(
        ipc::wait_ready(acceptor->handle(), ipc::Ready::readable, Deadline::after(kPatience), base::Stage::accept));
    const auto peer = *acceptor->accept();
    EXPECT_TRUE(say(*peer, std::string("GIOP\1\0\1\6\0\0\0\0", 12)));
    (void)end_of(*peer);
  });
  Logged logged;
  const auto factory = transport::make_tls(tcp, {both(), &logged.log});
  const auto there = factory->parse(acceptor->endpoints().front()->text().substr(6));
  const auto connected = factory->make_connector()->connect(**there, {}, Deadline::after(kPatience));
  serving.join();
  ASSERT_FALSE(connected);
  EXPECT_EQ(connected.error(), base::error(base::Stage::connect, Code::not_secure));
  EXPECT_NE(logged.kept->wait_for("TLS refused").value("octets").find("0x47494f50"), std::string::npos);
}

TEST_F(TlsCarrier, ASilentPeerIsWaitedForWithoutAThread) {
  Place place(both());
  const auto client = place.plainly();
  const auto server = place.accept();
  EXPECT_EQ(server->handshake(Deadline::now()).error().code, Code::would_block);
  ASSERT_TRUE(say(*client, "\x16"));  // one octet does not make a hand-shake
  ASSERT_TRUE(ipc::wait_ready(server->handle(), ipc::Ready::readable, Deadline::after(kPatience), base::Stage::wait));
  EXPECT_EQ(server->handshake(Deadline::now()).error().code, Code::would_block);
  client->shutdown();
  EXPECT_EQ(shake(*server).error().code, Code::lost) << "the end inside a record";
}

TEST_F(TlsCarrier, ShutdownEndsAHandshake) {
  Place place(both());
  const auto client = place.plainly();
  const auto server = place.accept();
  std::thread shaking([&] { EXPECT_FALSE(server->handshake(Deadline::none())); });
  server->shutdown();
  shaking.join();
}

/// What goes from a client to a server through this test, which may cut or change it.
class Between {
 public:
  explicit Between(Place& place, const Security& security) : place_(place) {
    const auto tcp = transport::make_tcp();
    acceptor_ = *tcp->listen(**tcp->parse("127.0.0.1:0"), {});
    factory_ = transport::make_tls(tcp, {security, &place.client_log.log});
    const auto there = *factory_->parse(acceptor_->endpoints().front()->text().substr(6));
    std::thread connecting([&] {
      auto connected = factory_->make_connector()->connect(*there, {}, Deadline::after(kPatience));
      EXPECT_TRUE(connected) << base::to_string(connected.error());
      if (connected) client = *std::move(connected);
    });
    EXPECT_TRUE(
        ipc::wait_ready(acceptor_->handle(), ipc::Ready::readable, Deadline::after(kPatience), base::Stage::accept));
    from_client = *acceptor_->accept();
    auto connected = tcp->make_connector()->connect(**tcp->parse(place.endpoint()->text().substr(6)), {},
                                                    Deadline::after(kPatience));
    to_server = *std::move(connected);
    server = place.accept();
    while (!server->handshake(Deadline::now())) {
      pass(*from_client, *to_server);
      pass(*to_server, *from_client);
    }
    pass(*to_server, *from_client);
    connecting.join();
  }
  static void pass(Transport& from, Transport& to) {
    base::Bytes room(70000);
    const auto count = from.receive(room, Deadline::after(std::chrono::milliseconds(1)));
    if (!count) return;
    EXPECT_TRUE(say(to, std::string(base::as_text(base::ByteSpan(room).first(*count)))));
  }

  /// The record that these words of the client's become; it has not gone on to the server.
  std::string record_of(const std::string& words) {
    base::Bytes room(1000);
    EXPECT_TRUE(say(*client, words));
    const auto count = from_client->receive(room, Deadline::after(kPatience));
    EXPECT_TRUE(count);
    return count ? std::string(base::as_text(base::ByteSpan(room).first(*count))) : std::string("-");
  }

  std::unique_ptr<Transport> client, from_client, to_server, server;

 private:
  Place& place_;
  std::shared_ptr<const transport::Factory> factory_;
  std::unique_ptr<transport::Acceptor> acceptor_;
};

TEST_F(TlsCarrier, WhatWasChangedOnTheWayEndsTheConversation) {
  const Security security = both();
  Place place(security);
  Between between(place, security);
  std::string record = between.record_of("transfer 100");
  record.back() = static_cast<char>(record.back() ^ 1);
  ASSERT_TRUE(say(*between.to_server, record));
  EXPECT_EQ(end_of(*between.server).code, Code::lost);
  EXPECT_NE(place.server_log.kept->wait_for("TLS refused").value("why").find("bad record mac"), std::string::npos);
}

TEST_F(TlsCarrier, WhatIsSaidTwiceIsNotHeardTwice) {
  const Security security = both();
  Place place(security);
  Between between(place, security);
  const std::string record = between.record_of("transfer 100");
  ASSERT_TRUE(say(*between.to_server, record + record));
  EXPECT_EQ(hear(*between.server, 12), "transfer 100");
  EXPECT_EQ(end_of(*between.server).code, Code::lost);
}

TEST_F(TlsCarrier, TheEndInsideARecordIsALoss) {
  const Security security = both();
  Place place(security);
  Between between(place, security);
  std::string record = between.record_of("transfer 100");
  record.pop_back();
  ASSERT_TRUE(say(*between.to_server, record));
  between.to_server->shutdown();
  EXPECT_EQ(end_of(*between.server).code, Code::lost);
}

TEST_F(TlsCarrier, AnEndWithoutAWordIsAnEndAsManyPeersMakeIt) {
  const Security security = both();
  Place place(security);
  Between between(place, security);
  between.to_server->shutdown();
  EXPECT_EQ(end_of(*between.server).code, Code::closed);
}

TEST_F(TlsCarrier, APeerThatSaysItsEndAndStaysIsAtItsEnd) {
  const Security security = both();
  Place place(security);
  const Meeting meeting = place.meet(security);
  ASSERT_NE(meeting.client, nullptr);
  meeting.client->shutdown();
  EXPECT_EQ(end_of(*meeting.server).code, Code::closed);
  EXPECT_EQ(end_of(*meeting.server).code, Code::closed) << "again";
}

TEST_F(TlsCarrier, TheNextConversationGoesOnWithTheFirst) {
  const Security security = both();
  for (const bool young : {true, false}) {
    Security client = security;
    if (!young) client.ciphers = "ECDHE-ECDSA-AES128-GCM-SHA256";
    Place place(security);
    const auto connecting = connector(client, place.client_log);
    for (int round = 0; round < 3; ++round) {
      place.client_log.kept->clear();
      const Meeting meeting = place.meet(*connecting);
      ASSERT_NE(meeting.client, nullptr) << base::to_string(meeting.client_error);
      const auto entry = place.client_log.kept->wait_for("TLS established");
      EXPECT_EQ(entry.value("version"), young ? "TLSv1.3" : "TLSv1.2");
      EXPECT_EQ(entry.value("resumed"), round == 0 ? "false" : "true");
      EXPECT_EQ(meeting.server->identity().subject, "CN=server,O=Corbel") << "also of one that was resumed";
      // The ticket comes with the first words of the server.
      ASSERT_TRUE(say(*meeting.server, "welcome"));
      EXPECT_EQ(hear(*meeting.client, 7), "welcome");
    }
  }
}

TEST_F(TlsCarrier, AConversationIsNotGoneOnWithAfterTheCertificatesHaveChanged) {
  const std::string server = certificates_.issue("server");
  Place place(certificates_.security(server));
  const auto connecting = connector(both(), place.client_log);
  const auto talk = [&](const char* resumed) {
    place.client_log.kept->clear();
    const Meeting meeting = place.meet(*connecting);
    ASSERT_NE(meeting.client, nullptr) << base::to_string(meeting.client_error);
    EXPECT_EQ(place.client_log.kept->wait_for("TLS established").value("resumed"), resumed);
    ASSERT_TRUE(say(*meeting.server, "welcome"));
    EXPECT_EQ(hear(*meeting.client, 7), "welcome");
  };
  talk("false");
  talk("true");
  certificates_.issue("server", {.common_name = "another"});
  talk("false");
  talk("true");
}

TEST_F(TlsCarrier, CertificatesAreReadAgainWhenTheyChange) {
  const std::string server = certificates_.issue("server", {.common_name = "old"});
  const Security client = both();
  Place place(certificates_.security(server));
  EXPECT_EQ(place.meet(client).client->identity().subject, "CN=old,O=Corbel");
  certificates_.issue("server", {.common_name = "new one"});
  EXPECT_EQ(place.meet(client).client->identity().subject, "CN=new one,O=Corbel");
  EXPECT_EQ(place.server_log.kept->count("TLS settings read again"), 1U);
  std::ofstream(server) << "rubbish\n";
  EXPECT_EQ(place.meet(client).client->identity().subject, "CN=new one,O=Corbel") << "those before are kept";
  EXPECT_EQ(place.meet(client).client->identity().subject, "CN=new one,O=Corbel");
  EXPECT_EQ(place.server_log.kept->count("TLS settings cannot be used"), 1U) << "told once";
  certificates_.issue("server", {.common_name = "a newer one"});
  EXPECT_EQ(place.meet(client).client->identity().subject, "CN=a newer one,O=Corbel");
}

TEST_F(TlsCarrier, SettingsThatCouldNotBeReadAreTriedAgainThoughTheFilesAreTheSame) {
  const Security security = both();
  const std::string authority = certificates_.authority();
  const auto time = std::filesystem::last_write_time(authority);
  std::string good(std::filesystem::file_size(authority), ' ');
  std::ifstream(authority).read(good.data(), static_cast<std::streamsize>(good.size()));
  const auto write = [&](const std::string& text) {
    std::ofstream(authority) << text;
    std::filesystem::last_write_time(authority, time);
  };
  Place place(security);
  write(std::string(good.size(), 'x'));
  const auto connecting = connector(security, place.client_log);
  write(good);
  std::thread serving([&] { EXPECT_TRUE(shake(*place.accept())); });
  const Deadline end = Deadline::after(kPatience);
  auto connected = connecting->connect(*place.endpoint(), {}, end);
  while (!connected && connected.error().code == Code::bad_security_settings && !end.expired()) {
    connected = connecting->connect(*place.endpoint(), {}, end);
  }
  serving.join();
  EXPECT_TRUE(connected) << base::to_string(connected.error());
  EXPECT_EQ(place.client_log.kept->count("TLS settings cannot be used"), 1U);
}

TEST_F(TlsCarrier, ARevocationThatComesLaterShutsOut) {
  Security server = both();
  const Security client = certificates_.security(certificates_.issue("client"));
  server.revocations = certificates_.revocations();
  Place place(server);
  const auto connecting = connector(client, place.client_log);
  const Meeting before = place.meet(*connecting);
  ASSERT_NE(before.client, nullptr);
  ASSERT_TRUE(say(*before.server, "welcome"));
  EXPECT_EQ(hear(*before.client, 7), "welcome") << "and with it a ticket";
  certificates_.revoke_last();
  certificates_.revocations();
  EXPECT_EQ(place.meet(*connecting).server_error.code, Code::certificate_revoked);
}

TEST_F(TlsCarrier, WorksOverAnyStream) {
  const Security security = both();
  const auto factory = transport::make_tls(transport::make_unix(), {security});
  const auto acceptor = *factory->listen(**factory->parse(certificates_.file("socket")), {});
  std::unique_ptr<Transport> client;
  std::thread connecting([&] {
    auto connected = factory->make_connector()->connect(*acceptor->endpoints().front(), {}, Deadline::after(kPatience));
    if (connected) client = *std::move(connected);
  });
  ASSERT_TRUE(ipc::wait_ready(acceptor->handle(), ipc::Ready::readable, Deadline::after(kPatience), base::Stage::wait));
  const auto server = *acceptor->accept();
  EXPECT_TRUE(shake(*server));
  connecting.join();
  ASSERT_NE(client, nullptr);
  EXPECT_EQ(server->identity().subject, "CN=server,O=Corbel");
  EXPECT_TRUE(server->identity().process) << "what the socket knows is known, too";
}

TEST_F(TlsCarrier, RandomOctetsInPlaceOfAHandshakeDoNoHarm) {
  const Security security = both();
  Place place(security);
  std::uint32_t state = 1;
  for (int round = 0; round < 200; ++round) {
    const auto client = place.plainly();
    const auto server = place.accept();
    std::string octets = round % 2 == 0 ? std::string("\x16\x03\x01\x00\x40", 5) : std::string();
    for (int i = 0; i < 64; ++i) octets += static_cast<char>((state = state * 1664525U + 1013904223U) >> 24);
    ASSERT_TRUE(say(*client, octets));
    client->shutdown();
    EXPECT_FALSE(shake(*server));
  }
}

}  // namespace
}  // namespace corbel::tls_test
