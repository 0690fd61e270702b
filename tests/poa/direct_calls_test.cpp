// SPDX-License-Identifier: Apache-2.0
// Calls whose reference, and requests whose thread, knows the way to its object: whatever stops other requests stops
// them, and whatever waits for others waits for them.
#include <chrono>
#include <future>
#include <memory>
#include <thread>

#include "test_support.hpp"

namespace corbel::poa::testing {
namespace {

using namespace PortableServer;  // NOLINT: policy values
using namespace std::chrono_literals;

constexpr int kCallers = 3;
constexpr int kRounds = 100;

/// References whose calls have been there before.
class DirectCalls : public PoaTest {
 protected:
  DirectCalls() : PoaTest("60000") {}

  ObjectRef warm(const ObjectRef& object) {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(number(object, 1), 2);
    return object;
  }
  static ObjectRef active(const PoaRef& poa, const ServantRef& servant) {
    return poa->id_to_reference(poa->activate_object(servant));
  }
  /// True when so many servants have been destroyed: a request is answered before it has left.
  static bool comes_to(int destroyed) {
    const auto patience = std::chrono::steady_clock::now() + 20s;
    while (Probe::destroyed < destroyed && std::chrono::steady_clock::now() < patience) std::this_thread::yield();
    return Probe::destroyed == destroyed;
  }
  ObjectRef warm_probe() { return warm(root->servant_to_reference(CORBA::make_reference<Probe>())); }

