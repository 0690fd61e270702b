// SPDX-License-Identifier: Apache-2.0
#include "mutex.hpp"

#include <gtest/gtest.h>

#include <latch>
#include <thread>

namespace corbel::real_time {
namespace {

constexpr TimeBase::TimeT kMillisecond = 10'000;

TEST(InheritingMutex, IsOfOneThreadAtATime) {
  InheritingMutex mutex;
  int count = 0;
  const auto work = [&] {
    for (int i = 0; i < 1000; ++i) {
      mutex.lock();
      ++count;
      mutex.unlock();
    }
  };
  std::thread one(work);
  std::thread other(work);
  one.join();
  other.join();
  EXPECT_EQ(count, 2000);
}

TEST(InheritingMutex, IsWaitedForAsLongAsOneWants) {
  InheritingMutex mutex;
  mutex.lock();
  std::thread([&] {
    EXPECT_FALSE(mutex.try_lock(0));
    EXPECT_FALSE(mutex.try_lock(kMillisecond));
  }).join();
  std::latch waits{1};
  std::thread waiting([&] {
    waits.count_down();
    EXPECT_TRUE(mutex.try_lock(UINT64_MAX));
    mutex.unlock();
  });
  waits.wait();
  mutex.unlock();
  waiting.join();
  EXPECT_TRUE(mutex.try_lock(0));
  mutex.unlock();
  EXPECT_TRUE(mutex.try_lock(60'000 * kMillisecond));
  mutex.unlock();
}

TEST(InheritingMutex, RefusesWrongUse) {
  InheritingMutex mutex;
  EXPECT_THROW(mutex.unlock(), CORBA::BAD_INV_ORDER);
  mutex.lock();
  EXPECT_THROW(mutex.lock(), CORBA::BAD_INV_ORDER);
  std::thread([&] { EXPECT_THROW(mutex.unlock(), CORBA::BAD_INV_ORDER); }).join();
  mutex.unlock();
}

TEST(InheritingMutex, IsNobodysWhenItIsDestroyed) {
  InheritingMutex mutex;
  mutex.lock();
  std::latch waits{1};
  std::thread waiting([&] {
    waits.count_down();
    EXPECT_THROW(mutex.lock(), CORBA::OBJECT_NOT_EXIST);
  });
  waits.wait();
  mutex.destroy();
  mutex.unlock();
  waiting.join();
  EXPECT_THROW(mutex.try_lock(0), CORBA::OBJECT_NOT_EXIST);
  EXPECT_THROW(mutex.lock(), CORBA::OBJECT_NOT_EXIST);
}

TEST(NamedMutexes, AreOnePerName) {
  NamedMutexes all;
  bool created = false;
  EXPECT_THROW(all.open("door"), RTCORBA::RTORB::MutexNotFound);
  const auto door = all.create("door", created);
  EXPECT_TRUE(created);
  EXPECT_EQ(all.create("door", created)._shared(), door._shared());
  EXPECT_FALSE(created);
  EXPECT_NE(all.create("gate", created)._shared(), door._shared());
  EXPECT_EQ(all.open("door")._shared(), door._shared());
  all.forget(door);
  EXPECT_THROW(all.open("door"), RTCORBA::RTORB::MutexNotFound);
  EXPECT_NO_THROW(all.open("gate"));
}

}  // namespace
}  // namespace corbel::real_time
