// SPDX-License-Identifier: Apache-2.0
// Who has to go when incoming messages take too much memory.
#include "corbel/connection/input_memory.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <utility>

#include "support/allocations.hpp"

namespace corbel::connection {
namespace {

/// Keeps some for nothing and some for half a message, and notes what it is asked for.
class User final : public InputUser {
 public:
  User(InputMemory& memory, std::string& journal, char name) : memory_(memory), journal_(journal), name_(name) {
    memory_.join(*this);
  }
  ~User() {
    memory_.leave(*this, true);
    memory_.give(idle + half);
  }
  User(const User&) = delete;
  User& operator=(const User&) = delete;

  User& keeps(std::size_t nothing, std::size_t message, std::int64_t since = 0) {
    memory_.force(nothing + message);
    idle = nothing;
    half = message;
    since_ = since;
    return *this;
  }
  bool hold() noexcept override {
    ++held;
    return true;
  }
  void let_go() noexcept override { --held; }
  bool spare() noexcept override {
    memory_.give(idle);
    return std::exchange(idle, 0) != 0;
  }
  std::int64_t oldest() override {
    if (leaves_when_asked) give_back();
    return cut ? kLeaving : half != 0 ? since_ : kNone;
  }
  void cut_oldest() override {
    journal_ += name_;
    cut = true;
    if (gives_back) give_back();
  }
  void give_back() {
    memory_.give(half.exchange(0));
    cut = false;
  }

  std::size_t idle = 0;
  std::atomic<std::size_t> half{0};
  std::atomic<bool> cut{false};
  bool gives_back = true;          ///< as soon as it is cut
  bool leaves_when_asked = false;  ///< gives back when somebody looks for the oldest
  int held = 0;

