// SPDX-License-Identifier: Apache-2.0
// Calls that may not overlap: those of servants and their managers in a POA with SINGLE_THREAD_MODEL.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "test_support.hpp"

namespace corbel::poa::testing {
namespace {

using namespace PortableServer;  // NOLINT: policy values
using namespace std::chrono_literals;

class SingleThread : public PoaTest {
 protected:
  SingleThread() : PoaTest("60000") {}
  Policy single_thread() { return root->create_thread_policy(ThreadPolicyValue::SINGLE_THREAD_MODEL); }
};
INSTANTIATE_TEST_SUITE_P(Ways, SingleThread, ::testing::Values("local", "remote"));

/// Notices when two threads are between enter() and leave(): the first one waits a while for a second.
class Crossing {
 public:
  void pass() {
    std::unique_lock lock(mutex_);
    overlapped_ = overlapped_ || inside_ != 0;
    ++inside_;
    changed_.notify_all();
    changed_.wait_for(lock, 5ms, [&] { return overlapped_; });
    --inside_;
  }
  bool overlapped() {
    const std::lock_guard lock(mutex_);
    return overlapped_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int inside_ = 0;
  bool overlapped_ = false;
};

void call_from_threads(const std::vector<ObjectRef>& objects) {
  std::vector<std::thread> threads;
  for (const auto& object : objects) {
    threads.emplace_back([&] {
      for (int i = 0; i < 3; ++i) number(object);
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST_P(SingleThread, UpcallsThatTakeTimeDoNotOverlap) {
  Crossing crossing;
  const PoaRef poa = child("single", {single_thread()});
  std::vector<ObjectRef> objects;
  for (int i = 0; i < 3; ++i) {
    objects.push_back(poa->id_to_reference(poa->activate_object(CORBA::make_reference<Probe>([&](std::int32_t n) {
      crossing.pass();
      return n;
    }))));
  }
  call_from_threads(objects);
  EXPECT_FALSE(crossing.overlapped());
}

TEST_P(SingleThread, CallsItsServantLocatorByOneThreadAtATime) {
  struct CrossedLocator final : ServantLocator {
    ServantRef preinvoke(const ObjectId&, PoaRef, const std::string&, Cookie&) override {
      crossing.pass();
      return CORBA::make_reference<Probe>([this](std::int32_t n) {
        crossing.pass();
        return n;
      });
    }
    void postinvoke(const ObjectId&, PoaRef, const std::string&, Cookie, ServantRef) override { crossing.pass(); }
    Crossing crossing;
  };
  const PoaRef poa = child("single", {single_thread(), non_retain(), managed(), user_ids()});
  const auto locator = CORBA::make_reference<CrossedLocator>();
  poa->set_servant_manager(locator);
  call_from_threads({reference(poa, "a"), reference(poa, "b"), reference(poa, "c")});
  poa->destroy(true, true);
  EXPECT_FALSE(locator->crossing.overlapped());
}

TEST_P(SingleThread, CallsItsServantActivatorByOneThreadAtATime) {
  struct Incarnator final : ServantActivator {
    ServantRef incarnate(const ObjectId&, PoaRef) override {
      crossing.pass();
      return CORBA::make_reference<Probe>([this](std::int32_t n) {
        crossing.pass();
        return n;
      });
    }
    void etherealize(const ObjectId&, PoaRef, ServantRef, bool, bool) override { crossing.pass(); }
    Crossing crossing;
  };
  const PoaRef poa = child("single", {single_thread(), managed(), user_ids()});
  const auto incarnator = CORBA::make_reference<Incarnator>();
  poa->set_servant_manager(incarnator);
  number(reference(poa, "a"));
  std::thread deactivator([&] { poa->deactivate_object(string_to_ObjectId("a")); });
  call_from_threads({reference(poa, "b"), reference(poa, "c"), reference(poa, "d")});
  deactivator.join();
  poa->destroy(true, true);
  EXPECT_FALSE(incarnator->crossing.overlapped());
}

}  // namespace
}  // namespace corbel::poa::testing
