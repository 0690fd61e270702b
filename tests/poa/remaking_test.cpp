// SPDX-License-Identifier: Apache-2.0
// An adapter is made again under the name of one that is being destroyed when that one is gone: not while its requests
// run, and its objects end. Objects of persistent adapters would have two servants at once.
#include <algorithm>
#include <chrono>
#include <future>
#include <latch>
#include <mutex>
#include <thread>

#include "corbel/base/kept_log.hpp"
#include "eventually.hpp"
#include "test_support.hpp"

namespace corbel::poa::testing {
namespace {

using namespace PortableServer;  // NOLINT: policy values
using namespace std::chrono_literals;
using test::eventually;

constexpr const char* kRefused = "BAD_INV_ORDER 0x4f4d0003";
constexpr const char* kParentEnds = "BAD_INV_ORDER 0x4f4d0011";
constexpr const char* kDestroyed = "TRANSIENT 0x4f4d0004";
constexpr const char* kTooLong = "TIMEOUT 0x43420383";

/// Something that does not go on until the test says so, or ends. What waits keeps what it waits for.
class Block {
 public:
  Block() = default;
  ~Block() { open(); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  std::function<void()> waiting() const {
    return [state = state_] {
      state->reached.count_down();
      state->open.wait();
    };
  }
  void wait_until_reached() { state_->reached.wait(); }
  void open() {
    if (!std::exchange(opened_, true)) state_->open.count_down();
  }

 private:
  struct Latches {
    std::latch reached{1};
    std::latch open{1};
  };
  std::shared_ptr<Latches> state_ = std::make_shared<Latches>();
  bool opened_ = false;
};

/// Makes servants, whose requests do what the test says, and counts those that there are.
class Makes final : public ServantActivator {
 public:
  ServantRef incarnate(const ObjectId& id, PoaRef) override {
    const int now = ++live;
    most = std::max(most.load(), now);
    const auto found = in_requests.find(ObjectId_to_string(id));
    const auto act = found == in_requests.end() ? nullptr : found->second;
    return CORBA::make_reference<Probe>([act](std::int32_t n) {
      if (act) act();
      return n + 1;
    });
  }
  void etherealize(const ObjectId&, PoaRef, ServantRef, bool, bool) override {
    if (at_end) at_end();
    --live;
  }

  std::map<std::string, std::function<void()>> in_requests;
  std::function<void()> at_end;
  std::atomic<int> live{0};
  std::atomic<int> most{0};
};

/// Makes what is asked for.
class Finder final : public AdapterActivator {
 public:
  explicit Finder(std::function<void(PoaRef)> make) : make_(std::move(make)) {}
  bool unknown_adapter(PoaRef parent, const std::string&) override {
    ++asked;
    make_(std::move(parent));
    return true;
  }

  std::atomic<int> asked{0};

 private:
  std::function<void(PoaRef)> make_;
};

class Remaking : public ::testing::TestWithParam<const char*> {
 protected:
  void begin(const std::string& shutdown_timeout) {
    orb::Components components{
        {messaging::make_giop()}, {transport::make_inproc(transport::make_inproc_hub())}, &make_adapter};
    components.log_sink = log_;
    std::vector<std::string> options = {"-ORBListenEndpoints", "inproc://",
                                        "-ORBShutdownTimeout", shutdown_timeout,
                                        "-ORBCollocation",     std::string(GetParam()) == "local" ? "on" : "off"};
    orb_ = orb::init(options, std::string("remaking ") + GetParam(), components);
    root_ = IDL::traits<POA>::narrow(orb_->resolve_initial_references("RootPOA"));
    root_->the_POAManager()->activate();
  }
  ~Remaking() override {
    root_ = nullptr;
    if (orb_ != nullptr) orb_->destroy();
  }

  PoaRef make(const PoaRef& parent, const std::string& name, const CORBA::object_reference<Makes>& makes) {
    const PoaRef poa = parent->create_POA(
        name, root_->the_POAManager(),
        {root_->create_lifespan_policy(LifespanPolicyValue::PERSISTENT),
         root_->create_id_assignment_policy(IdAssignmentPolicyValue::USER_ID),
         root_->create_request_processing_policy(RequestProcessingPolicyValue::USE_SERVANT_MANAGER)});
    poa->set_servant_manager(makes);
    return poa;
  }
  PoaRef make() { return make(root_, "again", makes_); }
  std::string made() {
    return outcome([&] { make(); });
  }
  std::future<std::string> start(std::function<void()> act) {
    return std::async(std::launch::async, [act = std::move(act)] { return outcome(act); });
  }
  /// A request to an object of the adapter, which is in the servant when this returns.
  std::future<std::string> enter(const PoaRef& poa, const std::string& id, Block& block) {
    makes_->in_requests[id] = block.waiting();
    auto call = start([object = reference(poa, id)] { number(object); });
    block.wait_until_reached();
    return call;
  }
  static bool waits(std::future<std::string>& future) { return future.wait_for(30ms) == std::future_status::timeout; }
  static std::string end_of(std::future<std::string>& future) {
    return future.wait_for(10s) == std::future_status::ready ? future.get() : "waits";
  }

