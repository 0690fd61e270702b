// SPDX-License-Identifier: Apache-2.0
// Names in etcd: what is its own. What every store does that is shared is in shared_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "support/etcd_server.hpp"
#include "test_support.hpp"
#ifdef CORBEL_NAMING_ETCD
#include "etcd_between.hpp"
#include "etcd_json.hpp"
#include "etcd_layout.hpp"
#include "etcd_store.hpp"
#endif

namespace corbel::naming::test {

#ifdef CORBEL_NAMING_ETCD
namespace {

using corbel::test::EtcdServer;

EtcdServer& own_etcd() {
  static EtcdServer one;
  return one;
}

}  // namespace

std::string empty_etcd() {
  static int number = 0;
  return EtcdServer::is_installed() ? own_etcd().url("test" + std::to_string(++number)) : std::string();
}
void stop_etcd() {
  own_etcd().stop();
}
void start_etcd() {
  own_etcd().start();
}

namespace {

class EtcdTest : public testing::Test {
 protected:
  void SetUp() override {
    url_ = empty_etcd();
    if (url_.empty()) GTEST_SKIP() << "etcd is not installed";
  }
  std::string prefix() const { return etcd_address(url_).prefix; }
  static std::unique_ptr<Store> open(const std::string& url,
                                     std::chrono::milliseconds patience = std::chrono::minutes(1)) {
    StorePlace place;
    place.url = url;
    place.patience = patience;
    return open_store(place, {});
  }
  EtcdAnswer run(const EtcdTransaction& transaction) const {
    EtcdClient client("test", etcd_address(url_).endpoints, {}, nullptr);
    return client.run(transaction, std::chrono::steady_clock::now() + std::chrono::minutes(1));
  }
  /// Everything that is kept for this store.
  std::vector<EtcdPair> everything() const {
    return run({.ranges = {{prefix() + "/", prefix() + "0"}}}).ranges.front();
  }

