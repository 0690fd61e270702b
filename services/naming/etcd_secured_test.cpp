// SPDX-License-Identifier: Apache-2.0
// An etcd with TLS that asks for certificates and users: what is wrong is said at once, and what is mended goes on.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "support/etcd_server.hpp"
#include "test_support.hpp"
#if defined(CORBEL_NAMING_ETCD) && defined(CORBEL_NAMING_TEST_TLS)
#include "etcd_connection.hpp"
#include "etcd_json.hpp"
#include "etcd_login.hpp"
#include "support/certificates.hpp"
#endif

namespace corbel::naming::test {

#if defined(CORBEL_NAMING_ETCD) && defined(CORBEL_NAMING_TEST_TLS)
namespace {

using corbel::test::EtcdServer;
using corbel::test::Folder;
using corbel::tests::Certificates;

/// One with the users root, names, who may use everything, and stranger, who may use nothing.
class Secured {
 public:
  Secured() {
    log_in_as_root_ = false;
    post("/v3/auth/role/add", R"({"name":"root"})");
    post("/v3/auth/role/add", R"({"name":"names"})");
    post("/v3/auth/role/grant", R"({"name":"names","perm":{"permType":"READWRITE","key":")" + to_base64("/") +
                                    R"(","range_end":")" + to_base64("0") + R"("}})");
    for (const char* user : {"root", "names", "stranger"}) post("/v3/auth/user/add", login_to_json(user, "its word"));
    for (const char* user : {"root", "names"}) {
      post("/v3/auth/user/grant", std::string(R"({"user":")") + user + R"(","role":")" + user + R"("})");
    }
    post("/v3/auth/enable", "{}");
    log_in_as_root_ = true;
  }
  static Secured& only() {
    static Secured one;
    return one;
  }

  EtcdServer& server() { return server_; }
  Certificates& certificates() { return certificates_; }
  /// Shown by the server from the next handshake on.
  void show(long until) { certificates_.issue("server", {.names = "IP:127.0.0.1", .until = until}); }
  /// As names.
  EtcdSecurity security() const {
    return {.authorities = certificates_.authority(), .certificate = client_, .user = "names", .password = "its word"};
  }
  /// What administrators do.
  void post(const std::string& path, const std::string& body) {
    EtcdConnection connection(security());
    const std::string at = "https://127.0.0.1:" + std::to_string(server_.port());
    std::string token;
    const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    for (std::string why; std::chrono::steady_clock::now() < until;) {
      if (log_in_as_root_ && token.empty()) {
        const std::string login = login_to_json("root", "its word");
        token =
            token_from_json(connection.post({.url = at + "/v3/auth/authenticate", .body = login}).body).value_or("");
      }
      const HttpAnswer answer = connection.post({.url = at + path, .body = body, .token = token});
      if (answer.status == 200) return;
      // It may not have a leader yet, or have done it although it was too slow to say so.
      if (answer.body.find("already exists") != std::string::npos) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    throw std::runtime_error("etcd does not take " + path);
  }

 private:
  Certificates certificates_;
  const std::string client_ = certificates_.issue("client", {.common_name = ""});
  EtcdServer server_{1, {certificates_.issue("server", {.names = "IP:127.0.0.1"}), certificates_.authority()}};
  bool log_in_as_root_ = false;
};

}  // namespace

std::string empty_etcds() {
  static int number = 0;
  return EtcdServer::is_installed() ? Secured::only().server().url("test" + std::to_string(++number)) : std::string();
}
EtcdSecurity etcds_security() {
  return Secured::only().security();
}
void stop_etcds() {
  Secured::only().server().stop();
}
void start_etcds() {
  Secured::only().server().start();
}

namespace {

class EtcdSecuredTest : public testing::Test {
 protected:
  void SetUp() override {
    url_ = empty_etcds();
    if (url_.empty()) GTEST_SKIP() << "etcd is not installed";
  }
  std::unique_ptr<Store> open(const EtcdSecurity& security) const {
    // What is wrong for good is not waited for.
    return open_store({.url = url_, .patience = std::chrono::hours(1), .security = security}, {});
  }
  /// Why that does not work, which is no matter of time.
  template <class Call>
  static std::string why_not(Call call) {
    try {
      call();
    } catch (const StoreError& error) {
      EXPECT_EQ(error.fault(), StoreError::Fault::broken) << error.what();
      EXPECT_EQ(error.completed(), StoreError::Completed::no) << error.what();
      EXPECT_EQ(std::string(error.what()).find("its word"), std::string::npos) << error.what();
      return error.what();
    }
    return "it works";
  }
  std::string refusal(const EtcdSecurity& security) const {
    return why_not([&] { open(security); });
  }

