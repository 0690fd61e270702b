// SPDX-License-Identifier: Apache-2.0
// Which peers are let in, and in which words the others are not.
#include <sys/stat.h>

#include <fstream>

#include "support.hpp"

namespace corbel::tls_test {
namespace {

class TlsVerification : public testing::Test {
 protected:
  Security good() { return certificates_.security(certificates_.issue("good")); }
  Security with(const Wanted& wanted) { return certificates_.security(certificates_.issue("other", wanted)); }

  /// A server with a certificate like this is refused by a client.
  void expect_refused_server(const Security& server, const Security& client, Code code, const std::string& why) {
    Place place(server);
    const Meeting meeting = place.meet(client);
    EXPECT_EQ(meeting.client, nullptr);
    EXPECT_EQ(meeting.client_error, base::error(base::Stage::connect, code)) << base::to_string(meeting.client_error);
    const auto entry = place.client_log.kept->wait_for("TLS refused");
    EXPECT_EQ(entry.level, base::LogLevel::warning);
    EXPECT_EQ(entry.value("error"), base::to_string(code));
    EXPECT_NE(entry.value("why").find(why), std::string::npos) << entry.value("why");
    EXPECT_NE(entry.value("peer").find("tls://127.0.0.1:"), std::string::npos);
  }
  /// A client with a certificate like this is refused by a server, and learns so.
  void expect_refused_client(const Security& server, const Security& client, Code code, const std::string& why) {
    Place place(server);
    const Meeting meeting = place.meet(client);
    EXPECT_EQ(meeting.server_error, base::error(base::Stage::receive, code)) << base::to_string(meeting.server_error);
    const auto entry = place.server_log.kept->wait_for("TLS refused");
    EXPECT_EQ(entry.value("error"), base::to_string(code));
    EXPECT_NE(entry.value("why").find(why), std::string::npos) << entry.value("why");
    // With TLS 1.3 the client's part is over before the server has looked.
    const base::Error told = meeting.client == nullptr ? meeting.client_error : end_of(*meeting.client);
    EXPECT_EQ(told.code, Code::certificate_refused) << base::to_string(told);
    EXPECT_EQ(place.client_log.kept->wait_for("TLS refused").value("error"),
              base::to_string(Code::certificate_refused));
  }

