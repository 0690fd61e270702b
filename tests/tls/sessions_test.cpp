// SPDX-License-Identifier: Apache-2.0
// What is kept of a conversation for the next one, and when it is not gone on with.
#include "corbel/transport/tls_openssl/resumption.hpp"
#include "support.hpp"

namespace corbel::tls_test {
namespace {

class TlsSessions : public testing::Test {
 protected:
  Security both() { return certificates_.security(certificates_.issue("both")); }
  static std::unique_ptr<transport::Connector> connector(const Security& security, const Logged& logged) {
    return transport::make_tls(transport::make_tcp(), {security, &logged.log})->make_connector();
  }
  /// A conversation in which the server says something, and with that gives a ticket; or does not.
  static Meeting talk(Place& place, transport::Connector& connecting, const std::string& resumed, bool speaks = true) {
    place.client_log.kept->clear();
    Meeting meeting = place.meet(connecting);
    EXPECT_NE(meeting.client, nullptr) << base::to_string(meeting.client_error);
    if (meeting.client == nullptr) return meeting;
    EXPECT_EQ(place.client_log.kept->wait_for("TLS established").value("resumed"), resumed);
    if (!speaks) return meeting;
    EXPECT_TRUE(say(*meeting.server, "welcome"));
    EXPECT_EQ(hear(*meeting.client, 7), "welcome");
    return meeting;
  }

  Certificates certificates_;
};

// A listener would see that it is the same client.
TEST_F(TlsSessions, ATicketIsShownOnce) {
  const Security security = both();
  Place place(security);
  const auto connecting = connector(security, place.client_log);
  (void)talk(place, *connecting, "false");
  (void)talk(place, *connecting, "true", false);
  (void)talk(place, *connecting, "false");
}

TEST_F(TlsSessions, AClientWithAnotherCertificateIsNotTakenForWhomItWas) {
  Place place(both());
  const auto settings = [&](const char* name) {
    return certificates_.security(certificates_.issue("client", {.common_name = name}));
  };
  const auto connecting = connector(settings("alice"), place.client_log);
  (void)talk(place, *connecting, "false");
  EXPECT_EQ(talk(place, *connecting, "true").server->identity().subject, "CN=alice,O=Corbel");
  (void)settings("bob");
  EXPECT_EQ(talk(place, *connecting, "false").server->identity().subject, "CN=bob,O=Corbel");
}

// Only the clock can make a certificate expire. One that lives for seconds may be over before the first conversation
// is: then the next lives longer.
TEST_F(TlsSessions, ACertificateThatHasExpiredSinceItWasShownIsNotGoneOnWith) {
  Security client = both();
  client.ciphers = "ECDHE-ECDSA-AES128-GCM-SHA256";  // TLS 1.2, of which a session may be shown again
  for (long lifetime = 2; lifetime < 60; lifetime *= 3) {
    const auto end = std::chrono::system_clock::now() + std::chrono::seconds(lifetime + 1);
    Place place(certificates_.security(certificates_.issue("short", {.until = lifetime})));
    const auto connecting = connector(client, place.client_log);
    const Meeting first = place.meet(*connecting);
    if (first.client == nullptr) continue;
    std::this_thread::sleep_until(end);
    const auto refused = [&] {
      place.client_log.kept->clear();
      EXPECT_EQ(place.meet(*connecting).client_error, base::error(base::Stage::connect, Code::certificate_expired));
      return place.client_log.kept->wait_for("TLS refused").value("why");
    };
    EXPECT_EQ(refused(), "has expired since it was shown");
    EXPECT_EQ(refused(), "certificate has expired") << "what was agreed on then is forgotten";
    return;
  }
  FAIL() << "no conversation within a minute";
}

// RFC 6066, 3: only names may be asked for.
TEST_F(TlsSessions, AServerIsAskedForTheCertificateOfANameAndNeverOfAnAddress) {
  const auto tcp = transport::make_tcp();
  const auto listening = *tcp->listen(**tcp->parse("127.0.0.1:0"), {});
  const std::string there = listening->endpoints().front()->text();
  const Security security = both();
  const Logged logged;
  const auto factory = transport::make_tls(tcp, {security, &logged.log});
  const auto asked = [&](const std::string& host) {
    std::thread connecting([&] {
      const auto endpoint = factory->parse(host + there.substr(there.rfind(':')));
      EXPECT_FALSE(factory->make_connector()->connect(**endpoint, {}, Deadline::after(kPatience)));
    });
    EXPECT_TRUE(
        ipc::wait_ready(listening->handle(), ipc::Ready::readable, Deadline::after(kPatience), base::Stage::wait));
    const auto accepted = *listening->accept();
    std::string hello(100'000, '\0');
    const auto size =
        accepted->receive({reinterpret_cast<base::Octet*>(hello.data()), hello.size()}, Deadline::after(kPatience));
    accepted->shutdown();
    connecting.join();
    EXPECT_TRUE(size);
    return hello.substr(0, size ? *size : 0).find(host) != std::string::npos;
  };
  EXPECT_TRUE(asked("localhost"));
  EXPECT_FALSE(asked("127.0.0.1"));
}

TEST_F(TlsSessions, OfAThousandServersAreKeptAndOfNoMore) {
  transport::tls::Resumption kept;
  const auto make = [] {
    transport::tls::Owned<SSL_SESSION> session(SSL_SESSION_new());
    const unsigned char id = 1;
    EXPECT_EQ(SSL_SESSION_set1_id(session.get(), &id, 1), 1);
    EXPECT_EQ(SSL_SESSION_set_protocol_version(session.get(), TLS1_2_VERSION), 1);
    return session;
  };
  for (int server = 0; server < 1500; ++server) kept.put(std::to_string(server), make());
  int there = 0;
  for (int server = 0; server < 1500; ++server) there += kept.take(std::to_string(server)) != nullptr ? 1 : 0;
  EXPECT_EQ(there, 1000);
}

}  // namespace
}  // namespace corbel::tls_test
