// SPDX-License-Identifier: Apache-2.0
// Requests that a manager holds back, and what becomes of them when things change.
#include <chrono>
#include <future>
#include <memory>

#include "corbel/base/kept_log.hpp"
#include "test_support.hpp"

namespace corbel::poa::testing {
namespace {

using namespace PortableServer;  // NOLINT: policy values
using namespace std::chrono_literals;

/// An ORB that tells when it holds a request back.
class Held : public ::testing::TestWithParam<const char*> {
 protected:
  void begin(const std::string& hold_timeout) {
    orb::Components components{
        {messaging::make_giop()}, {transport::make_inproc(transport::make_inproc_hub())}, &make_adapter};
    components.log_sink = log_;
    std::vector<std::string> options = {"-ORBListenEndpoints", "inproc://",
                                        "-ORBHoldTimeout",     hold_timeout,
                                        "-ORBLogLevel",        "poa=debug",
                                        "-ORBLogRate",         "0",
                                        "-ORBCollocation",     std::string(GetParam()) == "local" ? "on" : "off"};
    orb_ = orb::init(options, std::string("held ") + GetParam(), components);
    root_ = IDL::traits<POA>::narrow(orb_->resolve_initial_references("RootPOA"));
    object_ = root_->servant_to_reference(CORBA::make_reference<Probe>());
  }
  ~Held() override {
    root_ = nullptr;
    object_ = nullptr;
    orb_->destroy();
  }
  /// A call that is being held back when this returns.
  std::future<std::string> held_call(const ObjectRef& object) {
    auto call = std::async(std::launch::async, [object] { return outcome([&] { number(object); }); });
    (void)log_->wait_for("request held");
    return call;
  }
  static void expect_soon(std::future<std::string>& call, const std::string& wanted) {
    ASSERT_EQ(call.wait_for(20s), std::future_status::ready);
    EXPECT_EQ(call.get().substr(0, wanted.size()), wanted);
  }

  std::shared_ptr<base::KeptLog> log_ = std::make_shared<base::KeptLog>();
  OrbRef orb_;
  PoaRef root_;
  ObjectRef object_;
};
INSTANTIATE_TEST_SUITE_P(Ways, Held, ::testing::Values("local", "remote"));

TEST_P(Held, RequestsLearnAtOnceThatTheManagerIsActive) {
  begin("60000");
  auto call = held_call(object_);
  root_->the_POAManager()->activate();
  expect_soon(call, "none");
}

TEST_P(Held, RequestsLearnAtOnceThatTheManagerDiscardsThem) {
  begin("60000");
  auto call = held_call(object_);
  root_->the_POAManager()->discard_requests(false);
  expect_soon(call, "TRANSIENT 0x4f4d0001");
}

TEST_P(Held, RequestsLearnAtOnceThatTheirAdapterEnds) {
  begin("60000");
  const PoaRef poa = root_->create_POA("ends", root_->the_POAManager(), {});
  auto call = held_call(poa->id_to_reference(poa->activate_object(CORBA::make_reference<Probe>())));
  poa->destroy(false, true);
  ASSERT_EQ(call.wait_for(20s), std::future_status::ready);
  const std::string ended = call.get();
  EXPECT_TRUE(ended.starts_with("TRANSIENT 0x4f4d0004") || ended.starts_with("OBJECT_NOT_EXIST")) << ended;
}

TEST_P(Held, RequestsWaitNoLongerForOtherAdaptersThatEnd) {
  begin("200");
  auto call = held_call(object_);
  const auto give_up = std::chrono::steady_clock::now() + 20s;
  while (call.wait_for(1ms) != std::future_status::ready && std::chrono::steady_clock::now() < give_up) {
    root_->create_POA("other", root_->the_POAManager(), {})->destroy(false, true);  // all look again
  }
  expect_soon(call, "TRANSIENT 0x43420503");
}

}  // namespace
}  // namespace corbel::poa::testing
