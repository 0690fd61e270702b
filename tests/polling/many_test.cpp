// SPDX-License-Identifier: Apache-2.0
// Sets of very many pollables: how often each is looked at.
#include <memory>
#include <vector>

#include "support.hpp"

namespace corbel::polling_test {
namespace {

class Fake;

/// The replies of a client without threads: each look at a call brings one of them in.
struct Replies {
  std::size_t looks = 0;
  std::vector<Fake*> coming;  ///< the next one last
};

/// As calls with -ORBConcurrency single have it.
class FakeCarrier final : public corba::AsyncCarrier {
 public:
  FakeCarrier(Replies& replies, corba::PollableCall& call) : replies_(replies), call_(call) {}
  bool wait(base::Deadline) override { return poll(); }
  bool poll() override;
  bool attended() const noexcept override {
    ++replies_.looks;
    return false;
  }
  void may_take_long() noexcept override {}
  void report_thrown() noexcept override {}

 private:
  Replies& replies_;
  corba::PollableCall& call_;
};

constexpr corba::Operation kOperation{.name = "fake"};

class FakeCall final : public corba::PollableCall {
 public:
  explicit FakeCall(Replies& replies) : PollableCall(kOperation) { emplace_carrier<FakeCarrier>(replies, *this); }
  void encode_arguments(cdr::Encoder&) override {}
  void decode_results(cdr::Decoder&) override {}
  void* const* local_arguments() noexcept override { return nullptr; }
};

class Fake final : public CORBA::Pollable {
 public:
  explicit Fake(Replies& replies) : call_(new FakeCall(replies)) {}
  corba::PollableCall& _pollable_call() override { return *call_; }
  base::SharedPtr<corba::DiiRequests> _dii_requests() const override { return nullptr; }

 private:
  const base::IntrusivePtr<FakeCall> call_;
};

bool FakeCarrier::poll() {
  ++replies_.looks;
  if (!replies_.coming.empty()) {
    Fake* const next = replies_.coming.back();
    replies_.coming.pop_back();
    next->_pollable_call().complete(nullptr);
  }
  return call_.state() != corba::PollableCall::State::pending;
}

struct Many {
  explicit Many(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      fakes.push_back(base::make_shared<Fake>(replies));
      set->add_pollable(Pollable(fakes.back()));
    }
    replies.looks = 0;
  }
  Replies replies;
  std::vector<base::SharedPtr<Fake>> fakes;
  PollableSet set = CORBA::make_reference<CORBA::PollableSet>(nullptr);
};

constexpr std::size_t kMany = 100'000;

TEST(ManyPollables, AreTakenWithAFewLooksEachInWhateverOrderTheyCome) {
  for (const bool backwards : {false, true}) {
    Many all(kMany);
    for (std::size_t i = 0; i < kMany; ++i)
      all.replies.coming.push_back(all.fakes[backwards ? i : kMany - 1 - i].get());
    for (std::size_t i = 0; i < kMany; ++i) {
      const Pollable ready = all.set->get_ready_pollable(kForEver);
      ASSERT_EQ(ready, Pollable(all.fakes[backwards ? kMany - 1 - i : i]));
    }
    EXPECT_LE(all.replies.looks, 4 * kMany);
    EXPECT_EQ(all.set->number_left(), 0U);
  }
}

TEST(ManyPollables, ThatAreReadyComeInTheOrderInWhichTheyWereAdded) {
  Many all(kMany);
  for (std::size_t i = kMany; i-- > 0;) all.fakes[i]->_pollable_call().complete(nullptr);
  EXPECT_EQ(all.set->number_left(), UINT16_MAX);
  for (const auto& expected : all.fakes) ASSERT_EQ(all.set->get_ready_pollable(0), Pollable(expected));
  EXPECT_LE(all.replies.looks, 2 * kMany);
  EXPECT_THROW((void)all.set->get_ready_pollable(0), CORBA::PollableSet::NoPossiblePollable);
}

TEST(ManyPollables, ThatAreAddedReadyAreReadyAgainAfterTheyWereRemoved) {
  Many one(1);
  const Pollable pollable(one.fakes[0]);
  one.fakes[0]->_pollable_call().complete(nullptr);
  for (std::size_t i = 0; i < kMany; ++i) {  // the set remembers none of that
    one.set->remove(pollable);
    one.set->add_pollable(pollable);
  }
  EXPECT_EQ(one.set->get_ready_pollable(0), pollable);
  EXPECT_THROW((void)one.set->get_ready_pollable(0), CORBA::PollableSet::NoPossiblePollable);
}

TEST(ManyPollables, ThatOthersHaveTakenAreLeftOutAllAtOnce) {
  Many all(kMany);
  for (std::size_t i = 0; i < kMany; ++i) {
    auto& call = all.fakes[i]->_pollable_call();
    call.complete(nullptr);
    if (i + 1 != kMany) {
      EXPECT_TRUE(call.take());
    }
  }
  EXPECT_EQ(all.set->number_left(), 1U);
  EXPECT_EQ(all.set->get_ready_pollable(0), Pollable(all.fakes.back()));
  EXPECT_LE(all.replies.looks, 2 * kMany);
}

}  // namespace
}  // namespace corbel::polling_test
