// SPDX-License-Identifier: Apache-2.0
// What an ORB tells of oneways that do not arrive, and of interceptors that fail.
#include <future>

#include "corbel/interceptors/portable_interceptor.hpp"
#include "corbel/orb/statistics.hpp"
#include "fake_peer.hpp"
#include "support.hpp"

namespace corbel::log_test {
namespace {

namespace PI = PortableInterceptor;

/// Without a connection what nobody waits for is given up after a tenth of a second.
void find_way(const ThingRef& thing) {
  CORBA::PolicyList inconsistent;
  EXPECT_TRUE(thing->_validate_connection(inconsistent));
}

/// A peer that reads nothing behind the first request until it is told to, and a client with more to tell it than may
/// wait.
class UnreadOneways : public testing::Test {
 protected:
  ~UnreadOneways() override {
    read_on();
    thing_.reset();
    client_.end();
  }
  void SetUp() override {
    thing_ = client_.thing(peer_.ior());
    find_way(thing_);
    thing_->note(0);  // is read, and then nothing is
    ASSERT_TRUE(peer_.wait_for_messages(1));
    const std::string text(8000, 'x');
    // Where the client's own threads are late, messages are dropped before the peer's buffers are full.
    for (int i = 0; !drops() || (std::this_thread::sleep_for(std::chrono::milliseconds(300)), !drops()); ++i) {
      ASSERT_LT(i, 100'000);
      thing_->tell(text);
    }
  }
  bool drops() const {
    return client_.log->count("oneway messages dropped") > client_.log->count("oneway messages no longer dropped");
  }
  void read_on() {
    if (!std::exchange(reading_, true)) gate_.set_value();
  }

  std::promise<void> gate_;
  bool reading_ = false;
  test::FakePeer peer_{
      {[told = gate_.get_future().share()](test::Conversation&, const test::Received&) { told.wait(); },
       [](test::Conversation&, const test::Received&) {}}};
  LoggingOrb client_{{"-ORBSyncScope", "none", "-ORBOnewayQueue", "65536"}};
  ThingRef thing_;
};

TEST_F(UnreadOneways, AreDroppedUntilThereIsRoom) {
  expect_event(client_, LogLevel::warning, LogModule::connection, "oneway messages dropped",
               {{"peer", peer_.endpoint()}, {"waiting_octets", ""}, {"limit", "-ORBOnewayQueue"}});
  read_on();
  EXPECT_TRUE(eventually([&] { return !drops(); }));
  expect_event(client_, LogLevel::info, LogModule::connection, "oneway messages no longer dropped",
               {{"peer", peer_.endpoint()}, {"messages", ""}, {"octets", ""}});
  std::uint64_t told = 0;
  for (const auto& entry : client_.log->entries()) {
    if (entry.event == "oneway messages no longer dropped") told += std::stoull(entry.value("messages"));
  }
  EXPECT_EQ(told, corbel::orb::statistics(*client_.orb).oneways_dropped);
  EXPECT_EQ(client_.log->count("oneway messages dropped"), client_.log->count("oneway messages no longer dropped"));
}

TEST_F(UnreadOneways, AreLostWithTheConnection) {
  peer_.close_all(false);
  read_on();
  // Where the client's own threads were late, the system had room for all of it.
  const auto is_told = [&] { return client_.log->count("oneway messages lost") != 0; };
  if (!eventually(is_told, std::chrono::seconds(5))) {
    EXPECT_TRUE(eventually([&] {
      for (int i = 0; i < 20; ++i) thing_->tell(std::string(8000, 'x'));
      peer_.close_all(false);
      return is_told();
    }));
  }
  expect_event(client_, LogLevel::warning, LogModule::connection, "oneway messages lost",
               {{"peer", peer_.endpoint()}, {"messages", ""}, {"octets", ""}, {"error", ""}});
}

// It has closed its own direction alone, as a process that hangs in its end may: no error tells the sender.
TEST(OnewaysThatWait, AreLostWhenThePeerSaysNoMoreAndReadsNothing) {
  std::promise<void> told, over;
  test::FakePeer peer{{[&](test::Conversation& conversation, const test::Received&) {
    told.get_future().wait();
    conversation.end();
    over.get_future().wait();
  }}};
  LoggingOrb client{{"-ORBSyncScope", "none", "-ORBOnewayQueue", "100000000"}};
  {
    const ThingRef thing = client.thing(peer.ior());
    find_way(thing);
    thing->note(0);
    ASSERT_TRUE(peer.wait_for_messages(1));
    const std::string text(1'000'000, 'x');
    for (int i = 0; i < 32; ++i) thing->tell(text);
    told.set_value();
    expect_event(client, LogLevel::warning, LogModule::connection, "oneway messages lost",
                 {{"peer", peer.endpoint()}, {"messages", ""}, {"octets", ""}, {"error", ""}});
    over.set_value();
  }
}

class FailingClientInterceptor final : public PI::ClientRequestInterceptor {
 public:
  using Info = IDL::traits<PI::ClientRequestInfo>::ref_type;
  std::string name() override { return "failing client"; }
  void destroy() override {}
  void send_request(Info) override {}
  void send_poll(Info) override {}
  void receive_reply(Info) override {}
  void receive_exception(Info) override {}
  void receive_other(Info) override {
    throw CORBA::NO_PERMISSION(0, CORBA::CompletionStatus::COMPLETED_NO, "not like this");
  }
};

class FailingIorInterceptor final : public PI::IORInterceptor {
 public:
  std::string name() override { return "failing ior"; }
  void establish_components(IDL::traits<PI::IORInfo>::ref_type) override { throw std::runtime_error("no component"); }
};

/// Installs both in ORBs that are made while `on`.
class FailingInterceptors final : public PI::ORBInitializer {
 public:
  static bool& on() {
    static bool whether = false;
    return whether;
  }
  void pre_init(IDL::traits<PI::ORBInitInfo>::ref_type info) override {
    if (!on()) return;
    info->add_client_request_interceptor(CORBA::make_reference<FailingClientInterceptor>());
    info->add_ior_interceptor(CORBA::make_reference<FailingIorInterceptor>());
  }
  void post_init(IDL::traits<PI::ORBInitInfo>::ref_type) override {}
};

TEST(InterceptorEvents, OfWhatNobodyIsToldByAnException) {
  static const bool kOnce = (PI::register_orb_initializer(CORBA::make_reference<FailingInterceptors>()), true);
  EXPECT_TRUE(kOnce);
  FailingInterceptors::on() = true;
  Server both;
  FailingInterceptors::on() = false;
  expect_event(both, LogLevel::warning, LogModule::orb, "IOR interceptor failed",
               {{"interceptor", "failing ior"}, {"point", "establish_components"}, {"exception", "no component"}});
  Server other;
  EXPECT_EQ(both.thing(other.reference)->async_add(1, 2).get(), 3);
  expect_event(both, LogLevel::warning, LogModule::client, "interceptor raised what nobody waits for",
               {{"operation", "add"}, {"outcome", "NO_PERMISSION"}});
}

}  // namespace
}  // namespace corbel::log_test