  std::string url_;
};

#define EXPECT_SAYS(text, part) EXPECT_NE(std::string(text).find(part), std::string::npos) << (text)

TEST_F(EtcdSecuredTest, WhatIsWrongIsSaidAtOnce) {
  const EtcdSecurity right = etcds_security();
  const auto with = [&](auto change) {
    EtcdSecurity security = right;
    change(security);
    return refusal(security);
  };
  Certificates others("Others");
  EXPECT_EQ(refusal(right), "it works");
  EXPECT_SAYS(with([&](EtcdSecurity& its) { its.authorities = others.authority(); }), "certificate");
  EXPECT_SAYS(with([&](EtcdSecurity& its) { its.authorities = "/nowhere/ca.pem"; }), "/nowhere/ca.pem");
  EXPECT_SAYS(with([](EtcdSecurity& its) { its.authorities.clear(); }), "certificate");
  EXPECT_SAYS(with([](EtcdSecurity& its) { its.certificate.clear(); }), "certificate");
  EXPECT_SAYS(with([&](EtcdSecurity& its) { its.certificate = others.issue("client", {.common_name = ""}); }),
              "certificate");
  EXPECT_SAYS(with([](EtcdSecurity& its) { its.certificate = Secured::only().certificates().issue("named"); }),
              "without a CommonName");
  EXPECT_SAYS(with([](EtcdSecurity& its) { its.key = "/nowhere/key.pem"; }), "/nowhere/key.pem");
  EXPECT_SAYS(with([](EtcdSecurity& its) { its.password = "another"; }), "password is wrong");
  EXPECT_SAYS(with([](EtcdSecurity& its) { its.user = "nobody"; }), "'nobody'");
  EXPECT_SAYS(with([](EtcdSecurity& its) { its.user = "stranger"; }), "etcdctl role grant-permission");
  EXPECT_SAYS(with([](EtcdSecurity& its) { its.user.clear(); }), "--store-user");
  EXPECT_SAYS(with([](EtcdSecurity& its) { its.password_file = "/nowhere/word"; }), "/nowhere/word");
}

TEST_F(EtcdSecuredTest, AServerOfAnotherNameIsNotBelieved) {
  url_.replace(url_.find("127.0.0.1"), std::string("127.0.0.1").size(), "localhost");
  EXPECT_SAYS(refusal(etcds_security()), "localhost");
}

TEST_F(EtcdSecuredTest, ACertificateThatHasEndedIsNotBelievedUntilItIsReplaced) {
  Secured::only().show(-60);
  EXPECT_SAYS(refusal(etcds_security()), "expired");
  Secured::only().show(86'400);
  EXPECT_EQ(refusal(etcds_security()), "it works");
}

TEST_F(EtcdSecuredTest, AMemberThatIsNotBelievedIsSkipped) {
  const std::size_t at = url_.find("127.0.0.1");
  const std::string member = url_.substr(at, url_.rfind('/') - at);
  url_.insert(at, "localhost" + member.substr(member.find(':')) + ",");
  const auto store = open(etcds_security());
  EXPECT_EQ(store->bind(kRoot, component("o"), object("1"), false), Outcome::done);
}

TEST_F(EtcdSecuredTest, TokensThatEndAreReplacedAndPasswordsMayChangeMeanwhile) {
  const Folder folder;
  EtcdSecurity security = etcds_security();
  security.password.clear();
  security.password_file = folder.write("word", "its word\r\nand more\n");
  const auto store = open(security);
  const auto bind = [&](const char* name) {
    return why_not([&] { EXPECT_EQ(store->bind(kRoot, component(name), object("1"), false), Outcome::done) << name; });
  };
  EXPECT_EQ(bind("a"), "it works");
  Secured::only().post("/v3/auth/user/changepw", login_to_json("names", "its second"));  // ends its tokens
  EXPECT_SAYS(bind("b"), "password is wrong");
  folder.write("word", "its second");
  EXPECT_EQ(bind("c"), "it works");
  Secured::only().post("/v3/auth/user/changepw", login_to_json("names", "its word"));
  folder.write("word", "its word\n");
  EXPECT_EQ(bind("d"), "it works");
  EXPECT_EQ(store->census().bindings, 3);
}

TEST(EtcdLogin, OfThoseWhoseTokenHasEndedOneLogsIn) {
  EtcdLogin login({.user = "u", .password = "p"});
  const EtcdLogin::Token none = login.token();
  int asked = 0;
  const auto ask = [&](const std::string& body) {
    EXPECT_EQ(body, login_to_json("u", "p"));
    return std::to_string(++asked);
  };
  EXPECT_EQ(login.renew(none, ask).text, "1");
  EXPECT_EQ(login.renew(none, ask).text, "1");
  EXPECT_EQ(login.renew(login.token(), ask).text, "2");
  EXPECT_THROW(login.renew(login.token(),
                           [](const std::string&) -> std::string { throw StoreError("", StoreError::Fault::away); }),
               StoreError);
  EXPECT_EQ(login.token().text, "2");
}

}  // namespace
#else

std::string empty_etcds() {
  return {};
}
EtcdSecurity etcds_security() {
  return {};
}
void stop_etcds() {}
void start_etcds() {}

#endif

}  // namespace corbel::naming::test
