// SPDX-License-Identifier: Apache-2.0
// Calls that are cancelled when their first place has sent them on.
#include <chrono>
#include <future>
#include <thread>

#include "cancelling.hpp"
#include "support/eventually.hpp"

namespace corbel::async_test {
namespace {

using namespace std::chrono_literals;

TEST(CancellingForwarded, DoesNotWaitForTheConnectionThatAForwardAsksFor) {
  const test::SilentPort silent;
  FakePeer peer({answer::forward({silent.profile()})});
  const Client client({"-ORBConnectTimeout", "2000"});
  const auto object = client.to(peer);
  auto future = object->async_echo("");
  (void)future.ready();  // threads of the ORB see to it
  ASSERT_TRUE(peer.wait_for_messages(1));
  std::this_thread::sleep_for(100ms);  // for its thread to wait for the connection
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_TRUE(future.cancel());
  EXPECT_EQ(outcome([&] { (void)future.get(); }), "CANCELLED NO");
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 1s);
}

// The request would be sent to the place that the call was forwarded to.
TEST(CancellingForwarded, KeepsARequestFromFollowingAForward) {
  FakePeer last({answer::text("followed")});
  std::promise<void> go_on;
  FakePeer first({[&, told = go_on.get_future().share()](auto& conversation, const auto& request) {
    told.wait();
    answer::forward({last.profile()})(conversation, request);
  }});
  const Client client;
  auto future = client.to(first)->async_echo("");
  ASSERT_TRUE(first.wait_for_messages(1));
  EXPECT_TRUE(future.cancel());
  go_on.set_value();
  EXPECT_EQ(outcome([&] { (void)future.get(); }), "CANCELLED MAYBE");
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(last.requests(), 0U);
}

/// Cancels itself while its arguments are written for the second time.
class Meddling final : public corba::AsyncCall {
 public:
  Meddling() : AsyncCall(kOperation) {}
  void encode_arguments(cdr::Encoder& encoder) override {
    encoder.put_string("x");
    if (++attempts == 2) won = cancel();
  }
  void decode_results(cdr::Decoder& /*decoder*/) override {}
  void* const* local_arguments() noexcept override { return nullptr; }
  void complete(std::exception_ptr failure) noexcept override {
    ended.set_value(outcome([&] {
      if (failure != nullptr) std::rethrow_exception(failure);
    }));
  }

  std::promise<std::string> ended;
  std::atomic<int> attempts{0};
  std::atomic<bool> won{false};

 private:
  static constexpr corba::Operation kOperation{"echo", false, {}};
};

TEST(CancellingForwarded, WhileTheRequestIsWrittenKeepsItFromLeaving) {
  FakePeer last({answer::text("next")});
  FakePeer first({answer::forward({last.profile()}), answer::text("next")});
  const Client client;
  const auto object = client.to(first);
  const base::IntrusivePtr<Meddling> call(new Meddling);
  object->_target()->invoke_async(*call);
  EXPECT_EQ(call->ended.get_future().get(), "CANCELLED NO");
  EXPECT_TRUE(call->won);
  EXPECT_EQ(call->attempts, 2);
  EXPECT_EQ(object->echo(""), "next");
  EXPECT_EQ(last.requests() + first.requests(), 2U);
}

}  // namespace
}  // namespace corbel::async_test
