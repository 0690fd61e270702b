// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <future>

#include <nlohmann/json.hpp>

#include "context.hpp"
#include "corbel/interceptors/portable_interceptor.hpp"
#include "support/eventually.hpp"
#include "test_support.hpp"
#include "tracing_test_server.hpp"

#include "corbel_tracing.hpp"

namespace corbel::tracing {
namespace {

class Servant final : public virtual CORBA::servant_traits<Traced::Servant>::base_type {
 public:
  int32_t add(int32_t a, int32_t b) override {
    if (a < 0) throw Traced::Refused("negative");
    if (b < 0) throw CORBA::NO_PERMISSION(7, CORBA::CompletionStatus::COMPLETED_NO);
    return a + b;
  }
  int32_t pass(IDL::traits<Traced::Servant>::ref_type next, int32_t depth) override {
    return depth == 0 ? next->add(1, 1) : next->pass(next, depth - 1);
  }
  std::string where() override { return traceparent(); }
  void note(const std::string& text) override {
    noted = traceparent();
    note_came = !text.empty();
  }

  std::string noted;
  std::atomic<bool> note_came = false;
};

class Tracing : public ::testing::TestWithParam<const char*> {
 protected:
  void begin(Settings settings = {}, const char* collocation = "off") {
    settings.service = "test";
    settings.endpoint = collector_.url();
    settings.interval = std::chrono::milliseconds(20);
    tracer_.emplace(settings);
    std::vector<std::string> words{"test", "-ORBListenEndpoints", "tcp://127.0.0.1:0", "-ORBCollocation", collocation};
    orb_ = CORBA::ORB_init(words, "tracing " + std::to_string(++number_));
    const auto poa = IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
    servant_ = CORBA::make_reference<Servant>();
    stub_ = servant_->_this();
    poa->the_POAManager()->activate();
  }
  void TearDown() override {
    stub_.reset();
    if (orb_ != nullptr) orb_->destroy();
  }
  /// All spans so far, by name and kind.
  std::multimap<std::string, Json> spans() {
    EXPECT_TRUE(tracer_->flush());
    return collector_.spans();
  }

  Collector collector_;
  std::optional<Tracer> tracer_;
  IDL::traits<CORBA::ORB>::ref_type orb_;
  CORBA::servant_reference<Servant> servant_;
  IDL::traits<Traced::Servant>::ref_type stub_;
  inline static int number_ = 0;
};

std::string parent(const Json& span) {
  return span.value("parentSpanId", "");
}

std::string attribute(const Json& span, const std::string& key) {
  for (const Json& one : span.at("attributes")) {
    if (one.at("key") == key) return one.at("value").at("stringValue");
  }
  return "";
}

TEST_P(Tracing, CallsThatServantsMakeBelongToTheTraceOfTheirCaller) {
  begin({}, GetParam());
  {
    const Span whole(*tracer_, "work");
    EXPECT_EQ(stub_->pass(stub_, 2), 2);
  }
  EXPECT_EQ(traceparent(), "");
  const auto all = spans();
  ASSERT_EQ(all.size(), 9U) << "one of the application, four calls on two sides";
  std::string expected;
  std::string trace;
  const Json& root = all.find("work 1")->second;
  EXPECT_EQ(parent(root), "");
  // From the innermost outwards.
  for (const Json* span = &all.find("add 2")->second; span != &root;) {
    const auto above =
        std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.second.at("spanId") == parent(*span); });
    ASSERT_NE(above, all.end());
    EXPECT_EQ(above->second.at("traceId"), span->at("traceId"));
    EXPECT_LE(std::stoull(above->second.at("startTimeUnixNano").get<std::string>()),
              std::stoull(span->at("startTimeUnixNano").get<std::string>()));
    span = &above->second;
  }
  EXPECT_EQ(all.count("pass 2"), 3U);
  EXPECT_EQ(all.count("pass 3"), 3U);
  const Json& add = all.find("add 2")->second;
  EXPECT_EQ(attribute(add, "rpc.service"), "IDL:Traced/Servant:1.0");
  EXPECT_EQ(attribute(add, "rpc.system"), "corba");
  EXPECT_EQ(attribute(add, "corba.outcome"), "ok");
  EXPECT_EQ(collector_.resource("service.name"), "test");
}
INSTANTIATE_TEST_SUITE_P(Collocation, Tracing, ::testing::Values("off", "on"));

