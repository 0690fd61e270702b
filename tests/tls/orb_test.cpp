// SPDX-License-Identifier: Apache-2.0
// ORBs that speak TLS, and what their applications see.
#include <atomic>
#include <fstream>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "corbel/builtins/builtins.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/corbel.hpp"
#include "corbel/ior/profile.hpp"
#include "corbel/orb/peer.hpp"
#include "raw_peer.hpp"
#include "support.hpp"
#include "vault_server.hpp"

namespace corbel::tls_test {
namespace {

using VaultRef = IDL::traits<Safe::Vault>::ref_type;
using Options = std::vector<std::string>;

class VaultImpl : public virtual CORBA::servant_traits<Safe::Vault>::base_type {
 public:
  std::string say(const std::string& text) override { return text == "who am I?" ? who() : text; }
  Safe::Blob turn(const Safe::Blob& octets) override { return {octets.rbegin(), octets.rend()}; }

 private:
  static std::string who() {
    const auto peer = request_peer();
    return peer ? peer->subject : "nobody";
  }
};

class TlsOrb {
 public:
  explicit TlsOrb(Options options) {
    static int number = 0;
    const std::string id = "tls " + std::to_string(++number);
    // A place is not left for the next only because the machine is slow.
    options.insert(options.begin(),
                   {"program", "-ORBLogLevel", "debug", "-ORBLogRate", "0", "-ORBConnectHeadStart", "10000"});
    auto components = builtins::components();
    components.log_sink = log;
    orb = corbel::orb::init(options, id, components);
  }
  ~TlsOrb() { end(); }
  TlsOrb(const TlsOrb&) = delete;
  TlsOrb& operator=(const TlsOrb&) = delete;

  /// The log is complete then: the application's sink is called by a thread of its own.
  void end() {
    if (orb != nullptr) orb->destroy();
    orb = nullptr;
  }
  VaultRef vault(const std::string& reference) const {
    return IDL::traits<Safe::Vault>::unchecked_narrow(orb->string_to_object(reference));
  }
  /// Activates a vault; its reference.
  std::string serve() {
    poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    const auto servant = CORBA::make_reference<VaultImpl>();
    const auto id = poa->activate_object(servant);
    poa->the_POAManager()->activate();
    return orb->object_to_string(poa->id_to_reference(id));
  }

  std::shared_ptr<KeptLog> log = std::make_shared<KeptLog>();
  IDL::traits<CORBA::ORB>::ref_type orb;
  IDL::traits<PortableServer::POA>::ref_type poa;
};

class TlsOrbs : public testing::Test {
 protected:
  Options settings(const std::string& name, const Wanted& wanted = {}) {
    return {"-ORBTlsCertificate", certificates_.issue(name, wanted), "-ORBTlsAuthorities", certificates_.authority()};
  }
  Options serving(const std::string& name, const Wanted& wanted = {}) {
    Options options = settings(name, wanted);
    options.insert(options.end(), {"-ORBListenEndpoints", "ssliop://127.0.0.1:0"});
    return options;
  }

