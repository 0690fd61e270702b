// SPDX-License-Identifier: Apache-2.0
#include "corbel/base/shared_ptr.hpp"

#include <gtest/gtest.h>

#include <thread>

#include <vector>

namespace corbel::base {
namespace {

struct Link {
  explicit Link(int& alive) : alive_(alive) { ++alive_; }
  ~Link() { --alive_; }
  int& alive_;
  SharedPtr<Link> next;
  std::vector<SharedPtr<Link>> more;
};

TEST(SharedPtr, DestroysChainsThatAreLongerThanTheStack) {
  int alive = 0;
  SharedPtr<Link> first;
  for (int i = 0; i < 1'000'000; ++i) {
    auto link = make_shared<Link>(alive);
    link->next = std::move(first);
    first = std::move(link);
  }
  EXPECT_EQ(alive, 1'000'000);
  first.reset();
  EXPECT_EQ(alive, 0);
}

TEST(SharedPtr, DestroysWhatIsSharedOnce) {
  int alive = 0;
  {
    auto root = make_shared<Link>(alive);
    for (int i = 0; i < 10'000; ++i) {
      auto link = make_shared<Link>(alive);
      if (!root->more.empty()) link->next = root->more.back();
      root->more.push_back(std::move(link));
    }
    const WeakPtr<Link> last = root->more.back();
    root->more.pop_back();
    EXPECT_EQ(last.lock(), nullptr);
    EXPECT_EQ(alive, 10'000);
  }
  EXPECT_EQ(alive, 0);
}

// Code that only looks must not become the owner that destroys it: the destructor is another's code.
TEST(SharedPtr, OwnsWhateverItSeesTheObjectAs) {
  struct Base {
    int number = 7;
  };
  struct Derived : Base {
    explicit Derived(int& count) : alive(count) { ++alive; }
    ~Derived() { --alive; }
    int& alive;
  };
  int alive = 0;
  auto derived = make_shared<Derived>(alive);
  SharedPtr<Base> base = derived;
  SharedPtr<int> member(base, &base->number);
  EXPECT_EQ(derived.use_count(), 3U);
  derived.reset();
  base.reset();
  EXPECT_EQ(alive, 1);
  EXPECT_EQ(*member, 7);
  SharedPtr<Base> moved = make_shared<Derived>(alive);
  EXPECT_EQ(moved.use_count(), 1U);
  member.reset();
  moved.reset();
  EXPECT_EQ(alive, 0);
}

TEST(SharedPtr, TheLastOwnerIsNotGivenUpWhereThatIsSaid) {
  SharedPtr<int> one = make_shared<int>(7);
  SharedPtr<int> other = one;
  EXPECT_TRUE(other.reset_unless_last());
  EXPECT_EQ(other, nullptr);
  EXPECT_FALSE(one.reset_unless_last());
  EXPECT_EQ(*one, 7);
  EXPECT_TRUE(other.reset_unless_last()) << "nothing to give up";
}

TEST(WeakPtr, LookingDoesNotDestroy) {
  struct Noted {
    explicit Noted(std::thread::id& by) : destroyed_by(by) {}
    ~Noted() { destroyed_by = std::this_thread::get_id(); }
    std::thread::id& destroyed_by;
  };
  EXPECT_TRUE(WeakPtr<Noted>().expired());
  for (int i = 0; i < 2000; ++i) {
    std::thread::id by;
    auto owner = base::make_shared<Noted>(by);
    const WeakPtr<Noted> weak = owner;
    EXPECT_FALSE(weak.expired());
    std::thread looking([weak] {
      while (!weak.expired()) {
      }
    });
    owner.reset();
    looking.join();
    ASSERT_EQ(by, std::this_thread::get_id());
  }
}

}  // namespace
}  // namespace corbel::base
