// SPDX-License-Identifier: Apache-2.0
// Requests that wait for their answers, at the moment when they begin to.
#include "corbel/orb/deferrals.hpp"

#include <gtest/gtest.h>

#include "corbel/corba/exception.hpp"
#include "corbel/orb/local_deferral.hpp"

namespace corbel::orb {
namespace {

/// Has its ORB end while a request begins to be held.
class EndingAdapter final : public ObjectAdapter {
 public:
  void dispatch(base::ConstByteSpan, corba::ServerCall&) override {}
  void locate(base::ConstByteSpan) override {}
  bool made_here(base::ConstByteSpan) const noexcept override { return false; }
  bool shutdown(bool, base::Deadline) override { return true; }
  Hold hold() noexcept override {
    ++held;
    EXPECT_TRUE(all->end_all(base::Deadline::none()));
    return {this, this};
  }
  void release(const Hold& hold) noexcept override {
    EXPECT_EQ(hold.adapter, this);
    ++released;
  }

  Deferrals* all = nullptr;
  int held = 0;
  int released = 0;
};

TEST(Deferrals, ThatBeginWhileTheOrbEndsAreRefusedAndGiveEverythingBack) {
  ValueMemory memory(1'000'000);
  EndingAdapter adapter;
  const std::atomic<ObjectAdapter*> where{&adapter};
  Deferrals all(base::Log::none(), memory, where);
  adapter.all = &all;
  EXPECT_THROW(LocalDeferral::make(all, "ask", true, {}, 100), CORBA::TRANSIENT);
  EXPECT_EQ(adapter.held, 1);
  EXPECT_EQ(adapter.released, 1);
  EXPECT_EQ(memory.used(), 0U);
  EXPECT_EQ(all.count(), 0U);
}

}  // namespace
}  // namespace corbel::orb
