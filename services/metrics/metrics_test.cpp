// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <condition_variable>

#include "CorbelMetrics.hpp"
#include "corbel/dynamic/request.hpp"
#include "corbel/ior/profile.hpp"
#include "corbel/ipc/connector.hpp"
#include "counters.hpp"
#include "metrics_test_server.hpp"

#include "corbel_metrics.hpp"

namespace corbel::metrics {
namespace {

class Servant final : public virtual CORBA::servant_traits<Counted::Servant>::base_type {
 public:
  int32_t add(int32_t a, int32_t b) override {
    if (a < 0) throw Counted::Refused("negative");
    if (b < 0) throw CORBA::NO_PERMISSION(7, CORBA::CompletionStatus::COMPLETED_NO);
    return a + b;
  }
  void note(const std::string&) override {
    const std::lock_guard lock(mutex_);
    ++notes_;
    noted_.notify_all();
  }
  void wait_for_note() {
    std::unique_lock lock(mutex_);
    ASSERT_TRUE(noted_.wait_for(lock, std::chrono::seconds(30), [&] { return notes_ > 0; }));
  }

 private:
  std::mutex mutex_;
  std::condition_variable noted_;
  int notes_ = 0;
};

/// What a client of HTTP gets for these octets.
std::string ask(std::uint16_t port, const std::string& request) {
  const auto deadline = base::Deadline::after(std::chrono::seconds(30));
  auto stream = ipc::TcpConnector().connect(ipc::InetAddress::loopback_v4(port), deadline);
  if (!stream) return "no connection";
  (void)stream->send_n(base::as_bytes(request), deadline);
  std::string all;
  std::array<base::Octet, 4096> room{};
  for (;;) {
    const auto count = stream->recv(room);
    if (!count || *count == 0) return all;
    all.append(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(*count));
  }
}

class MetricsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    server_ = make("server", {"-ORBListenEndpoints", "tcp://127.0.0.1:0"});
    client_ = make("client", {});
    metrics_.watch(server_);
    const auto poa = IDL::traits<PortableServer::POA>::narrow(server_->resolve_initial_references("RootPOA"));
    servant_ = CORBA::make_reference<Servant>();
    const auto own = servant_->_this();
    poa->the_POAManager()->activate();
    const auto object = client_->string_to_object(server_->object_to_string(own));
    stub_ = IDL::traits<Counted::Servant>::unchecked_narrow(object);
  }
  void TearDown() override {
    stub_.reset();
    client_->destroy();
    server_->destroy();
  }
  static IDL::traits<CORBA::ORB>::ref_type make(const std::string& name, std::vector<std::string> words) {
    words.insert(words.begin(), "test");
    return CORBA::ORB_init(words, "metrics." + name);
  }
  bool shows(const std::string& line) const { return metrics_.text().find(line + "\n") != std::string::npos; }

  Metrics metrics_;
  IDL::traits<CORBA::ORB>::ref_type server_, client_;
  CORBA::servant_reference<Servant> servant_;
  IDL::traits<Counted::Servant>::ref_type stub_;
};

TEST_F(MetricsTest, CallsCountOnBothSidesByOperationAndOutcome) {
  for (int i = 0; i < 5; ++i) EXPECT_EQ(stub_->add(i, 1), i + 1);
  EXPECT_THROW(stub_->add(-1, 1), Counted::Refused);
  EXPECT_THROW(stub_->add(1, -1), CORBA::NO_PERMISSION);
  for (const std::string side : {"server", "client"}) {
    const std::string labels = "{side=\"" + side + "\",operation=\"add\"";
    EXPECT_TRUE(shows("corbel_requests_total" + labels + ",outcome=\"ok\"} 5")) << metrics_.text();
    EXPECT_TRUE(shows("corbel_requests_total" + labels + ",outcome=\"user_exception\"} 1")) << metrics_.text();
    EXPECT_TRUE(shows("corbel_requests_total" + labels + ",outcome=\"system_exception\"} 1"));
    EXPECT_TRUE(shows("corbel_request_seconds_count" + labels + "} 7"));
    EXPECT_TRUE(shows("corbel_request_seconds_bucket" + labels + ",le=\"+Inf\"} 7"));
    EXPECT_TRUE(
        shows("corbel_exceptions_total{side=\"" + side + "\",exception=\"CORBA::NO_PERMISSION\",minor=\"0x7\"} 1"))
        << metrics_.text();
    EXPECT_TRUE(shows("corbel_requests_in_flight{side=\"" + side + "\"} 0"));
  }
  EXPECT_TRUE(shows("corbel_exceptions_total{side=\"client\",exception=\"IDL:Counted/Refused:1.0\",minor=\"0x0\"} 1"));
}

