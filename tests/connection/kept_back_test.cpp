// SPDX-License-Identifier: Apache-2.0
// The timer of oneways that are kept back to leave together.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "corbel/connection/completions.hpp"
#include "corbel/ipc/event.hpp"
#include "scripted.hpp"

namespace corbel::connection {
namespace {

using namespace std::chrono_literals;

class KeptBack : public testing::Test {
 protected:
  KeptBack() {
    acts_.handle = silent_->handle();
    acts_.on_send = [this](const base::Bytes& octets) {
      ++sends_;
      sent_ += octets.size();
    };
    connection_ = connect(acts_);
    connection_->set_completions(&completions_);
  }
  ~KeptBack() override {
    connection_->close();
    completions_.close();
  }
  void post(base::Duration time) {
    const auto encode = [](cdr::Encoder& encoder) { encoder.put_octet_sequence(base::Bytes(100, 1)); };
    ASSERT_TRUE(connection_->post_oneway(request_named("tell"), encode, Deadline::now(), {time, 100}).ok());
  }
  /// The timers that will use the connection: each keeps it alive.
  std::uint32_t timers() const { return connection_->reference_count() - 1; }

  const std::unique_ptr<reactor::Reactor> reactor_ = *reactor::Reactor::create();
  Completions completions_{*reactor_, false};
  base::Result<ipc::Event> silent_ = ipc::Event::open();
  Scripted::Acts acts_;
  ConnectionPtr connection_;
  int sends_ = 0;
  std::size_t sent_ = 0;
};

TEST_F(KeptBack, HaveOneTimerWhichIsTheOneThatIsDueFirst) {
  post(1h);
  EXPECT_EQ(timers(), 1U);
  post(2h);  // that of the first does for both
  EXPECT_EQ(timers(), 1U);
  post(30min);  // sooner: the other one is cancelled
  EXPECT_EQ(timers(), 1U);
  post(1ms);
  EXPECT_EQ(timers(), 1U);
  EXPECT_EQ(sends_, 0);
  const Deadline bound = Deadline::after(20s);
  while (connection_->has_backlog() && !bound.expired()) (void)reactor_->run_once(Deadline::after(1s));
  EXPECT_FALSE(connection_->has_backlog());
  EXPECT_EQ(sends_, 1);
  EXPECT_GT(sent_, 400U);
  EXPECT_EQ(timers(), 0U);
  EXPECT_FALSE(connection_->needs_reactor());
}

TEST_F(KeptBack, LeaveNoTimerBehindWhenTheConnectionEnds) {
  post(1h);
  ASSERT_EQ(timers(), 1U);
  connection_->close();
  EXPECT_EQ(timers(), 0U);
}

TEST_F(KeptBack, AreOfferedTogetherToACarrierThatKeepsMessages) {
  acts_.traits = {.byte_stream = false, .reliable = false, .ordered = false, .largest_message = 10'000};
  std::vector<std::size_t> offered;
  acts_.send_messages = [&](std::span<const std::uint32_t> sizes) -> base::Result<std::size_t> {
    offered.push_back(sizes.size());
    if (offered.size() == 2) return base::error(Stage::send, Code::would_block);
    return std::min<std::size_t>(sizes.size(), 4);
  };
  connection_->close();
  connection_ = connect(acts_);
  connection_->set_completions(&completions_);
  sends_ = 0;  // the word that it was the end
  for (int i = 0; i < 6; ++i) post(1h);
  EXPECT_FALSE(connection_->flush_oneways(Deadline::now()).ok());
  EXPECT_EQ(offered, (std::vector<std::size_t>{6, 2}));
  EXPECT_TRUE(connection_->has_backlog());
  EXPECT_TRUE(connection_->flush_oneways(Deadline::after(20s)).ok());
  EXPECT_EQ(offered, (std::vector<std::size_t>{6, 2, 2}));
  EXPECT_FALSE(connection_->has_backlog());
  EXPECT_EQ(sends_, 0);
}

TEST_F(KeptBack, MayLeaveBeforeTheirTimerWhichThenServesThoseAfterThem) {
  post(1ms);
  ASSERT_TRUE(connection_->flush_oneways(Deadline::after(20s)).ok());
  EXPECT_EQ(sends_, 1);
  post(1h);
  EXPECT_LE(timers(), 1U);
  const Deadline bound = Deadline::after(20s);
  while (connection_->has_backlog() && !bound.expired()) (void)reactor_->run_once(Deadline::after(1s));
  EXPECT_EQ(sends_, 2);
}

TEST_F(KeptBack, HaveNotLeftIfThePeerTalksNonsense) {
  post(1h);
  acts_.receive = [](base::ByteSpan buffer, Deadline) {
    std::fill_n(buffer.begin(), 20, base::Octet{'?'});
    return base::Result<std::size_t>(20U);
  };
  EXPECT_EQ(connection_->flush_oneways(Deadline::after(20s)).error(), base::error(Stage::send, Code::malformed));
  EXPECT_EQ(sends_, 0);
}

TEST_F(KeptBack, LeaveSoonAfterWhoWaitedForThemInVain) {
  post(1h);
  const auto takes_all = std::exchange(acts_.send, [](std::size_t, Deadline) {
    return base::Result<std::size_t>(base::error(Stage::send, Code::would_block));
  });
  EXPECT_FALSE(connection_->flush_oneways(Deadline::now()).ok());
  acts_.send = takes_all;
  const Deadline bound = Deadline::after(20s);
  while (connection_->has_backlog() && !bound.expired()) (void)reactor_->run_once(Deadline::after(1s));
  EXPECT_FALSE(connection_->has_backlog()) << "waits for the next call";
}

TEST_F(KeptBack, AreNotLostIfOthersComeWhileTheCarrierTakesThemByHalves) {
  std::string offered;
  std::string taken;
  const auto post_named = [&](std::string_view name, const policy::Buffering& buffering) {
    EXPECT_TRUE(connection_
                    ->post_oneway(
                        request_named(name), [](cdr::Encoder&) {}, Deadline::now(), buffering)
                    .ok());
  };
  const auto take = [&](std::size_t size) {
    taken += offered.substr(0, size);
    return base::Result<std::size_t>(size);
  };
  acts_.on_send = [&](const base::Bytes& octets) { offered = std::string(base::as_text(octets)); };
  post_named("aaaa", {1h, 100});
  acts_.send = [](std::size_t, Deadline) {
    return base::Result<std::size_t>(base::error(Stage::send, Code::would_block));
  };
  EXPECT_FALSE(connection_->flush_oneways(Deadline::now()).ok()) << "it is about to leave now";
  const std::size_t each = offered.size();
  post_named("bbbb", {1h, 100});
  int sends = 0;
  bool halved = false;
  acts_.send = [&](std::size_t size, Deadline) {
    if (++sends == 1) std::thread([&] { post_named("dddd", {}); }).join();
    if (sends == 2) {
      EXPECT_EQ(size, 2 * each) << "with the one that has come meanwhile";
      return take(each);  // and not that one
    }
    return take(offered.find("cccc") != std::string::npos && !std::exchange(halved, true) ? 10 : size);
  };
  post_named("cccc", {});
  EXPECT_TRUE(halved);
  EXPECT_TRUE(connection_->flush_oneways(Deadline::after(20s)).ok());
  for (const char* name : {"aaaa", "bbbb", "cccc", "dddd"}) EXPECT_NE(taken.find(name), std::string::npos) << name;
  EXPECT_EQ(taken.size(), 4 * each);
  EXPECT_FALSE(connection_->has_backlog());
  connection_->close();  // while there is `offered`
}

TEST_F(KeptBack, AreTriedUntilACarrierTakesThemThatCannotTellOfRoom) {
  int tries = 0;
  acts_.send = [&](std::size_t size, Deadline) {
    if (++tries < 5) return base::Result<std::size_t>(base::error(Stage::send, Code::would_block));
    return base::Result<std::size_t>(size);
  };
  post(1ms);
  const Deadline bound = Deadline::after(20s);
  while (connection_->has_backlog() && !bound.expired()) (void)reactor_->run_once(Deadline::after(1s));
  EXPECT_FALSE(connection_->has_backlog()) << "after " << tries << " tries";
  EXPECT_EQ(tries, 5);
  EXPECT_FALSE(connection_->needs_reactor());
  connection_->close();  // while there are `tries`
}

}  // namespace
}  // namespace corbel::connection