  /// A probe whose calls wait inside until they are let go.
  struct Gated {
    std::promise<void> inside, go_on;
    std::shared_future<void> go = go_on.get_future().share();
    Probe::Action action() {
      return [this](std::int32_t n) {
        if (n != 100) return n + 1;
        inside.set_value();
        go.wait();
        return 200;
      };
    }
    std::future<std::int32_t> call(const ObjectRef& object) {
      auto result = std::async(std::launch::async, [object] { return number(object, 100); });
      inside.get_future().wait();
      return result;
    }
  };
  /// What `wait` waits for is the call that is inside.
  template <class Wait>
  static void expect_waits(Gated& gated, std::future<std::int32_t>& call, const Wait& wait) {
    auto waiting = std::async(std::launch::async, wait);
    EXPECT_EQ(waiting.wait_for(50ms), std::future_status::timeout);
    gated.go_on.set_value();
    EXPECT_EQ(call.get(), 200);
    EXPECT_EQ(waiting.wait_for(20s), std::future_status::ready);
    waiting.get();
  }
};
INSTANTIATE_TEST_SUITE_P(Ways, DirectCalls, ::testing::Values("local", "remote"));

TEST_P(DirectCalls, AreDiscardedRefusedAndServedAsTheManagerSays) {
  const PoaRef poa = root->create_POA("own", nullptr, {});
  const auto manager = poa->the_POAManager();
  manager->activate();
  const ObjectRef object = warm(active(poa, CORBA::make_reference<Probe>())),
                  other = warm(active(poa, CORBA::make_reference<Probe>()));
  for (int i = 0; i < 3; ++i) {
    manager->discard_requests(false);
    EXPECT_EQ(outcome([&] { number(object); }), "TRANSIENT 0x4f4d0001");
    EXPECT_EQ(outcome([&] { number(other); }), "TRANSIENT 0x4f4d0001");
    manager->activate();
    warm(object);
    warm(other);
  }
  manager->hold_requests(false);
  auto held = std::async(std::launch::async, [&] { return number(object, 7); });
  EXPECT_EQ(held.wait_for(50ms), std::future_status::timeout);
  manager->activate();
  EXPECT_EQ(held.get(), 8);
  warm(object);
  manager->deactivate(false, true);
  EXPECT_EQ(outcome([&] { number(object); }).substr(0, 11), "OBJ_ADAPTER");
}

TEST_P(DirectCalls, DoNotReachAnObjectThatWasDeactivated) {
  const ObjectRef object = warm_probe();
  const int before = Probe::destroyed;
  root->deactivate_object(root->reference_to_id(object));
  EXPECT_TRUE(comes_to(before + 1));
  EXPECT_EQ(outcome([&] { number(object); }).substr(0, 16), "OBJECT_NOT_EXIST");
  // Nor the next one in its slot.
  const ObjectRef next = warm_probe();
  EXPECT_EQ(outcome([&] { number(object); }).substr(0, 16), "OBJECT_NOT_EXIST");
  EXPECT_EQ(number(next, 3), 4);
}

TEST_P(DirectCalls, FindTheObjectThatWasActivatedAnew) {
  const PoaRef poa = child("user", {user_ids()});
  const ObjectId id = string_to_ObjectId("same");
  const ObjectRef object = reference(poa, "same");
  for (std::int32_t i = 0; i < 5; ++i) {
    if (i % 2 != 0) {  // another one takes the slot
      poa->activate_object_with_id(string_to_ObjectId(std::to_string(i)), CORBA::make_reference<Probe>());
    }
    poa->activate_object_with_id(id, CORBA::make_reference<Probe>([i](std::int32_t) { return i; }));
    for (int k = 0; k < 3; ++k) EXPECT_EQ(number(object), i);
    poa->deactivate_object(id);
    EXPECT_EQ(outcome([&] { number(object); }).substr(0, 16), "OBJECT_NOT_EXIST");
  }
}

TEST_P(DirectCalls, FindTheAdapterThatWasMadeAnew) {
  ObjectRef object;
  for (std::int32_t i = 0; i < 4; ++i) {
    const PoaRef poa = child("again", {user_ids(), persistent()});
    poa->activate_object_with_id(string_to_ObjectId("same"),
                                 CORBA::make_reference<Probe>([i](std::int32_t) { return i; }));
    if (object == nullptr) object = reference(poa, "same");
    for (int k = 0; k < 3; ++k) EXPECT_EQ(number(object), i);
    poa->destroy(false, true);
    EXPECT_EQ(outcome([&] { number(object); }).substr(0, 16), "OBJECT_NOT_EXIST");
  }
}

TEST_P(DirectCalls, DoNotKeepTheManagerOfAnAdapterThatWasDestroyed) {
  const auto factory = root->the_POAManagerFactory();
  ObjectRef object;
  {
    const auto manager = factory->create_POAManager("named", {});
    manager->activate();
    const PoaRef poa = root->create_POA("kept", manager, {});
    object = warm(active(poa, CORBA::make_reference<Probe>()));
    poa->destroy(true, true);
  }
  EXPECT_EQ(factory->find("named"), nullptr);
  EXPECT_EQ(outcome([&] { number(object); }).substr(0, 16), "OBJECT_NOT_EXIST");
}

TEST_P(DirectCalls, AreWaitedForByTheManager) {
  Gated gated;
  const ObjectRef object = warm(root->servant_to_reference(CORBA::make_reference<Probe>(gated.action())));
  auto call = gated.call(object);
  expect_waits(gated, call, [&] { root->the_POAManager()->discard_requests(true); });
  root->the_POAManager()->activate();
  warm(object);
}

TEST_P(DirectCalls, AreWaitedForByTheEndOfTheirAdapter) {
  Gated gated;
  const PoaRef poa = child("ends", {});
  const ObjectRef object = warm(active(poa, CORBA::make_reference<Probe>(gated.action())));
  auto call = gated.call(object);
  expect_waits(gated, call, [&] { poa->destroy(false, true); });
}

TEST_P(DirectCalls, AreWaitedForByTheNextObjectOfTheSameId) {
  Gated gated;
  const PoaRef poa = child("user", {user_ids()});
  const ObjectId id = string_to_ObjectId("same");
  const ObjectRef object = reference(poa, "same");
  poa->activate_object_with_id(id, CORBA::make_reference<Probe>(gated.action()));
  auto call = gated.call(warm(object));
  const int before = Probe::destroyed;
  poa->deactivate_object(id);
  EXPECT_EQ(Probe::destroyed, before);
  expect_waits(gated, call, [&] { poa->activate_object_with_id(id, CORBA::make_reference<Probe>()); });
  EXPECT_TRUE(comes_to(before + 1));
  warm(object);
}

TEST_P(DirectCalls, GoOnWhereOthersWaitInside) {
  Gated gated;
  const ObjectRef object = warm(root->servant_to_reference(CORBA::make_reference<Probe>(gated.action())));
  auto call = gated.call(object);
  root->the_POAManager()->discard_requests(false);
  EXPECT_EQ(outcome([&] { number(object); }), "TRANSIENT 0x4f4d0001");
  root->the_POAManager()->activate();
  warm(object);  // another ticket than the one inside
  expect_waits(gated, call, [&] { root->the_POAManager()->hold_requests(true); });
  root->the_POAManager()->activate();
  warm(object);
}

TEST_P(DirectCalls, MayEndTheirOwnObjectAndCallItBefore) {
  ObjectRef object;
  PoaRef poa = root;
  const int before = Probe::destroyed;
  auto servant = CORBA::make_reference<Probe>([&](std::int32_t n) -> std::int32_t {
    if (n < 100) return n + 1;
    if (n > 100) return number(object, n - 1);
    EXPECT_EQ(number(object, 1), 2);
    poa->deactivate_object(poa->reference_to_id(object));
    EXPECT_EQ(outcome([&] { number(object); }).substr(0, 16), "OBJECT_NOT_EXIST");
    EXPECT_EQ(Probe::destroyed, before);
    return 77;
  });
  object = root->servant_to_reference(servant);
  servant = nullptr;
  warm(object);
  EXPECT_EQ(number(object, 105), 77);
  EXPECT_TRUE(comes_to(before + 1));
}

TEST_P(DirectCalls, LeaveWithWhatTheServantThrows) {
  const ObjectRef object = root->servant_to_reference(CORBA::make_reference<Probe>([](std::int32_t n) -> std::int32_t {
    if (n == 13) throw CORBA::NO_PERMISSION();
    return n + 1;
  }));
  warm(object);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(outcome([&] { number(object, 13); }).substr(0, 13), "NO_PERMISSION");
  root->the_POAManager()->discard_requests(true);  // nothing runs
  root->the_POAManager()->activate();
  warm(object);
}

TEST_P(DirectCalls, ReachMoreObjectsThanGetEntriesForRequests) {
  constexpr std::int32_t kObjects = 1100;  // a POA gives 1,024 of them one
  std::vector<ObjectRef> objects;
  for (std::int32_t i = 0; i < kObjects; ++i) {
    objects.push_back(root->servant_to_reference(CORBA::make_reference<Probe>([i](std::int32_t n) { return i + n; })));
    for (int k = 0; k < 3; ++k) EXPECT_EQ(number(objects.back(), 1), i + 1);
  }
  // Ways of threads are taken by other objects, and come back.
  for (std::int32_t i = 0; i < kObjects; ++i) {
    EXPECT_EQ(number(objects[static_cast<std::size_t>(i)], 2), i + 2);
    EXPECT_EQ(number(objects[static_cast<std::size_t>(i * 7 % kObjects)], 2), i * 7 % kObjects + 2);
  }
}

/// Threads that call all the time.
class Callers {
 public:
  explicit Callers(std::vector<ObjectRef> objects) : objects_(std::move(objects)) {
    for (int i = 0; i < kCallers; ++i) threads_.emplace_back([this, i] { call(static_cast<std::size_t>(i)); });
  }
  ~Callers() {
    over_ = true;
    for (auto& thread : threads_) thread.join();
    EXPECT_EQ(wrong_, 0);
  }
  void await_calls() const {
    for (const int before = served_; served_ == before;) std::this_thread::yield();
  }

