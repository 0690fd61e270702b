// SPDX-License-Identifier: Apache-2.0
// A name server that does not answer: no call waits for it longer than its time.
#include <chrono>
#include <future>

#include "corbel/transport/tcp/connector.hpp"
#if defined(CORBEL_CALLS_WITH_TLS)
#include "corbel/transport/tls/tls.hpp"
#endif
#include "diverted.hpp"

namespace corbel::calls_test {
namespace {

using namespace std::chrono_literals;
using base::Code;
using base::Stage;
using test::FakePeer;
namespace answer = test::answer;

constexpr auto kMuch = 30s;  // more than any of the time-outs here, and less than name servers are waited for

/// Looks up names at a server that is silent until the end of the test.
class Resolving : public ::testing::Test {
 protected:
  ~Resolving() override { answered_.set_value(); }

  std::shared_ptr<const transport::Factory> tcp() {
    auto connector =
        std::make_shared<transport::tcp::TcpConnector>([answered = known_](std::string_view, std::uint16_t port) {
          answered.wait();
          return base::Result<std::vector<ipc::InetAddress>>(std::vector{ipc::InetAddress::loopback_v4(port)});
        });
    return std::make_shared<Diverted>([connector](auto&, const auto& endpoint, const auto& options, auto deadline) {
      return connector->connect(endpoint, options, deadline);
    });
  }
  static test::ProfileData unknown() {
    test::ProfileData profile;
    profile.host = "silent.example";
    profile.port = 4000;
    return profile;
  }
  template <class Run>
  static Ending quickly(const Run& run) {
    const auto begin = std::chrono::steady_clock::now();
    Ending ending = ending_of(run);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, kMuch);
    return ending;
  }
  static void expect_late(const Ending& ending) {
    EXPECT_EQ(ending.what, "TIMEOUT NO") << ending.text;
    EXPECT_EQ(ending.minor, corba::vendor_minor(Stage::resolve, Code::timed_out)) << ending.text;
    EXPECT_NE(ending.text.find("silent.example:4000"), std::string::npos) << ending.text;
  }

 private:
  std::promise<void> answered_;
  const std::shared_future<void> known_ = answered_.get_future().share();
};

TEST_F(Resolving, EndsCallsOfEveryKindWithTheirTime) {
  for (const std::string limit : {"-ORBCallTimeout", "-ORBConnectTimeout"}) {
    SCOPED_TRACE(limit);
    const PlainClient client({tcp()}, {limit, "100", "-ORBSyncScope", "transport"});
    const auto thing = client.thing({unknown()});
    expect_late(quickly([&] { thing->ask(""); }));
    expect_late(quickly([&] { thing->async_ask("").get(); }));
    expect_late(quickly([&] { thing->note(1); }));
    expect_late(quickly([&] { (void)thing->_non_existent(); }));
  }
}

TEST_F(Resolving, HoldsNoOnewayThatWaitsForNothing) {
  const PlainClient client({tcp()}, {"-ORBConnectTimeout", "1500", "-ORBSyncScope", "none"});
  EXPECT_EQ(quickly([&] { client.thing({unknown()})->note(1); }).what, "done");
}

TEST_F(Resolving, LeavesTimeForTheOtherPlaces) {
  FakePeer there({answer::text("there")});
  const PlainClient client({tcp()}, {"-ORBConnectTimeout", "1000"});
  const auto thing = client.thing({unknown(), there.profile()});
  EXPECT_EQ(quickly([&] { EXPECT_EQ(thing->ask(""), "there"); }).what, "done");
  EXPECT_EQ(there.requests(), 1U);
}

TEST_F(Resolving, OfAForwardEndsWithTheTimeOfTheCall) {
  FakePeer gate({answer::forward({unknown()})});
  const PlainClient client({tcp()}, {"-ORBCallTimeout", "2000", "-ORBConnectTimeout", "0"});
  expect_late(quickly([&] { client.thing(gate.ior())->ask(""); }));
  EXPECT_EQ(gate.requests(), 1U);
}

#if defined(CORBEL_CALLS_WITH_TLS)
TEST_F(Resolving, EndsCallsOverTlsWithTheirTime) {
  const PlainClient client({transport::make_tls(tcp())}, {"-ORBCallTimeout", "100"});
  const auto thing = client.thing("corbaloc:ssliop:silent.example:4000/key");
  expect_late(quickly([&] { thing->ask(""); }));
  expect_late(quickly([&] { thing->async_ask("").get(); }));
}
#endif

}  // namespace
}  // namespace corbel::calls_test