TEST_F(MetricsTest, OnewaysAndConnectionsShow) {
  stub_->note("x");
  servant_->wait_for_note();
  EXPECT_TRUE(shows("corbel_requests_total{side=\"client\",operation=\"note\",outcome=\"sent\"} 1")) << metrics_.text();
  EXPECT_TRUE(shows("corbel_connections{protocol=\"giop\",accepted=\"true\"} 1")) << metrics_.text();
  EXPECT_TRUE(shows("corbel_oneways_dropped_total 0"));
}

TEST_F(MetricsTest, WhatStrangersAskForMakesNoNames) {
  for (int i = 0; i < 20; ++i) {
    EXPECT_THROW(stub_->_request("nothing" + std::to_string(i))->invoke(), CORBA::BAD_OPERATION);
  }
  EXPECT_TRUE(shows("corbel_requests_total{side=\"server\",operation=\"(unknown)\",outcome=\"system_exception\"} 20"))
      << metrics_.text();
  EXPECT_EQ(metrics_.text().find("nothing1"), std::string::npos);
}

TEST_F(MetricsTest, WhatIsElsewhereIsNotUnknown) {
  server_->register_initial_reference("Servant", servant_->_this());
  const auto own = server_->object_to_string(servant_->_this());
  const auto port = ior::decode_iiop_profile(ior::from_string(own)->profiles.front())->port;
  const auto url = "corbaloc::127.0.0.1:" + std::to_string(port) + "/Servant";
  const auto named = IDL::traits<Counted::Servant>::unchecked_narrow(client_->string_to_object(url));
  EXPECT_EQ(named->add(1, 2), 3);
  EXPECT_TRUE(shows("corbel_requests_total{side=\"server\",operation=\"(forwarded)\",outcome=\"elsewhere\"} 1"))
      << metrics_.text();
  EXPECT_TRUE(shows("corbel_requests_total{side=\"server\",operation=\"add\",outcome=\"ok\"} 1")) << metrics_.text();
  EXPECT_EQ(metrics_.text().find("(unknown)"), std::string::npos);
}

/// One that says so much and then nothing.
ipc::TcpStream say(std::uint16_t port, const std::string& octets) {
  const auto deadline = base::Deadline::after(std::chrono::seconds(30));
  auto stream = *ipc::TcpConnector().connect(ipc::InetAddress::loopback_v4(port), deadline);
  (void)stream.send_n(base::as_bytes(octets), deadline);
  return stream;
}

TEST_F(MetricsTest, HttpClientsThatDoNotAskKeepNoOthersFromBeingAnswered) {
  metrics_.serve("127.0.0.1:0");
  const auto begin = std::chrono::steady_clock::now();
  std::vector<ipc::TcpStream> silent;
  for (int i = 0; i < 100; ++i) silent.push_back(say(metrics_.port(), i % 2 == 0 ? "GET /met" : ""));
  EXPECT_TRUE(ask(metrics_.port(), "GET /metrics HTTP/1.0\r\n\r\n").starts_with("HTTP/1.0 200"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));  // and not two for each
  // They were not served one after the other: the first has gone for the last.
  std::array<base::Octet, 16> room{};
  const auto end = silent.front().recv(room);
  EXPECT_TRUE(!end || *end == 0);
  // One that asks in two parts is answered.
  const auto answered_in_two_parts = [&] {
    auto slow = say(metrics_.port(), "GET /metr");
    EXPECT_TRUE(ask(metrics_.port(), "GET / HTTP/1.0\r\n\r\n").starts_with("HTTP/1.0 200"));
    if (!slow.send_n(base::as_bytes("ics HTTP/1.0\r\n\r\n"))) return false;
    const auto count = slow.recv(room);
    return count && *count != 0;
  };
  // It waits two seconds for the second part, which a loaded machine may take to send it.
  const auto bound = base::Deadline::after(std::chrono::seconds(60));
  bool answered = answered_in_two_parts();
  while (!answered && !bound.expired()) answered = answered_in_two_parts();
  EXPECT_TRUE(answered);
}