  Certificates certificates_;
};

TEST_F(TlsVerification, BothSidesOfOneAuthorityMeetAndKnowEachOther) {
  Place place(certificates_.security(certificates_.issue("server", {.common_name = "server"})));
  const Meeting meeting = place.meet(certificates_.security(certificates_.issue("client", {.common_name = "alice"})));
  ASSERT_NE(meeting.client, nullptr) << base::to_string(meeting.client_error);
  EXPECT_EQ(meeting.client->identity().subject, "CN=server,O=Corbel");
  EXPECT_EQ(meeting.server->identity().subject, "CN=alice,O=Corbel");
  EXPECT_EQ(place.server_log.kept->wait_for("TLS established").value("subject"), "CN=alice,O=Corbel");
  ASSERT_TRUE(say(*meeting.client, "hello"));
  EXPECT_EQ(hear(*meeting.server, 5), "hello");
}

TEST_F(TlsVerification, AnExpiredCertificate) {
  const Wanted old{.from = -7200, .until = -60};
  expect_refused_server(with(old), good(), Code::certificate_expired, "expired");
  expect_refused_client(good(), with(old), Code::certificate_expired, "expired");
}

TEST_F(TlsVerification, ACertificateThatIsNotValidYet) {
  const Wanted future{.from = 3600};
  expect_refused_server(with(future), good(), Code::certificate_not_yet_valid, "not yet valid");
  expect_refused_client(good(), with(future), Code::certificate_not_yet_valid, "not yet valid");
}

TEST_F(TlsVerification, ACertificateOfAnotherName) {
  expect_refused_server(with({.names = "DNS:elsewhere.example"}), good(), Code::certificate_name,
                        "expected 127.0.0.1, it is made out to DNS:elsewhere.example; an address needs");
  Security server = good();
  server.client_names = {"bob", "carol"};
  expect_refused_client(server, with({.common_name = "mallory"}), Code::certificate_name, "expected bob, carol");
}

TEST_F(TlsVerification, ACommonNameIsNoNameOfAHost) {
  expect_refused_server(with({.common_name = "127.0.0.1", .names = ""}), good(), Code::certificate_name,
                        "no alternative name (subject CN=127.0.0.1,O=Corbel)");
  Place place(with({.common_name = "localhost", .names = ""}));
  const auto factory = transport::make_tls(transport::make_tcp(), {good(), &place.client_log.log});
  const std::string text = place.endpoint()->text();
  const auto there = *factory->parse("localhost" + text.substr(text.rfind(':')));
  EXPECT_EQ(place.meet(*factory->make_connector(), there).client_error.code, Code::certificate_name);
}

TEST_F(TlsVerification, NamesThatAreConfiguredTakeThePlaceOfTheHost) {
  Security client = good();
  for (const char* name : {"vault.example", "CN=the vault,O=Corbel", "the vault"}) {
    client.server_names = {"other", name};
    Place place(with({.common_name = "the vault", .names = "DNS:vault.example"}));
    const Meeting meeting = place.meet(client);
    EXPECT_NE(meeting.client, nullptr) << name << ": " << base::to_string(meeting.client_error);
  }
  client.server_names = {"vault.example"};
  expect_refused_server(good(), client, Code::certificate_name, "expected vault.example");
}

TEST_F(TlsVerification, ACommonNameThatReadsLikeASubjectIsNotThatSubject) {
  Security server = good();
  server.client_names = {"CN=alice,O=Corbel"};
  expect_refused_client(server, with({.common_name = "CN=alice,O=Corbel", .names = ""}), Code::certificate_name,
                        "expected CN=alice,O=Corbel");
}

TEST_F(TlsVerification, AClientMayBeChosenByName) {
  Security server = good();
  for (const char* name : {"alice", "CN=alice,O=Corbel", "alice@example.com"}) {
    server.client_names = {name};
    Place place(server);
    const Meeting meeting = place.meet(with({.common_name = "alice", .names = "email:alice@example.com"}));
    EXPECT_NE(meeting.client, nullptr) << base::to_string(meeting.client_error);
    EXPECT_EQ(meeting.server_error.code, Code::none) << name;
  }
}

TEST_F(TlsVerification, AnUnknownAuthority) {
  for (const char* name : {"Test authority", "Another authority"}) {
    Certificates foreign(name);
    const Security stranger = certificates_.security(foreign.issue("stranger"));
    const std::string why = std::string("issuer is CN=") + name;
    expect_refused_server(stranger, good(), Code::certificate_authority, why);
    expect_refused_client(good(), stranger, Code::certificate_authority, why);
  }
}

TEST_F(TlsVerification, ARevokedCertificate) {
  const Security revoked = with({});
  certificates_.revoke_last();
  Security asks = good();
  asks.revocations = certificates_.revocations();
  expect_refused_server(revoked, asks, Code::certificate_revoked, "revoked");
  expect_refused_client(asks, revoked, Code::certificate_revoked, "revoked");
  Place place(good());
  EXPECT_NE(place.meet(asks).client, nullptr) << "another certificate of the same authority";
}

TEST_F(TlsVerification, WhatARevokedAuthorityHasIssued) {
  Security asks = good();
  Certificates below("An authority below", &certificates_);
  const Security shown = below.security(below.issue("shown"));
  asks.revocations = certificates_.file("both.pem");
  for (const bool revoked : {false, true}) {
    if (revoked) certificates_.revoke_last();
    std::ofstream(asks.revocations) << std::ifstream(certificates_.revocations()).rdbuf()
                                    << std::ifstream(below.revocations()).rdbuf();
    if (revoked) {
      expect_refused_server(shown, asks, Code::certificate_revoked, "revoked");
    } else {
      Place place(shown);
      EXPECT_NE(place.meet(asks).client, nullptr);
    }
  }
}

TEST_F(TlsVerification, AListOfRevocationsThatIsOutOfDateSaysNothing) {
  Security asks = good();
  asks.revocations = certificates_.revocations(-60);
  expect_refused_server(good(), asks, Code::revocation_unknown, "expired");
}

TEST_F(TlsVerification, ACertificateWhoseAuthorityHasNoListIsNotTaken) {
  Certificates other("Another authority");
  Security asks = other.security(other.issue("asks"));
  asks.revocations = other.revocations();
  asks.authorities = other.file("both.pem");
  std::ofstream(asks.authorities) << std::ifstream(other.authority()).rdbuf()
                                  << std::ifstream(certificates_.authority()).rdbuf();
  expect_refused_server(good(), asks, Code::revocation_unknown, "CRL");
}

TEST_F(TlsVerification, ACertificateForAnotherPurpose) {
  expect_refused_server(with({.purpose = "clientAuth"}), good(), Code::certificate_purpose, "purpose");
  expect_refused_client(good(), with({.purpose = "serverAuth"}), Code::certificate_purpose, "purpose");
}

TEST_F(TlsVerification, AWeakKeyIsRefusedByItsOwner) {
  const Security weak = with({.rsa_bits = 1024});
  Logged logged;
  const auto factory = transport::make_tls(transport::make_tcp(), {weak, &logged.log});
  const auto opened = factory->listen(**factory->parse("127.0.0.1:0"), {});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error(), base::error(base::Stage::listen, Code::bad_security_settings));
  EXPECT_NE(logged.kept->wait_for("TLS settings cannot be used").value("why").find("key too small"), std::string::npos);
}

TEST_F(TlsVerification, AClientWithoutACertificate) {
  Security nobody = good();
  nobody.certificate.clear();
  expect_refused_client(good(), nobody, Code::certificate_missing, "did not return a certificate");
  for (const VerifyClients verify : {VerifyClients::optional, VerifyClients::off}) {
    Security server = good();
    server.verify_clients = verify;
    Place place(server);
    const Meeting meeting = place.meet(nobody);
    ASSERT_NE(meeting.client, nullptr) << base::to_string(meeting.client_error);
    EXPECT_EQ(meeting.server_error.code, Code::none);
    EXPECT_EQ(meeting.server->identity().subject, "");
  }
}

TEST_F(TlsVerification, AnOptionalCertificateIsChecked) {
  Security server = good();
  server.verify_clients = VerifyClients::optional;
  expect_refused_client(server, with({.until = -60}), Code::certificate_expired, "expired");
}

TEST_F(TlsVerification, AnUncheckedServerHasNoName) {
  Security client = good();
  client.verify_server = false;
  Place place(with({.names = "DNS:elsewhere.example", .until = -60}));
  const Meeting meeting = place.meet(client);
  ASSERT_NE(meeting.client, nullptr) << base::to_string(meeting.client_error);
  EXPECT_EQ(meeting.client->identity().subject, "");
}

TEST_F(TlsVerification, VersionsWithoutOneInCommon) {
  Security old = good();
  old.ciphers = "ECDHE-ECDSA-AES128-GCM-SHA256";  // of TLS 1.2 alone
  Security young = good();
  young.only_tls_1_3 = true;
  for (const auto& [server, client] : {std::pair(old, young), std::pair(young, old)}) {
    Place place(server);
    const Meeting meeting = place.meet(client);
    EXPECT_EQ(meeting.client, nullptr);
    EXPECT_EQ(meeting.client_error.code, Code::no_common_security) << base::to_string(meeting.client_error);
  }
}

TEST_F(TlsVerification, WhatCannotBeUsedIsNamed) {
  std::ofstream(certificates_.file("rubbish.pem")) << "rubbish\n";
  ASSERT_EQ(::mkfifo(certificates_.file("fifo").c_str(), 0600), 0);
  struct Case {
    std::function<void(Security&)> spoil;
    const char* why;
  };
  const std::vector<Case> cases{
      {[](Security& s) { s.certificate.clear(); }, "a server needs a certificate (-ORBTlsCertificate)"},
      {[](Security& s) { s.certificate = "/no/such/file"; }, "certificate '/no/such/file': No such file"},
      {[&](Security& s) { s.certificate = certificates_.file("rubbish.pem"); }, "rubbish.pem': no start line"},
      {[&](Security& s) { s.key = certificates_.issue("another"); }, "another.pem': key values mismatch"},
      {[&](Security& s) { s.key = certificates_.file("fifo"); }, "fifo' is no regular file"},
      {[&](Security& s) { s.certificate = certificates_.file("fifo"); }, "fifo' is no regular file"},
      {[](Security& s) { s.key_password = "/dev/zero"; }, "'/dev/zero' is no regular file"},
      {[&](Security& s) { s.authorities = certificates_.file("fifo"); }, "fifo' is no regular file"},
      {[&](Security& s) { s.revocations = certificates_.file("fifo"); }, "fifo' is no regular file"},
      {[](Security& s) { s.authorities.clear(); }, "has to know their authorities (-ORBTlsAuthorities)"},
      {[](Security& s) { s.authorities = "/no/such/file"; }, "authorities '/no/such/file'"},
      {[&](Security& s) { s.revocations = s.certificate; }, "revocation lists"},
      {[](Security& s) {
         s.client_names = {"alice"};
         s.verify_clients = VerifyClients::off;
       },
       "names of clients (-ORBTlsClientNames), which are not asked"},
      {[](Security& s) { s.ciphers = "ROT13"; }, "ciphers 'ROT13': no cipher match"},
  };
  for (const Case& each : cases) {
    Security security = good();
    each.spoil(security);
    Logged logged;
    const auto factory = transport::make_tls(transport::make_tcp(), {security, &logged.log});
    const auto opened = factory->listen(**factory->parse("127.0.0.1:0"), {});
    ASSERT_FALSE(opened) << each.why;
    EXPECT_EQ(opened.error().code, Code::bad_security_settings);
    const std::string why = logged.kept->wait_for("TLS settings cannot be used").value("why");
    EXPECT_NE(why.find(each.why), std::string::npos) << why << " instead of " << each.why;
  }
}

TEST_F(TlsVerification, ALockedKeyNeedsItsPassword) {
  const std::string certificate = certificates_.issue("locked");
  Security server = certificates_.security(certificate);
  server.key = certificates_.lock_key(certificate, "sesame");
  std::ofstream(certificates_.file("password")) << "sesame\nwhat follows it\n";
  std::ofstream(certificates_.file("too long")) << std::string(2000, 's');
  server.key_password = certificates_.file("too long");
  for (const bool known : {false, true}) {
    if (known) server.key_password = certificates_.file("password");
    Logged logged;
    const auto factory = transport::make_tls(transport::make_tcp(), {server, &logged.log});
    EXPECT_EQ(factory->listen(**factory->parse("127.0.0.1:0"), {}).ok(), known);
  }
}

}  // namespace
}  // namespace corbel::tls_test