 private:
  void call(std::size_t i) {
    while (!over_) {
      const std::string how = outcome([&] {
        if (number(objects_[i++ % objects_.size()], 5) != 6) ++wrong_;
        ++served_;
      });
      if (how != "none" && !how.starts_with("TRANSIENT") && !how.starts_with("OBJECT_NOT_EXIST")) ++wrong_;
    }
  }

  const std::vector<ObjectRef> objects_;
  std::atomic<bool> over_{false};
  std::atomic<int> wrong_{0}, served_{0};
  std::vector<std::thread> threads_;
};

TEST_P(DirectCalls, AreNeverInsideWhileTheManagerHasStoppedThem) {
  std::atomic<int> inside{0};
  const auto servant = CORBA::make_reference<Probe>([&](std::int32_t n) {
    ++inside;
    std::this_thread::yield();
    --inside;
    return n + 1;
  });
  const PoaRef poa = child("many", {multiple()});
  std::vector<ObjectRef> objects;
  for (int i = 0; i < 2; ++i) objects.push_back(warm(active(poa, servant)));
  const auto manager = root->the_POAManager();
  const Callers callers(objects);
  for (int i = 0; i < kRounds; ++i) {
    callers.await_calls();
    i % 2 == 0 ? manager->discard_requests(true) : manager->hold_requests(true);
    EXPECT_EQ(inside, 0);
    manager->activate();
  }
}

TEST_P(DirectCalls, AreNeverInsideAnObjectThatHasEnded) {
  struct Checked {
    std::atomic<int> inside{0};
    std::atomic<bool> ended{false};
    ~Checked() { EXPECT_EQ(inside, 0); }
  };
  const PoaRef poa = child("user", {user_ids()});
  const ObjectId id = string_to_ObjectId("same");
  const auto activate = [&] {
    poa->activate_object_with_id(id,
                                 CORBA::make_reference<Probe>([checked = std::make_shared<Checked>()](std::int32_t n) {
                                   ++checked->inside;
                                   std::this_thread::yield();
                                   --checked->inside;
                                   return n + 1;
                                 }));
  };
  activate();
  const Callers callers({warm(reference(poa, "same"))});
  for (int i = 0; i < kRounds; ++i) {
    callers.await_calls();
    poa->deactivate_object(id);
    activate();  // when the last request has left
  }
}

TEST_P(DirectCalls, EndWithTheirAdapterWhileThreadsCall) {
  for (int i = 0; i < kRounds / 4; ++i) {
    const PoaRef poa = child("short", {});
    std::atomic<bool> gone{false};
    std::atomic<int> late{0};
    const ObjectRef object = warm(active(poa, CORBA::make_reference<Probe>([&](std::int32_t n) {
                                           late += gone ? 1 : 0;
                                           return n + 1;
                                         })));
    const Callers callers({object});
    callers.await_calls();
    poa->destroy(false, true);
    gone = true;
    EXPECT_EQ(late, 0);
  }
}

}  // namespace
}  // namespace corbel::poa::testing