// Where the request ended is another thread than the one that its servant ran on.
TEST_P(Tracing, TheMainThreadDoesNothingForATraceWhenItHasRunARequest) {
  begin({}, GetParam());
  const auto root = IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
  const auto poa = root->create_POA("main", root->the_POAManager(),
                                    {root->create_thread_policy(PortableServer::ThreadPolicyValue::MAIN_THREAD_MODEL)});
  const auto id = poa->activate_object(CORBA::make_reference<Servant>());
  const auto stub = IDL::traits<Traced::Servant>::narrow(poa->id_to_reference(id));
  for (const int bad : {0, -1}) {
    auto call = std::async(std::launch::async, [&] {
      if (bad == 0) {
        EXPECT_EQ(stub->add(1, 1), 2);
        EXPECT_NE(stub->where(), "");
      } else {
        EXPECT_THROW(stub->add(bad, 1), Traced::Refused);
      }
    });
    while (call.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
      if (orb_->work_pending()) orb_->perform_work();
    }
    call.get();
    EXPECT_EQ(traceparent(), "") << bad;
  }
}

TEST_F(Tracing, HowCallsEndIsTold) {
  begin();
  EXPECT_THROW(stub_->add(-1, 1), Traced::Refused);
  EXPECT_THROW(stub_->add(1, -1), CORBA::NO_PERMISSION);
  stub_->note("x");
  ASSERT_TRUE(test::eventually([&] { return servant_->note_came.load(); }));
  ASSERT_TRUE(test::eventually([&] { return spans().size() == 6; }));
  for (const auto& [name, span] : collector_.spans()) {
    const std::string exception = attribute(span, "corba.exception");
    if (attribute(span, "corba.outcome") == "system_exception") {
      EXPECT_EQ(exception, "CORBA::NO_PERMISSION");
      EXPECT_EQ(span.at("status").at("code"), 2);
    } else {
      EXPECT_FALSE(span.contains("status")) << span;
    }
    if (attribute(span, "corba.outcome") == "user_exception" && name == "add 3") {
      EXPECT_EQ(exception, "IDL:Traced/Refused:1.0");
    }
    if (name.starts_with("note")) {
      EXPECT_EQ(attribute(span, "corba.outcome"), name == "note 3" ? "sent" : "ok");
    }
  }
}

TEST_F(Tracing, WhatIsNotSampledIsNotSentAndGoesAlong) {
  begin({.share = 0});
  const std::string inside = stub_->where();
  ASSERT_TRUE(from_traceparent(inside));
  EXPECT_FALSE(from_traceparent(inside)->sampled);
  EXPECT_TRUE(spans().empty());
}

TEST_F(Tracing, SpansOfTheApplicationSayWhatTheyAreToldToSay) {
  begin();
  {
    Span span(*tracer_, "shot \xff");
    span.set("plate", "17");
    span.failed("no light");
    EXPECT_NE(stub_->where(), traceparent());
    EXPECT_EQ(stub_->where().substr(0, 35), traceparent().substr(0, 35)) << "the same trace";
  }
  const auto all = spans();
  const auto shot = std::find_if(all.begin(), all.end(), [](const auto& one) { return one.first.starts_with("shot"); });
  ASSERT_NE(shot, all.end());
  EXPECT_EQ(attribute(shot->second, "plate"), "17");
  EXPECT_EQ(shot->second.at("status").at("message"), "no light");
}