TEST_F(MetricsTest, HttpClientsGetThemAndNothingElse) {
  metrics_.serve("127.0.0.1:0");
  ASSERT_NE(metrics_.port(), 0);
  stub_->add(1, 2);
  const std::string good = ask(metrics_.port(), "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(good.starts_with("HTTP/1.0 200 OK\r\nContent-Type: text/plain; version=0.0.4")) << good;
  EXPECT_NE(good.find("corbel_requests_total{side=\"server\",operation=\"add\",outcome=\"ok\"} 1\n"),
            std::string::npos);
  EXPECT_TRUE(ask(metrics_.port(), "GET /metrics?module=orb HTTP/1.1\r\n\r\n").starts_with("HTTP/1.0 200"));
  EXPECT_TRUE(ask(metrics_.port(), "GET http://plant:9464/metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.0 200"));
  EXPECT_TRUE(ask(metrics_.port(), "GET http://plant HTTP/1.1\r\n\r\n").starts_with("HTTP/1.0 200"));
  EXPECT_TRUE(ask(metrics_.port(), "GET http://plant/other?/metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.0 404"));
  EXPECT_TRUE(ask(metrics_.port(), "GET /passwords HTTP/1.0\r\n\r\n").starts_with("HTTP/1.0 404"));
  EXPECT_TRUE(ask(metrics_.port(), "POST /metrics HTTP/1.0\r\n\r\n").starts_with("HTTP/1.0 405"));
  EXPECT_EQ(ask(metrics_.port(), std::string(20000, 'x')), "");
  EXPECT_TRUE(ask(metrics_.port(), "GET / HTTP/1.0\n\n").starts_with("HTTP/1.0 200"));
  EXPECT_THROW(metrics_.serve("127.0.0.1:0"), std::runtime_error);
  Metrics other;
  EXPECT_THROW(other.serve("127.0.0.1:" + std::to_string(metrics_.port())), std::runtime_error);
  EXPECT_THROW(other.serve("nonsense"), std::runtime_error);
}

TEST_F(MetricsTest, CorbaClientsAreServedUntilItIsGone) {
  const auto orb = make("served", {"-ORBListenEndpoints", "tcp://127.0.0.1:0"});
  auto off = std::make_unique<Metrics>();
  off->serve(orb);
  EXPECT_THROW(off->serve(orb), CORBA::InvalidName);
  const auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  root->the_POAManager()->activate();
  const auto reference = orb->object_to_string(orb->resolve_initial_references("CorbelMetrics"));
  const auto seen = IDL::traits<CorbelMetrics::Metrics>::narrow(client_->string_to_object(reference));
  EXPECT_NE(seen->text().find("# TYPE corbel_requests_total counter\n"), std::string::npos);
  off.reset();
  EXPECT_THROW(seen->text(), CORBA::OBJECT_NOT_EXIST);
  orb->destroy();
}

TEST(CountersTest, NamesAndExceptionsAreBounded) {
  Counters counters("server");
  for (std::uint32_t i = 0; i < Counters::kMostOperations + 50; ++i) {
    counters.begin(i);
    counters.found(i);
    counters.end(i, "operation" + std::to_string(i), Outcome::system_exception, "CORBA::UNKNOWN", i);
  }
  std::string text;
  counters.write(text);
  EXPECT_NE(text.find("corbel_requests_total{side=\"server\",operation=\"(other)\",outcome=\"system_exception\"} 50\n"),
            std::string::npos);
  EXPECT_NE(text.find("corbel_exceptions_total{side=\"server\",exception=\"(other)\",minor=\"0x0\"} 794\n"),
            std::string::npos);
}

TEST(CountersTest, LabelsAreQuoted) {
  EXPECT_EQ(label("a\"b\\c\n\xff"), "\"a\\\"b\\\\c??\"");
}

}  // namespace
}  // namespace corbel::metrics