  std::string url_;
};

TEST(EtcdPlaces, AreTakenApartOrRefused) {
  const EtcdAddress address = etcd_address("etcd://a:1,[::1]:2,b/plant/names/");
  EXPECT_EQ(address.endpoints, (std::vector<std::string>{"http://a:1", "http://[::1]:2", "http://b:2379"}));
  EXPECT_EQ(address.prefix, "/plant/names");
  EXPECT_EQ(etcd_address("etcds://a:1,b/p").endpoints, (std::vector<std::string>{"https://a:1", "https://b:2379"}));
  EXPECT_EQ(etcd_address("etcd://a").prefix, "/corbel_naming");
  for (const char* wrong :
       {"etcd://", "etcd://u:secret@a:1", "etcd://a:0", "etcd://a:65536", "etcd://a,", "etcd://[::1", "etcd://[::1]x",
        "etcd://a b", "etcd://a:1?x", "etcd:///p", "etcd://a:", "etcds://", "etcds://u:secret@a"}) {
    EXPECT_THROW(etcd_address(wrong), StoreError) << wrong;
  }
}

TEST(EtcdJson, OctetsComeBackAndNonsenseDoesNot) {
  for (std::size_t size = 0; size < 70; ++size) {
    std::string octets;
    for (std::size_t i = 0; i < size; ++i) octets += static_cast<char>(i * 37 + size);
    EXPECT_EQ(from_base64(to_base64(octets)), octets);
  }
  EXPECT_EQ(to_base64("any carnal pleas"), "YW55IGNhcm5hbCBwbGVhcw==");
  for (const char* wrong : {"a", "ab=", "a===", "====", "ab c", "=abc",
                            "a\xFF"
                            "bc"})
    EXPECT_FALSE(from_base64(wrong)) << wrong;
  const std::string header = R"({"header":{"cluster_id":"7","revision":"9"})";
  EXPECT_EQ(reply_from_json(header + "}")->answer.revision, 9);
  for (const std::string& wrong :
       {std::string(), std::string("{"), std::string("[]"), std::string("{}"), std::string(100'000, '['),
        std::string(R"({"header":{"cluster_id":7,"revision":"9"}})"), std::string(R"({"header":[]})"),
        header + R"(,"succeeded":"yes"})", header + R"(,"responses":{}})",
        header + R"(,"responses":[{"response_range":{"kvs":[{"key":5}]}}]})",
        header + R"(,"responses":[{"response_range":{"kvs":[{"key":"YQ==","mod_revision":"x"}]}}]})",
        header + R"(,"responses":[{"response_range":{"kvs":7}}]})"}) {
    EXPECT_FALSE(reply_from_json(wrong)) << wrong.substr(0, 80);
  }
  EXPECT_EQ(token_from_json(R"({"token":"abc.7"})"), "abc.7");
  for (const char* wrong : {"", "{}", R"({"token":7})", R"({"token":""})", R"({"token":"a\r\nHost: b"})"}) {
    EXPECT_FALSE(token_from_json(wrong)) << wrong;
  }
  EXPECT_EQ(login_to_json("a\"b", "\xFF"), "{\"name\":\"a\\\"b\",\"password\":\"\xEF\xBF\xBD\"}");
  EXPECT_EQ(refusal_from_json("[[[\x01", 503).message, "HTTP status 503");
  EXPECT_EQ(refusal_from_json("not so\nbut", 400).message, "HTTP status 400: not so");
  EXPECT_EQ(refusal_from_json(R"({"code":14,"message":"no"})", 503).code, 14);
}

TEST(EtcdLayout, KeysAreInTheOrderOfNamesAndComeBack) {
  std::vector<NameComponent> names;
  const std::vector<std::string> words = {"",    std::string("\0", 1), "\1", "a", std::string("a\0", 2), "a\1", "ab",
                                          "\xFF"};
  for (const auto& id : words) {
    for (const auto& kind : words) names.push_back(component(id, kind));
  }
  std::sort(names.begin(), names.end(), [](const NameComponent& a, const NameComponent& b) {
    return std::pair(a.id(), a.kind()) < std::pair(b.id(), b.kind());
  });
  std::vector<std::string> keys;
  for (const auto& each : names) keys.push_back(binding_key(77, each));
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto place = place_of(keys[i]);
    ASSERT_TRUE(place);
    EXPECT_EQ(place->context, 77);
    EXPECT_EQ(place->name, names[i]);
    EXPECT_EQ(ending_of(end_key(5, keys[i])), keys[i]);
    for (std::size_t cut = 0; cut < keys[i].size(); ++cut) place_of(std::string_view(keys[i]).substr(0, cut));
  }
  const EtcdBinding binding{{BindingType::nobject, 0, std::string("\0 1 x", 5)}, -3, 9};
  EXPECT_EQ(binding_from(pack(binding))->bound.reference, binding.bound.reference);
  EXPECT_EQ(binding_from(pack(binding))->lease, -3);
  for (const char* wrong : {"", "x", "o", "o1 2", "o1 2 x 4", "c-1 0 0 "}) EXPECT_FALSE(binding_from(wrong)) << wrong;
  for (const char* wrong : {"", "1", "1 ", "1 x", "1 2 3", "-1 2"}) EXPECT_FALSE(totals_from(wrong)) << wrong;
}

TEST_F(EtcdTest, MembersThatFailAreSkipped) {
  const std::string at = "127.0.0.1:" + std::to_string(own_etcd().port());
  const std::string prefix = url_.substr(url_.rfind('/'));
  // Nobody listens at the first; the second takes connections and never answers.
  EtcdBetween silent(own_etcd().port());
  silent.drop([](const std::string&) { return EtcdBetween::Fate::silence; });
  const auto store = open("etcd://127.0.0.1:1,127.0.0.1:" + std::to_string(silent.port()) + "," + at + prefix,
                          std::chrono::seconds(6));
  EXPECT_EQ(store->bind(kRoot, component("o"), object("1"), false), Outcome::done);
  EXPECT_EQ(store->resolve(kRoot, Name{component("o")}).bound.reference, "1");
}

TEST_F(EtcdTest, AChangeWhoseAnswerWasLostMayHaveHappenedAndIsNotMadeTwice) {
  EtcdBetween between(own_etcd().port());
  const auto store = open("etcd://127.0.0.1:" + std::to_string(between.port()) + url_.substr(url_.rfind('/')));
  ASSERT_EQ(store->bind(kRoot, component("o"), object("1"), false), Outcome::done);
  const auto maybe = [&](const char* name, EtcdBetween::Fate fate) {
    int changes = 0;
    between.drop([&, fate](const std::string& request) {
      if (request.find("request_put") == std::string::npos) return EtcdBetween::Fate::answer;
      ++changes;
      return fate;
    });
    try {
      store->bind(kRoot, component(name), object("1"), false);
      ADD_FAILURE() << "it cannot know";
    } catch (const StoreError& error) {
      EXPECT_EQ(error.fault(), StoreError::Fault::away) << error.what();
      EXPECT_EQ(error.completed(), StoreError::Completed::maybe) << error.what();
    }
    between.drop(nullptr);
    EXPECT_EQ(changes, 1) << "on a connection that had been used before";
  };
  maybe("made", EtcdBetween::Fate::lose_answer);
  EXPECT_EQ(store->resolve(kRoot, Name{component("made")}).bound.reference, "1");
  maybe("not made", EtcdBetween::Fate::lose_request);
  EXPECT_EQ(store->resolve(kRoot, Name{component("not made")}).outcome, Outcome::missing);
  maybe("lied of", EtcdBetween::Fate::nonsense);
  EXPECT_EQ(store->census().bindings, 2);
}

TEST_F(EtcdTest, WhenItIsFullOrHasNoMajorityPeopleAreToldWhatToDo) {
  EtcdBetween between(own_etcd().port());
  StorePlace place{.url = "etcd://127.0.0.1:" + std::to_string(between.port()) + url_.substr(url_.rfind('/'))};
  std::vector<std::string> said;
  const auto store = open_store(place, {}, [&](const std::string& line) { said.push_back(line); });
  ASSERT_EQ(store->bind(kRoot, component("o"), object("1"), false), Outcome::done);
  between.drop([](const std::string& request) {
    return request.find("request_put") != std::string::npos ? EtcdBetween::Fate::full : EtcdBetween::Fate::answer;
  });
  for (int i = 0; i < 3; ++i) {
    try {
      store->bind(kRoot, component("p"), object("1"), false);
      ADD_FAILURE() << "it is full";
    } catch (const StoreError& error) {
      EXPECT_EQ(error.fault(), StoreError::Fault::broken) << error.what();
      EXPECT_EQ(error.completed(), StoreError::Completed::no) << error.what();
    }
  }
  ASSERT_FALSE(said.empty());
  EXPECT_NE(said.front().find("etcdctl alarm disarm"), std::string::npos) << said.front();
  EXPECT_EQ(store->resolve(kRoot, Name{component("o")}).bound.reference, "1");
  between.drop(nullptr);
  EXPECT_EQ(store->bind(kRoot, component("p"), object("1"), false), Outcome::done);
  try {
    open("etcd://127.0.0.1:1,127.0.0.1:1/p", std::chrono::milliseconds(50));
    ADD_FAILURE() << "nobody is there";
  } catch (const StoreError& error) {
    EXPECT_EQ(error.fault(), StoreError::Fault::away);
    EXPECT_NE(std::string(error.what()).find("more than half of the members"), std::string::npos) << error.what();
  }
}

TEST_F(EtcdTest, NonsenseIsNoAnswer) {
  EtcdBetween between(own_etcd().port());
  const std::string url = "etcd://127.0.0.1:" + std::to_string(between.port()) + url_.substr(url_.rfind('/'));
  const auto store = open_hasty({.url = url, .patience = std::chrono::milliseconds(150)});
  for (const auto fate : {EtcdBetween::Fate::nonsense, EtcdBetween::Fate::endless, EtcdBetween::Fate::silence}) {
    between.drop([fate](const std::string&) { return fate; });
    EXPECT_THROW(store->exists(kRoot), StoreError);
    EXPECT_THROW(store->bind(kRoot, component("o"), object("1"), false), StoreError);
  }
  between.drop(nullptr);
  EXPECT_TRUE(open(url)->exists(kRoot));
}

TEST_F(EtcdTest, WhatIsTooLargeForOneTransactionIsSeenWholeOrNotAtAll) {
  constexpr int kNames = 300;
  const auto store = open(url_);
  const auto other = open(url_);
  const auto fill = [&] {
    store->begin();
    for (int i = 0; i < kNames; ++i) {
      ASSERT_EQ(store->bind(kRoot, component(std::to_string(i)), object("1"), false), Outcome::done);
    }
  };
  fill();
  EXPECT_EQ(other->bind(kRoot, component("meanwhile"), object("1"), false), Outcome::done);
  EXPECT_THROW(store->commit(), StoreError);
  EXPECT_EQ(other->census().bindings, 1);
  EXPECT_EQ(other->unbind(kRoot, component("meanwhile")), Outcome::done);
  // What that has left goes away when it is pruned.
  EXPECT_GT(everything().size(), static_cast<std::size_t>(kNames));
  EXPECT_EQ(other->prune(std::chrono::seconds(0)), 0);
  EXPECT_LT(everything().size(), 10U);
  fill();
  store->roll_back();
  EXPECT_EQ(store->census().bindings, 0);
  fill();
  store->commit();
  // The other learns by itself where the names are now.
  EXPECT_EQ(other->bind(kRoot, component("after"), object("1"), false), Outcome::done);
  EXPECT_EQ(other->census().bindings, kNames + 1);
  EXPECT_LT(everything().size(), static_cast<std::size_t>(kNames + 10));
  store->begin();
  for (int i = 0; i < kNames; ++i) store->unbind(kRoot, component(std::to_string(i)));
  EXPECT_THROW(store->commit(), StoreError) << "there are names already";
}

TEST_F(EtcdTest, ManyLeasesThatHaveEndedAreSweptPieceByPiece) {
  constexpr int kNames = 60;
  const auto store = open(url_);
  const Term ended{8, std::chrono::milliseconds(0)};
  std::vector<std::thread> threads;
  for (int each = 0; each < 4; ++each) {
    threads.emplace_back([&, each] {
      for (int i = each; i < kNames; i += 4)
        store->bind(kRoot, component(std::to_string(i)), object("1"), false, ended);
    });
  }
  for (auto& thread : threads) thread.join();
  const auto at_once = open(url_);
  std::int64_t swept = 0;
  std::thread sweeper([&] { swept = at_once->sweep(); });
  const std::int64_t mine = store->sweep();
  sweeper.join();
  EXPECT_EQ(swept + mine, kNames);
  EXPECT_EQ(store->census().bindings, 0);
  EXPECT_LT(everything().size(), 10U);
}

TEST_F(EtcdTest, WhatIsDamagedOrNewerIsRefused) {
  const auto store = open(url_);
  ASSERT_EQ(store->bind(kRoot, component("o"), object("1"), false), Outcome::done);
  std::string totals;
  std::string binding;
  for (const EtcdPair& each : everything()) {
    if (each.key.ends_with("/t")) totals = each.key;
    if (each.value.starts_with("o")) binding = each.key;
  }
  run({.puts = {{totals, "1 7"}}});
  EXPECT_THROW(store->census(), StoreError);
  run({.puts = {{totals, "many"}}});
  EXPECT_THROW(store->bind(kRoot, component("p"), object("1"), false), StoreError);
  run({.puts = {{binding, "nonsense"}}});
  EXPECT_THROW(store->resolve(kRoot, Name{component("o")}), StoreError);
  run({.puts = {{prefix() + "/format", "2"}}});
  EXPECT_THROW(open(url_), StoreError);
}

INSTANTIATE_TEST_SUITE_P(Etcd, StoreTest, testing::Values("etcd"));

}  // namespace
#else

std::string empty_etcd() {
  return {};
}
void stop_etcd() {}
void start_etcd() {}

#endif

}  // namespace corbel::naming::test
