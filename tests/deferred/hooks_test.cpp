// SPDX-License-Identifier: Apache-2.0
// Interceptors of servers whose servants answer later.
#include "corbel/interceptors/portable_interceptor.hpp"
#include "support.hpp"

namespace corbel::deferred_test {
namespace {

namespace PI = PortableInterceptor;
using Info = IDL::traits<PI::ServerRequestInfo>::ref_type;

/// Tells what happened, in its order.
class Watch final : public PI::ServerRequestInterceptor {
 public:
  std::string name() override { return "watch"; }
  void destroy() override {}
  void receive_request_service_contexts(Info info) override {
    CORBA::Any seven;
    seven <<= std::int32_t{7};
    info->set_slot(slot, seven);
    add("contexts", info);
  }
  void receive_request(Info info) override { add("request", info); }
  void send_reply(Info info) override {
    add("reply", info);
    replying_ = std::this_thread::get_id();
    if (instead) throw CORBA::NO_PERMISSION(5, CORBA::COMPLETED_YES);
  }
  void send_exception(Info info) override { add("exception", info); }
  void send_other(Info info) override { add("other", info); }

  std::string take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(story_, {});
  }
  std::thread::id replying() const { return replying_; }

  PI::SlotId slot = 0;
  std::atomic<bool> instead{false};

 private:
  void add(const std::string& point, const Info& info) {
    std::int32_t value = 0;
    info->get_slot(slot) >>= value;
    const std::lock_guard lock(mutex_);
    story_ += (story_.empty() ? "" : " ") + point + ":" + info->operation() + ":" + std::to_string(value);
  }
  std::mutex mutex_;
  std::string story_;
  std::atomic<std::thread::id> replying_;
};

class Initializer final : public PI::ORBInitializer {
 public:
  void pre_init(IDL::traits<PI::ORBInitInfo>::ref_type info) override {
    if (info->orb_id() != "watched") return;
    watch->slot = info->allocate_slot_id();
    info->add_server_request_interceptor(watch);
  }
  void post_init(IDL::traits<PI::ORBInitInfo>::ref_type) override {}
  CORBA::object_reference<Watch> watch = CORBA::make_reference<Watch>();
};

TEST(HooksOfDeferred, SeeTheEndWhenItIsAnswered) {
  static const auto initializer = [] {
    auto made = CORBA::make_reference<Initializer>();
    PI::register_orb_initializer(made);
    return made;
  }();
  const auto& watch = initializer->watch;
  for (const char* endpoint : {"tcp://127.0.0.1:0", "unix://"}) {
    World world(endpoint, {}, {}, "watched");
    Caller caller([&] { return world.desk->ask("a"); });
    const Keeper::Asked asked = world.servant->take();
    EXPECT_EQ(watch->take(), "contexts:ask:7 request:ask:7");
    std::thread answering([&] { asked.answer->ask("b"); });
    const std::thread::id thread = answering.get_id();
    answering.join();
    EXPECT_EQ(caller.outcome(), "b");
    EXPECT_EQ(watch->take(), "reply:ask:7");
    EXPECT_EQ(watch->replying(), thread);

    EXPECT_EQ(world.desk->ask("now"), "at once");
    EXPECT_EQ(watch->take(), "contexts:ask:7 request:ask:7 reply:ask:7");

    EXPECT_EQ(Caller([&] { return world.desk->ask("throw"); }).outcome(), "Refused thrown");
    EXPECT_EQ(watch->take(), "contexts:ask:7 request:ask:7 exception:ask:7");
    EXPECT_EQ(Caller([&] { return world.desk->ask("drop"); }).outcome(), "NO_RESPONSE");
    EXPECT_EQ(watch->take(), "contexts:ask:7 request:ask:7 exception:ask:7");

    watch->instead = true;
    Caller refused([&] { return world.desk->ask("a"); });
    world.servant->take().answer->ask("b");
    EXPECT_EQ(refused.outcome(), "NO_PERMISSION");
    EXPECT_EQ(refused.minor, 5U);
    watch->instead = false;
    (void)watch->take();

    Caller here([&] { return world.local->ask("a"); });
    const Keeper::Asked local = world.servant->take();
    EXPECT_EQ(watch->take(), "contexts:ask:7 request:ask:7");
    local.answer->ask("b");
    EXPECT_EQ(here.outcome(), "b");
    EXPECT_EQ(watch->take(), "reply:ask:7");
  }
}

}  // namespace
}  // namespace corbel::deferred_test