  Certificates certificates_;
};

ior::IiopProfile profile_of(TlsOrb& orb, const std::string& reference) {
  const auto object = orb.orb->string_to_object(reference);
  ior::Ior ior = object->_target()->ior();
  EXPECT_EQ(ior.profiles.size(), 1U);
  return *ior::decode_iiop_profile(ior.profiles.front());
}

std::uint16_t tls_port(TlsOrb& orb, const std::string& reference) {
  const auto profile = profile_of(orb, reference);
  const auto* component = ior::find_component(profile.components, ior::ComponentTag::ssl_sec_trans);
  return static_cast<std::uint16_t>(component->data[component->data[0] == 1 ? 7 : 6] << 8 |
                                    component->data[component->data[0] == 1 ? 6 : 7]);
}

TEST_F(TlsOrbs, CallEachOther) {
  TlsOrb server(serving("server"));
  TlsOrb client(settings("client", {.common_name = "alice"}));
  const std::string reference = server.serve();
  const auto vault = client.vault(reference);
  EXPECT_EQ(vault->say("hello"), "hello");
  Safe::Blob octets(1'000'000);
  for (std::size_t i = 0; i < octets.size(); ++i) octets[i] = static_cast<std::uint8_t>(i * 7 / 3);
  const Safe::Blob turned(octets.rbegin(), octets.rend());
  EXPECT_TRUE(vault->turn(octets) == turned);
  EXPECT_EQ(server.log->wait_for("TLS established").value("subject"), "CN=alice,O=Corbel");
  EXPECT_EQ(profile_of(client, reference).port, 0) << "nobody connects without TLS";
}

TEST_F(TlsOrbs, ManyNewcomersAreServedHoweverFewShakeHandsAtATime) {
  Options options = serving("server");
  options.insert(options.end(), {"-ORBMaxHandshakes", "1"});
  TlsOrb server(options);
  const std::string reference = server.serve();
  std::vector<std::unique_ptr<TlsOrb>> orbs(8);
  for (auto& orb : orbs) orb = std::make_unique<TlsOrb>(settings("client"));
  std::atomic<int> served{0};
  std::vector<std::thread> clients;
  for (const auto& orb : orbs) {
    clients.emplace_back([&] {
      if (orb->vault(reference)->say("hello") == "hello") ++served;
    });
  }
  for (auto& client : clients) client.join();
  EXPECT_EQ(served, 8);
}

TEST_F(TlsOrbs, ServantsLearnWhomTheClientsCertificateNames) {
  TlsOrb server(serving("server"));
  const std::string reference = server.serve();
  TlsOrb alice(settings("client", {.common_name = "alice"}));
  TlsOrb bob(settings("other", {.common_name = "bob"}));
  EXPECT_EQ(alice.vault(reference)->say("who am I?"), "CN=alice,O=Corbel");
  EXPECT_EQ(bob.vault(reference)->say("who am I?"), "CN=bob,O=Corbel");
  EXPECT_EQ(alice.vault(reference)->say("who am I?"), "CN=alice,O=Corbel");
  EXPECT_EQ(server.vault(reference)->say("who am I?"), "nobody") << "this call stays in the process";
}

TEST_F(TlsOrbs, CallByUrl) {
  TlsOrb server(serving("server"));
  server.serve();
  TlsOrb client(settings("client"));
  const auto servant = CORBA::make_reference<VaultImpl>();
  const std::string reference = server.orb->object_to_string(server.poa->servant_to_reference(servant));
  const std::string key = ior::escape_object_key(profile_of(client, reference).object_key);
  const std::string url = "corbaloc:ssliop:1.2@localhost:" + std::to_string(tls_port(client, reference)) + "/" + key;
  EXPECT_EQ(client.vault(url)->say("by name"), "by name");
}

TEST_F(TlsOrbs, EveryFaultOfAServersCertificateIsAnExceptionOfItsOwn) {
  struct Case {
    Wanted wanted;
    Code code;
  };
  TlsOrb client(settings("client"));
  for (const auto& [wanted, code] :
       {Case{{.until = -60}, Code::certificate_expired}, Case{{.from = 3600}, Code::certificate_not_yet_valid},
        Case{{.names = "DNS:elsewhere"}, Code::certificate_name},
        Case{{.purpose = "clientAuth"}, Code::certificate_purpose}}) {
    TlsOrb server(serving("server", wanted));
    const auto vault = client.vault(server.serve());
    try {
      vault->say("hello");
      ADD_FAILURE() << "was believed";
    } catch (const CORBA::NO_PERMISSION& exception) {
      EXPECT_EQ(exception.minor(), corba::vendor_minor(base::Stage::connect, code));
      EXPECT_EQ(exception.completed(), CORBA::CompletionStatus::COMPLETED_NO);
      EXPECT_NE(std::string(exception.what()).find(base::to_string(code)), std::string::npos) << exception.what();
    }
  }
  client.end();
  EXPECT_EQ(client.log->count("TLS refused"), 4U);
}

/// A plain port that would take a client in.
class PlainPort {
 public:
  PlainPort() {
    const auto tcp = transport::make_tcp();
    acceptor_ = *tcp->listen(**tcp->parse("127.0.0.1:0"), {});
  }
  std::uint16_t number() const {
    const std::string text = acceptor_->endpoints().front()->text();
    return static_cast<std::uint16_t>(std::stoi(text.substr(text.rfind(':') + 1)));
  }
  bool was_used() const { return acceptor_->accept().ok(); }