TEST_F(Tracing, ACollectorThatIsAwayForAWhileLosesNothing) {
  begin();
  collector_.answer(503, 3);
  for (int i = 0; i < 10; ++i) stub_->add(i, 1);
  ASSERT_TRUE(test::eventually([&] { return tracer_->figures().sent == 20; })) << tracer_->figures().last_error;
  EXPECT_EQ(collector_.spans().size(), 20U) << "each once";
  EXPECT_EQ(tracer_->figures().dropped, 0U);
  EXPECT_EQ(tracer_->figures().last_error, "");
}

TEST_F(Tracing, WhatACollectorRefusesIsDroppedAndTold) {
  begin();
  collector_.answer(400, 1'000'000);
  stub_->add(1, 1);
  ASSERT_TRUE(test::eventually([&] { return tracer_->figures().dropped == 2; }));
  EXPECT_NE(tracer_->figures().last_error.find("400"), std::string::npos) << tracer_->figures().last_error;
}

TEST_F(Tracing, ACollectorThatHangsTakesNoMoreThanIsToWaitAndNoTimeOfCalls) {
  begin({.most_waiting = 100});
  collector_.hang();
  for (int i = 0; i < 500; ++i) stub_->add(i, 1);
  const Figures now = tracer_->figures();
  EXPECT_EQ(now.sent, 0U);
  EXPECT_EQ(now.waiting, 100U);
  EXPECT_EQ(now.dropped, 900U);
  EXPECT_FALSE(tracer_->flush(std::chrono::milliseconds(50)));
  const auto begin_of_end = std::chrono::steady_clock::now();
  tracer_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin_of_end, std::chrono::seconds(10));
  EXPECT_EQ(stub_->add(1, 1), 2) << "and the ORB goes on";
}

TEST_F(Tracing, TheLastSpansLeaveWithTheTracer) {
  // On a loaded machine the two seconds that it has for them may not do.
  for (int tries = 0; tries < 10 && collector_.spans().empty(); ++tries) {
    TearDown();
    begin();
    stub_->add(1, 1);
    tracer_.reset();
  }
  const std::size_t all = collector_.spans().size();
  EXPECT_GE(all, 2U);
  stub_->add(1, 1);
  EXPECT_EQ(collector_.spans().size(), all);
}

TEST_F(Tracing, SettingsThatMakeNoSenseAreRefused) {
  EXPECT_THROW(Tracer({.endpoint = "localhost:4318"}), std::invalid_argument);
  EXPECT_THROW(Tracer({.endpoint = "file:///etc/passwd"}), std::invalid_argument);
  EXPECT_THROW(Tracer({.share = 1.5}), std::invalid_argument);
  EXPECT_THROW(Tracer({.share = std::numeric_limits<double>::quiet_NaN()}), std::invalid_argument);
  EXPECT_THROW(Tracer({.most_waiting = 0}), std::invalid_argument);
}

TEST_F(Tracing, TheEnvironmentSaysWhatTheProgramDoesNot) {
  ::setenv("OTEL_EXPORTER_OTLP_ENDPOINT", (collector_.url() + "/").c_str(), 1);
  ::setenv("OTEL_SERVICE_NAME", "of the environment", 1);
  ::setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-key=a%20b,broken", 1);
  {
    Tracer tracer;
    { const Span span(tracer, "work"); }
    EXPECT_TRUE(tracer.flush()) << tracer.figures().last_error;
  }
  for (const char* name : {"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_SERVICE_NAME", "OTEL_EXPORTER_OTLP_HEADERS"})
    ::unsetenv(name);
  EXPECT_EQ(collector_.resource("service.name"), "of the environment");
  EXPECT_NE(collector_.last_head().find("x-key: a b\r\n"), std::string::npos) << collector_.last_head();
  EXPECT_TRUE(collector_.last_head().starts_with("POST /v1/traces ")) << collector_.last_head();
}

}  // namespace
}  // namespace corbel::tracing