  std::shared_ptr<base::KeptLog> log_ = std::make_shared<base::KeptLog>();
  const CORBA::object_reference<Makes> makes_ = CORBA::make_reference<Makes>();
  OrbRef orb_;
  PoaRef root_;
};
INSTANTIATE_TEST_SUITE_P(Ways, Remaking, ::testing::Values("local", "remote"));

TEST_P(Remaking, WaitsForAllRequestsOfTheOldOne) {
  begin("20000");
  const PoaRef old = make();
  const ObjectRef account = reference(old, "account");
  Block first;
  Block second;
  auto one = enter(old, "account", first);
  auto other = enter(old, "another", second);
  old->destroy(true, false);
  EXPECT_EQ(outcome([&] { number(account); }), kDestroyed);
  auto again = start([&] { make(); });
  EXPECT_TRUE(waits(again));
  first.open();
  EXPECT_EQ(one.get(), "none");
  EXPECT_TRUE(waits(again)) << "the other request runs";
  makes_->in_requests.clear();
  second.open();
  EXPECT_EQ(other.get(), "none");
  EXPECT_EQ(end_of(again), "none");
  EXPECT_EQ(makes_->live, 0) << "their end was told before";
  makes_->most = 0;
  EXPECT_EQ(number(account), 1);
  EXPECT_EQ(makes_->most, 1);
  EXPECT_EQ(made(), "AdapterAlreadyExists");
}

TEST_P(Remaking, WaitsUntilTheObjectsOfTheOldOneHaveEnded) {
  begin("20000");
  const PoaRef old = make();
  const ObjectRef account = reference(old, "account");
  EXPECT_EQ(number(account), 1);
  Block block;
  makes_->at_end = block.waiting();
  auto end = start([&] { old->destroy(true, true); });
  block.wait_until_reached();
  auto again = start([&] { make(); });
  EXPECT_TRUE(waits(again));
  block.open();
  EXPECT_EQ(end_of(again), "none");
  EXPECT_EQ(end_of(end), "none");
  EXPECT_EQ(number(account), 1);
  EXPECT_EQ(makes_->most, 1);
  makes_->at_end = nullptr;
}

TEST_P(Remaking, WaitsForThoseBelowTheOldOne) {
  begin("20000");
  const PoaRef old = make();
  const PoaRef below = make(old, "below", makes_);
  Block block;
  auto call = enter(below, "account", block);
  old->destroy(true, false);
  auto again = start([&] { make(); });
  EXPECT_TRUE(waits(again));
  block.open();
  EXPECT_EQ(end_of(again), "none");
  EXPECT_EQ(call.get(), "none");
  EXPECT_EQ(makes_->live, 0);
}

TEST_P(Remaking, OfThoseWhoWaitOneMakesIt) {
  begin("20000");
  const PoaRef old = make();
  Block block;
  auto call = enter(old, "account", block);
  old->destroy(true, false);
  auto one = start([&] { make(); });
  auto other = start([&] { make(); });
  EXPECT_TRUE(waits(one));
  EXPECT_TRUE(waits(other));
  block.open();
  std::vector<std::string> ends = {end_of(one), end_of(other)};
  std::sort(ends.begin(), ends.end());
  EXPECT_EQ(ends, (std::vector<std::string>{"AdapterAlreadyExists", "none"}));
  EXPECT_EQ(call.get(), "none");
}

// As waiting for the end of requests: it might be its own.
TEST_P(Remaking, IsRefusedInRequestsWhereItHadToWait) {
  begin("20000");
  const PoaRef old = make();
  const PoaRef below = make(old, "below", makes_);
  const PoaRef beside = make(root_, "beside", makes_);
  std::string inside;
  makes_->in_requests["account"] = [&] {
    old->destroy(true, false);
    inside = made();
  };
  for (const PoaRef& poa : {old, below}) {
    EXPECT_EQ(number(reference(poa, "idle")), 1);
  }
  EXPECT_EQ(number(reference(below, "account")), 1);
  EXPECT_EQ(inside, kRefused);
  EXPECT_TRUE(eventually([&] { return made() == "none"; }));

  const PoaRef next = root_->find_POA("again", false);
  makes_->in_requests["other"] = [&] { inside = made() + ", " + outcome([&] { root_->find_POA("again", true); }); };
  Block block;
  auto call = enter(next, "busy", block);
  next->destroy(true, false);
  EXPECT_EQ(number(reference(beside, "other")), 1);
  EXPECT_EQ(inside, std::string(kRefused) + ", AdapterNonExistent");
  block.open();
  EXPECT_EQ(call.get(), "none");
}

TEST_P(Remaking, IsDoneAtOnceInRequestsWhereNothingRuns) {
  begin("20000");
  PoaRef old = make();
  const PoaRef beside = make(root_, "beside", makes_);
  std::string inside;
  makes_->in_requests["account"] = [&] {
    old->destroy(true, false);
    inside = made();
  };
  EXPECT_EQ(number(reference(beside, "account")), 1);
  EXPECT_EQ(inside, "none");
}

TEST_P(Remaking, IsRefusedInTheEndOfTheOldOne) {
  begin("20000");
  const PoaRef old = make();
  const PoaRef below = make(old, "below", makes_);
  std::string inside;
  makes_->at_end = [&] { inside = made(); };
  EXPECT_EQ(number(reference(below, "account")), 1);
  old->destroy(true, true);
  EXPECT_EQ(inside, kRefused);
  makes_->at_end = nullptr;
  EXPECT_EQ(made(), "none");
}

TEST_P(Remaking, WaitsNoLongerThanTheShutdownTimeout) {
  begin("50");
  const PoaRef old = make();
  Block block;
  auto call = enter(old, "account", block);
  old->destroy(true, false);
  EXPECT_EQ(made(), kTooLong);
  const auto told = log_->wait_for("requests still run after the shutdown time-out");
  EXPECT_EQ(told.value("poa"), "again");
  EXPECT_EQ(told.value("wanted"), "create_POA");
  EXPECT_EQ(told.value("object"), "account");
  block.open();
  EXPECT_EQ(call.get(), "none");
  EXPECT_TRUE(eventually([&] { return made() == "none"; }));
}

TEST_P(Remaking, EndsWithTheParent) {
  begin("20000");
  const PoaRef parent = make(root_, "parent", makes_);
  const PoaRef old = make(parent, "again", makes_);
  Block block;
  auto call = enter(old, "account", block);
  old->destroy(true, false);
  auto again = start([&] { make(parent, "again", makes_); });
  EXPECT_TRUE(waits(again));
  parent->destroy(true, false);
  EXPECT_EQ(end_of(again), kParentEnds);
  block.open();
  EXPECT_EQ(call.get(), "none");
}

TEST_P(Remaking, EndsWithTheOrb) {
  begin("20000");
  const PoaRef old = make();
  Block block;
  auto call = enter(old, "account", block);
  old->destroy(true, false);
  auto again = start([&] { make(); });
  EXPECT_TRUE(waits(again));
  auto end = start([&] { orb_->shutdown(true); });
  EXPECT_EQ(end_of(again), kParentEnds);
  EXPECT_TRUE(waits(end));
  block.open();
  EXPECT_EQ(end_of(end), "none");
  call.get();
}

TEST_P(Remaking, IsLeftToTheActivatorWhenTheOldOneIsGone) {
  begin("20000");
  const PoaRef old = make();
  const PoaRef below = make(old, "below", makes_);
  const ObjectRef account = reference(old, "account");
  const ObjectRef deeper = reference(below, "account");
  const auto finder = CORBA::make_reference<Finder>(
      [&](const PoaRef& parent) { (void)(parent->the_name() == "again" ? make(parent, "below", makes_) : make()); });
  root_->the_activator(finder);
  Block block;
  auto call = enter(old, "account", block);
  old->destroy(true, false);
  EXPECT_TRUE(eventually([&] { return outcome([&] { below->the_name(); }) == "OBJECT_NOT_EXIST 0x4f4d0004"; }));
  EXPECT_EQ(outcome([&] { root_->find_POA("again", false); }), "AdapterNonExistent");
  EXPECT_EQ(outcome([&] { number(account); }), kDestroyed);
  EXPECT_EQ(outcome([&] { number(deeper); }), kDestroyed) << "requests do not wait";
  auto found = start([&] { root_->find_POA("again", true)->the_activator(finder); });
  EXPECT_TRUE(waits(found));
  EXPECT_EQ(finder->asked, 0);
  makes_->in_requests.clear();
  block.open();
  EXPECT_EQ(call.get(), "none");
  EXPECT_EQ(end_of(found), "none");
  EXPECT_EQ(finder->asked, 1);
  EXPECT_EQ(number(account), 1);
  EXPECT_EQ(number(deeper), 1);
  EXPECT_EQ(finder->asked, 2);
}

}  // namespace
}  // namespace corbel::poa::testing
