// SPDX-License-Identifier: Apache-2.0
// Requests that are answered later, or run on the main thread: their threads go on without their priorities.
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "support/eventually.hpp"
#include "test_support.hpp"

namespace corbel::real_time {
namespace {

using Handler = CORBA::amh_traits<Timed::Servant>::response_handler_ref_type;

/// Answers nothing by itself.
class Later final : public virtual CORBA::amh_traits<Timed::Servant>::base_type {
 public:
  void priority(Handler handler) override { keep(std::move(handler)); }
  void pass(Handler handler, ServantRef, std::int16_t) override { keep(std::move(handler)); }
  void refuse(Handler handler) override { keep(std::move(handler)); }

  Handler take(std::thread::id& thread) {
    const std::lock_guard lock(mutex_);
    thread = thread_;
    return std::exchange(handler_, nullptr);
  }

 private:
  void keep(Handler handler) {
    const std::lock_guard lock(mutex_);
    handler_ = std::move(handler);
    thread_ = std::this_thread::get_id();
  }

  std::mutex mutex_;
  Handler handler_;
  std::thread::id thread_;
};

std::pair<int, int> native_here() {
  int policy = -1;
  sched_param parameters{};
  (void)::pthread_getschedparam(::pthread_self(), &policy, &parameters);
  return {policy, parameters.sched_priority};
}

class DeferredRequests : public testing::TestWithParam<Scheduling> {};

TEST_P(DeferredRequests, LeaveTheirThreadWithoutTheirPriority) {
  TwoOrbs orbs(Settings{.scheduling = GetParam()});
  const auto urgent =
      orbs.adapter({orbs.rt->create_priority_model_policy(RTCORBA::PriorityModel::SERVER_DECLARED, 30000)});
  const auto later = CORBA::make_reference<Later>();
  const auto waiting = orbs.at(orbs.server->object_to_string(urgent->id_to_reference(urgent->activate_object(later))));
  std::thread::id ran;
  std::pair<int, int> native;
  const auto plain = orbs.object(orbs.root, [&]() -> std::int16_t {
    ran = std::this_thread::get_id();
    native = native_here();
    try {
      return orbs.current->the_priority();
    } catch (const CORBA::INITIALIZE&) {
      return -1;
    }
  });
  ASSERT_EQ(plain->priority(), -1);
  const auto before = native;
  for (const bool answered_first : {false, true}) {
    auto call = std::async(std::launch::async, [&] { return waiting->priority(); });
    std::thread::id thread;
    Handler handler;
    ASSERT_TRUE(test::eventually([&] { return (handler = later->take(thread)) != nullptr; }));
    if (answered_first) {
      handler->priority(7);
      EXPECT_EQ(call.get(), 7);
    }
    bool met = false;
    for (int i = 0; i < 60'000 && !met; ++i) {
      // Another thread may have taken the connection over: it keeps it until there is nothing for a while.
      if (i % 100 == 99) std::this_thread::sleep_for(std::chrono::milliseconds(100));
      ASSERT_EQ(plain->priority(), -1) << i;
      ASSERT_EQ(native, before) << i;
      met = ran == thread;
    }
    EXPECT_TRUE(met) << "another thread served all of them";
    if (answered_first) continue;
    handler->priority(7);
    EXPECT_EQ(call.get(), 7);
  }
}
INSTANTIATE_TEST_SUITE_P(Classes, DeferredRequests, testing::Values(Scheduling::other, Scheduling::fifo));

// The main thread is no thread of a pool: when it has run a request, it is what it was.
class OnTheMainThread : public testing::TestWithParam<Scheduling> {};

TEST_P(OnTheMainThread, RequestsHaveTheirPriorityAndTheThreadItsOwnAfterwardsHoweverTheyEnd) {
  TwoOrbs orbs(Settings{.scheduling = GetParam()});
  const auto pool = orbs.rt->create_threadpool(0, 1, 0, 20000, false, 0, 0);
  const auto poa =
      orbs.adapter({orbs.rt->create_priority_model_policy(RTCORBA::PriorityModel::SERVER_DECLARED, 30000),
                    orbs.rt->create_threadpool_policy(pool),
                    orbs.root->create_thread_policy(PortableServer::ThreadPolicyValue::MAIN_THREAD_MODEL)});
  const auto priority_here = [&]() -> std::int16_t {
    try {
      return orbs.current->the_priority();
    } catch (const CORBA::INITIALIZE&) {
      return -1;
    }
  };
  std::atomic<bool> fails = false;
  std::set<std::thread::id> ran;
  const auto act = [&]() -> std::int16_t {
    ran.insert(std::this_thread::get_id());
    if (fails) throw CORBA::NO_PERMISSION();
    return priority_here();
  };
  const auto remote = orbs.object(poa, act);
  const auto later = CORBA::make_reference<Later>();
  const auto waiting = orbs.at(orbs.server->object_to_string(poa->id_to_reference(poa->activate_object(later))));
  std::thread main([&] {
    const auto before = native_here();
    for (int i = 0; i < 3; ++i) {
      fails = i == 1;
      auto call = std::async(std::launch::async, [&] { return i == 2 ? waiting->priority() : remote->priority(); });
      Handler handler;
      while (call.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
        if (orbs.server->work_pending()) orbs.server->perform_work();
        std::thread::id thread;
        if (i != 2 || handler != nullptr || (handler = later->take(thread)) == nullptr) continue;
        EXPECT_EQ(priority_here(), -1) << "it is answered later";
        EXPECT_EQ(native_here(), before);
        handler->priority(7);
      }
      if (i == 1) {
        EXPECT_THROW(call.get(), CORBA::NO_PERMISSION);
      } else {
        EXPECT_EQ(call.get(), i == 2 ? 7 : 30000);
      }
      EXPECT_EQ(priority_here(), -1) << i;
      EXPECT_EQ(native_here(), before) << i;
    }
    EXPECT_EQ(ran, std::set<std::thread::id>{std::this_thread::get_id()});
  });
  main.join();
}
INSTANTIATE_TEST_SUITE_P(Classes, OnTheMainThread, testing::Values(Scheduling::other, Scheduling::fifo));

}  // namespace
}  // namespace corbel::real_time