 private:
  InputMemory& memory_;
  std::string& journal_;
  const char name_;
  std::int64_t since_ = 0;
};

class InputMemoryTest : public testing::Test {
 protected:
  InputMemory memory_{1000};
  std::string cut_;
  User a_{memory_, cut_, 'a'};
  User b_{memory_, cut_, 'b'};
  User c_{memory_, cut_, 'c'};
};

TEST_F(InputMemoryTest, WhatIsKeptForNothingGoesFirst) {
  a_.keeps(300, 300, 1);
  b_.keeps(300, 0);
  EXPECT_TRUE(memory_.take(700, 0, nullptr));
  EXPECT_EQ(cut_, "");
  EXPECT_EQ(memory_.used(), 1000U);
  EXPECT_EQ(a_.held + b_.held + c_.held, 0);
  memory_.give(700);
}

TEST_F(InputMemoryTest, ThenTheOldestHalfMessageOfAll) {
  a_.keeps(0, 300, 2);
  b_.keeps(0, 300, 1);
  c_.keeps(0, 300, 3);
  EXPECT_TRUE(memory_.take(300, 0, nullptr));
  EXPECT_EQ(cut_, "b");
  EXPECT_TRUE(memory_.take(600, 300, nullptr));
  EXPECT_EQ(cut_, "bac");
  memory_.give(900);
}

TEST_F(InputMemoryTest, WhoAsksDoesNotGoHimself) {
  a_.keeps(0, 500, 1);
  b_.keeps(0, 500, 2);
  EXPECT_TRUE(memory_.take(100, 500, &a_));
  EXPECT_EQ(cut_, "b");
  EXPECT_TRUE(memory_.take(10'000, 600, &a_)) << "who is alone may exceed the limit";
  EXPECT_EQ(cut_, "b");
  memory_.give(10'100);
}

TEST_F(InputMemoryTest, WhoHasBeenCutGetsNoMore) {
  a_.keeps(0, 500, 1);
  b_.keeps(0, 500, 2);
  a_.cut = true;
  EXPECT_FALSE(memory_.take(100, 500, &a_));
  EXPECT_EQ(cut_, "");
}

TEST_F(InputMemoryTest, WhoIsLeavingIsWaitedForAndNobodyElseGoes) {
  a_.keeps(0, 500, 1);
  b_.keeps(0, 500, 2);
  a_.gives_back = false;
  EXPECT_FALSE(memory_.take(500, 0, nullptr)) << "who does not wait asks again later";
  EXPECT_EQ(cut_, "a");
  EXPECT_FALSE(memory_.take(500, 0, nullptr));
  EXPECT_EQ(cut_, "a");
  std::thread reader([&] {
    while (!a_.cut) std::this_thread::yield();
    a_.give_back();
  });
  EXPECT_TRUE(memory_.take(500, 0, &c_));
  reader.join();
  EXPECT_EQ(cut_, "a");
  memory_.give(500);
}

TEST_F(InputMemoryTest, NobodyGoesForWhatHasBeenGivenBackMeanwhile) {
  a_.keeps(0, 500, 1);
  b_.keeps(0, 500, 2);
  a_.leaves_when_asked = true;
  EXPECT_TRUE(memory_.take(500, 0, nullptr));
  EXPECT_EQ(cut_, "");
  memory_.give(500);
}

TEST_F(InputMemoryTest, WhoNeverLeavesDoesNotKeepOthersFromGoing) {
  a_.keeps(0, 500, 1);
  b_.keeps(0, 500, 2);
  a_.gives_back = false;
  EXPECT_TRUE(memory_.take(500, 0, &c_));
  EXPECT_EQ(cut_, "ab");
  EXPECT_FALSE(memory_.take(1000, 500, &c_));
  EXPECT_EQ(cut_, "ab");
  memory_.give(500);
}

TEST_F(InputMemoryTest, OfPlentyNobodyNotices) {
  a_.keeps(300, 0, 1);
  EXPECT_TRUE(memory_.plenty());
  EXPECT_TRUE(memory_.take_of_plenty(200));
  EXPECT_TRUE(memory_.plenty());
  EXPECT_FALSE(memory_.take_of_plenty(1));
  EXPECT_EQ(a_.idle, 300U);
  EXPECT_TRUE(memory_.take(1, 200, nullptr));
  EXPECT_FALSE(memory_.plenty());
  memory_.give(201);
}

// Else nobody would be alone where others have an idle connection.
TEST_F(InputMemoryTest, WhatIsForGoodIsBesideTheRest) {
  InputAccount one(&memory_);
  InputAccount other(&memory_);
  EXPECT_TRUE(one.take_for_good(100));
  EXPECT_TRUE(other.take_for_good(25));
  EXPECT_FALSE(other.take_for_good(1)) << "an eighth of the limit";
  EXPECT_EQ(memory_.used(), 0U);
  EXPECT_EQ(one.paid(), 0U);
  EXPECT_TRUE(other.take(5000)) << "alone";
  other.give(5000);
  one.give_for_good(100);
  EXPECT_TRUE(other.take_for_good(100));
  other.give_for_good(125);
  InputAccount uncounted(nullptr);
  EXPECT_TRUE(uncounted.take_for_good(SIZE_MAX));
}

TEST_F(InputMemoryTest, OfCopiesOneMayExceedTheLimit) {
  InputAccount account(&memory_);
  ASSERT_TRUE(account.take(100));
  EXPECT_TRUE(account.take_copy(1000));
  EXPECT_FALSE(account.take_copy(100));
  EXPECT_TRUE(account.refused());
  account.give_copy(1000);
  EXPECT_TRUE(account.take_copy(100));
  EXPECT_FALSE(account.refused());
  account.give_copy(100);
  EXPECT_EQ(account.paid(), 100U);
  account.give(100);
  EXPECT_EQ(memory_.used(), 0U);
  InputAccount uncounted(nullptr);
  EXPECT_TRUE(uncounted.take(SIZE_MAX / 2) && uncounted.take_copy(SIZE_MAX / 2) && uncounted.take_of_plenty(1));
}

TEST(InputMemory, IsRefusedWithoutMemoryToAskOthersWith) {
  std::string journal;
  InputMemory memory(100);
  User one(memory, journal, 'a');
  one.keeps(0, 60);
  test::refuse_allocations(0, 1);
  EXPECT_NO_THROW(EXPECT_FALSE(memory.take(60, 1, nullptr)));
  test::refuse_allocations(0, 0);
  EXPECT_EQ(journal, "");
  EXPECT_TRUE(memory.take(60, 1, nullptr)) << "nobody is asking them any more";
  EXPECT_EQ(journal, "a");
  memory.give(60);
}

}  // namespace
}  // namespace corbel::connection