 private:
  std::unique_ptr<transport::Acceptor> acceptor_;
};

/// The same object, also at a plain port: in the profile that names the one of TLS, or in another before it.
std::string with_plain_port(TlsOrb& orb, const std::string& reference, std::uint16_t port, bool apart) {
  ior::Ior ior = orb.orb->string_to_object(reference)->_target()->ior();
  ior::IiopProfile plain = *ior::decode_iiop_profile(ior.profiles.front());
  plain.port = port;
  if (apart) {
    std::erase_if(plain.components, [](const auto& each) { return each.tag == 20; });
    ior.profiles.insert(ior.profiles.begin(), ior::encode_profile(plain));
  } else {
    ior.profiles.front() = ior::encode_profile(plain);
  }
  return ior::to_string(ior);
}

TEST_F(TlsOrbs, AWrongCertificateDoesNotMakeAClientSpeakPlainly) {
  TlsOrb server(serving("server", {.names = "DNS:elsewhere"}));
  const std::string reference = server.serve();
  const PlainPort plain;
  for (const bool apart : {false, true}) {
    for (const char* preference : {"giop+tls", "giop+tcp"}) {
      Options options = settings("client");
      options.insert(options.end(), {"-ORBProtocolPreference", preference});
      TlsOrb client(options);
      const auto vault = client.vault(with_plain_port(client, reference, plain.number(), apart));
      EXPECT_THROW(vault->say("secret"), CORBA::NO_PERMISSION) << apart << preference;
      EXPECT_FALSE(plain.was_used()) << apart << preference;
    }
  }
}

TEST_F(TlsOrbs, AClosedPortDoesNotMakeAClientSpeakPlainly) {
  std::string reference;
  {
    TlsOrb server(serving("server"));
    reference = server.serve();
  }
  const PlainPort plain;
  for (const bool apart : {false, true}) {
    TlsOrb client(settings("client"));
    const auto vault = client.vault(with_plain_port(client, reference, plain.number(), apart));
    EXPECT_THROW(vault->say("secret"), CORBA::TRANSIENT) << apart;
    EXPECT_FALSE(plain.was_used()) << apart;
  }
}

TEST_F(TlsOrbs, OfAServerWithBothTheUnconfiguredTakeThePlainPortAndTheSameHostItsOwnTransports) {
  Options options = settings("server", {.names = "DNS:elsewhere"});
  options.insert(options.end(), {"-ORBListenEndpoints", "tcp://127.0.0.1:0;ssliop://127.0.0.1:0"});
  TlsOrb server(options);
  const std::string reference = server.serve();
  EXPECT_EQ(TlsOrb({}).vault(reference)->say("hello"), "hello");
  EXPECT_THROW(TlsOrb(settings("client")).vault(reference)->say("hello"), CORBA::NO_PERMISSION);
  options.back() += ";unix://" + certificates_.file("socket");
  TlsOrb local(options);
  EXPECT_EQ(TlsOrb(settings("client")).vault(local.serve())->say("hello"), "hello");
}

TEST_F(TlsOrbs, AClientThatIsNotLetInLearnsThatNothingWasDone) {
  for (const char* version : {"1.2", "1.3"}) {
    Options options = serving("server");
    options.insert(options.end(), {"-ORBTlsMinimumVersion", version});
    if (version == std::string("1.2"))
      options.insert(options.end(), {"-ORBTlsCiphers", "ECDHE-ECDSA-AES128-GCM-SHA256"});
    TlsOrb server(options);
    TlsOrb client({"-ORBTlsAuthorities", certificates_.authority()});
    const auto vault = client.vault(server.serve());
    for (int round = 0; round < 3; ++round) {
      try {
        vault->say("hello");
        ADD_FAILURE() << "was let in";
      } catch (const CORBA::NO_PERMISSION& exception) {
        EXPECT_EQ(exception.minor() & 0x7f, static_cast<std::uint32_t>(Code::certificate_refused)) << exception.what();
        EXPECT_EQ(exception.completed(), CORBA::CompletionStatus::COMPLETED_NO);
      }
    }
    EXPECT_EQ(server.log->wait_for("TLS refused").value("error"), base::to_string(Code::certificate_missing));
  }
}

TEST_F(TlsOrbs, AServerOfTlsAloneRefusesPlainRequests) {
  TlsOrb server(serving("server"));
  TlsOrb client(settings("client"));
  const std::string reference = server.serve();
  const auto profile = profile_of(client, reference);
  test::RawPeer peer(tls_port(client, reference));
  ASSERT_TRUE(peer.send(test::raw_request(1, base::as_text(profile.object_key), "say",
                                          [](test::Writer& writer) { writer.string("hello"); })));
  const auto rest = peer.rest();
  EXPECT_TRUE(!rest || rest->empty());
  EXPECT_EQ(server.log->wait_for("TLS refused").value("error"), base::to_string(Code::not_secure));
  EXPECT_EQ(client.vault(reference)->say("still here"), "still here");
}

TEST_F(TlsOrbs, SilentAndSlowPeersHoldNobodyUpAndAreCutOff) {
  Options options = serving("server");
  options.insert(options.end(), {"-ORBMessageTimeout", "300", "-ORBThreads", "2"});
  TlsOrb server(options);
  TlsOrb client(settings("client"));
  const std::string reference = server.serve();
  const std::uint16_t port = tls_port(client, reference);
  std::vector<test::RawPeer> silent;
  for (int i = 0; i < 20; ++i) {
    silent.emplace_back(port);
    const test::Octets begun = {0x16, 0x03, 0x01};
    ASSERT_TRUE(i % 2 == 0 || silent.back().send(begun));
  }
  // The time is the honest one's as well: if the machine lets it go by, it tries again.
  const auto says = [&](const std::string& text) {
    for (int tries = 1;; ++tries) {
      try {
        return client.vault(reference)->say(text);
      } catch (const CORBA::SystemException& failure) {
        if (tries == 20) return std::string(failure.what());
      }
    }
  };
  EXPECT_EQ(says("through"), "through");
  for (auto& each : silent) EXPECT_TRUE(each.rest()) << "cut off";
  EXPECT_EQ(says("again"), "again");
}

TEST_F(TlsOrbs, AServerWhoseCertificatesDoNotFitIntoItsSendBufferIsUnderstood) {
  Options options = serving("server");
  std::string names = "IP:127.0.0.1";
  for (int i = 0; i < 1200; ++i) names += ",DNS:" + std::string(60, 'n') + ".example";
  certificates_.issue("server", {.names = names});
  options.insert(options.end(), {"-ORBSendBuffer", "4096"});
  TlsOrb server(options);
  Options small = settings("client");
  small.insert(small.end(), {"-ORBReceiveBuffer", "4096", "-ORBConnectTimeout", "10000"});
  TlsOrb client(small);
  EXPECT_EQ(client.vault(server.serve())->say("hello"), "hello");
}

TEST_F(TlsOrbs, SettingsThatCannotBeUsedAreToldWhenTheServerListens) {
  TlsOrb server({"-ORBListenEndpoints", "tls://127.0.0.1:0"});
  try {
    server.serve();
    ADD_FAILURE() << "listens without a certificate";
  } catch (const CORBA::INITIALIZE& exception) {
    EXPECT_EQ(exception.minor(), corba::vendor_minor(base::Stage::listen, Code::bad_security_settings));
  }
  EXPECT_EQ(server.log->wait_for("TLS settings cannot be used").value("why"),
            "a server needs a certificate (-ORBTlsCertificate)");
}

TEST_F(TlsOrbs, FilesThatOptionsNameAreTheOnesThatAreRead) {
  const Options usual = serving("server");
  const std::string key = certificates_.lock_key(usual[1], "sesame");
  std::ofstream(certificates_.file("password")) << "sesame\n";
  const auto serves = [&](const Options& more) {
    Options options = usual;
    options.insert(options.end(), more.begin(), more.end());
    TlsOrb server(options);
    try {
      return !server.serve().empty();
    } catch (const CORBA::INITIALIZE&) {
      return false;
    }
  };
  EXPECT_TRUE(serves({}));
  EXPECT_FALSE(serves({"-ORBTlsKey", key}));
  EXPECT_TRUE(serves({"-ORBTlsKey", key, "-ORBTlsKeyPassword", certificates_.file("password")}));
  EXPECT_FALSE(serves({"-ORBTlsRevocations", certificates_.file("none")}));
  EXPECT_TRUE(serves({"-ORBTlsRevocations", certificates_.revocations()}));
}

TEST_F(TlsOrbs, SettingsThatCannotBeUsedAreToldToCallers) {
  TlsOrb server(serving("server"));
  TlsOrb client({"-ORBTlsAuthorities", "/no/such/file"});
  const auto vault = client.vault(server.serve());
  try {
    vault->say("hello");
    ADD_FAILURE() << "was believed";
  } catch (const CORBA::NO_PERMISSION& exception) {
    EXPECT_EQ(exception.minor(), corba::vendor_minor(base::Stage::connect, Code::bad_security_settings));
  }
  EXPECT_NE(client.log->wait_for("TLS settings cannot be used").value("why").find("/no/such/file"), std::string::npos);
}

TEST_F(TlsOrbs, ManyClientsAtOnce) {
  TlsOrb server(serving("server"));
  const std::string reference = server.serve();
  TlsOrb client(settings("client"));
  std::vector<std::future<void>> callers;
  for (int i = 0; i < 8; ++i) {
    callers.push_back(std::async(std::launch::async, [&client, &reference, i] {
      const auto vault = client.vault(reference);
      for (int round = 0; round < 50; ++round) {
        const std::string text(static_cast<std::size_t>(i * 3000 + round), static_cast<char>('a' + i));
        EXPECT_TRUE(vault->say(text) == text);
      }
    }));
  }
  for (auto& each : callers) each.get();
}

}  // namespace
}  // namespace corbel::tls_test
