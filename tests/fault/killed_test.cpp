// SPDX-License-Identifier: Apache-2.0
// Processes that are killed at any instant, over carriers between processes: what the others see, and how soon.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "corbel/corbel.hpp"
#include "eventually.hpp"
#include "fault_server.hpp"
#include "files.hpp"
#include "nursery.hpp"
#include "shipped.hpp"
#ifdef CORBEL_TEST_TLS
#include "certificates.hpp"
#endif

namespace {

using namespace std::chrono_literals;

class Patient final : public virtual CORBA::servant_traits<Fault::Victim>::base_type {
 public:
  std::string echo(const std::string& text) override { return text; }
  void wait() override { std::this_thread::sleep_for(1h); }
  void fail(std::int32_t) override {}
  void fire() override {}
  void tell(const std::string&) override {}
  IDL::traits<Fault::Victim>::ref_type self() override { return _this(); }
};

IDL::traits<CORBA::ORB>::ref_type make_orb(std::vector<std::string> options) {
  static int count = 0;
  options.insert(options.begin(), "x");
  return CORBA::ORB_init(options, "killed-" + std::to_string(::getpid()) + '-' + std::to_string(++count));
}

std::string serve(const IDL::traits<CORBA::ORB>::ref_type& orb) {
  const auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  return orb->object_to_string(CORBA::make_reference<Patient>()->_this());
}

IDL::traits<Fault::Victim>::ref_type victim_of(const IDL::traits<CORBA::ORB>::ref_type& orb, const std::string& ior) {
  return IDL::traits<Fault::Victim>::unchecked_narrow(orb->string_to_object(ior));
}

/// How often each test kills: CORBEL_KILLS, else `usual`.
int kills(int usual) {
  const char* const wanted = std::getenv("CORBEL_KILLS");
  return wanted == nullptr ? usual : std::atoi(wanted);
}

struct Means {
  std::string name;
  std::vector<std::string> server;
  std::vector<std::string> client;
  bool tells_ends = true;                // else a carrier may not tell that a peer has gone, and lose messages
  int rare = 1;                          // so many times fewer kills than usual
  std::vector<std::string> doomed = {};  // options of clients whose server dies
};

std::vector<Means> make_means() {
  std::vector<Means> all;
  for (const std::string& endpoint : corbel::test::endpoints(corbel::test::Between::processes)) {
    all.push_back({endpoint.substr(0, endpoint.find(':')), {"-ORBListenEndpoints", endpoint}, {}});
    if (all.back().name != "rudp") continue;
    // Ends are learnt of by silence, which a busy machine must not pass for.
    const std::vector<std::string> soon{"-ORBRudpGiveUp", "9000"};
    all.back().rare = 4;
    all.back().client = soon;
    all.back().server.insert(all.back().server.end(), soon.begin(), soon.end());
  }
  all.push_back({"shm_spinning", {"-ORBListenEndpoints", "shm://", "-ORBSpin", "50"}, {"-ORBSpin", "50"}});
  all.push_back({"lite_shm", {"-ORBListenEndpoints", "giop_lite+shm://"}, {}});
  all.push_back({"udp",
                 {"-ORBListenEndpoints", "udp://127.0.0.1:0", "-ORBIdleTimeout", "1000"},
                 {},
                 false,
                 6,
                 {"-ORBCallTimeout", "1000"}});
#ifdef CORBEL_TEST_TLS
  static const auto certificates = std::make_unique<corbel::tests::Certificates>();
  const std::string own = certificates->issue("both");
  const std::vector<std::string> tls{"-ORBTlsAuthorities", certificates->authority(), "-ORBTlsCertificate", own};
  all.push_back({"tls", tls, tls, true, 3});
  all.back().server.insert(all.back().server.end(), {"-ORBListenEndpoints", "tls://127.0.0.1:0"});
#endif
  return all;
}

/// All, in the order of the instances; made once, before the nursery is.
const std::vector<Means>& all_means() {
  static const std::vector<Means> all = make_means();
  return all;
}

/// A child: "server NUMBER" serves by the means of that number and tells its reference; "client NUMBER SEED IOR" calls
/// that reference, tells that it has, and goes on calling.
void live(std::string_view asked, const corbel::test::Nursery::Teller& tell) {
  std::istringstream words{std::string(asked)};
  std::string role, ior;
  std::size_t number = 0;
  words >> role >> number;
  const Means& means = all_means().at(number);
  if (role == "server") {
    const auto orb = make_orb(means.server);
    tell(serve(orb));
    orb->run();
    return;
  }
  std::minstd_rand::result_type seed = 0;
  words >> seed >> ior;
  std::minstd_rand random(seed);
  const auto orb = make_orb(means.client);
  const auto victim = victim_of(orb, ior);
  (void)victim->echo("");
  tell("");
  for (;;) (void)victim->echo(std::string(random() % 20000, 'x'));  // until it is killed
}

corbel::test::Nursery& nursery = *static_cast<corbel::test::Nursery*>(
    testing::AddGlobalTestEnvironment(new corbel::test::Nursery(&live)));  // GoogleTest deletes it

void reap(const corbel::test::Nursery::Child& child) {
  const int status = nursery.reap(child.pid);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "status " << status;
}

class Killed : public testing::TestWithParam<std::size_t> {
 protected:
  const Means& means_ = all_means()[GetParam()];
};

TEST_P(Killed, AServersDeathEndsEveryCallAtOnce) {
  std::minstd_rand random(5);
  const int rounds = kills(12 / means_.rare);
  for (int round = 0; round < rounds; ++round) {
    const auto server = nursery.ask("server " + std::to_string(GetParam()));
    const std::string& ior = server.told;
    ASSERT_FALSE(ior.empty());
    std::vector<std::string> options = means_.client;
    options.insert(options.end(), means_.doomed.begin(), means_.doomed.end());
    const auto orb = make_orb(options);
    std::vector<std::thread> callers;
    for (int each = 0; each < 3; ++each) {
      callers.emplace_back([&, each] {
        const auto victim = victim_of(orb, ior);
        const std::string text(static_cast<std::size_t>(each) * 5000, 'x');
        try {
          for (;;) ASSERT_EQ(victim->echo(text), text);
        } catch (const CORBA::COMM_FAILURE& failure) {
          EXPECT_NE(failure.completed(), CORBA::CompletionStatus::COMPLETED_YES);
        } catch (const CORBA::TRANSIENT& failure) {  // it had not begun
          EXPECT_EQ(failure.completed(), CORBA::CompletionStatus::COMPLETED_NO);
        } catch (const CORBA::TIMEOUT&) {
          EXPECT_FALSE(means_.tells_ends);
        }
      });
    }
    std::atomic<bool> ended{false};
    std::thread waiting([&] {
      EXPECT_THROW(victim_of(orb, ior)->wait(), CORBA::SystemException);
      ended = true;
    });
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20000));
    ::kill(server.pid, SIGKILL);
    const auto begin = std::chrono::steady_clock::now();
    for (auto& caller : callers) caller.join();
    waiting.join();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s);
    reap(server);
    orb->destroy();
  }
}

TEST_P(Killed, AClientsDeathLeavesNothingBehindAndOthersAreServed) {
  std::minstd_rand random(6);
  const auto server = make_orb(means_.server);
  const std::string ior = serve(server);
  // A server that is not told of ends gives up the honest client's place, too, when nothing has come for long; and its
  // carrier may lose what is said just then.
  const bool gives_up = !means_.tells_ends;
  std::vector<std::string> options = means_.client;
  options.insert(options.end(), {"-ORBCollocation", "off"});
  if (gives_up) options.insert(options.end(), {"-ORBCallTimeout", "2000"});
  const auto orb = make_orb(options);
  const auto honest = victim_of(orb, ior);
  const auto is_served = [&](const std::string& text) {
    for (int lost = 0;; ++lost) try {
        return honest->echo(text) == text;
      } catch (const CORBA::TIMEOUT&) {
        if (!gives_up || lost == 10) throw;
      }
  };
  EXPECT_TRUE(is_served("before"));
  const auto before = corbel::test::open_descriptors();
  const int rounds = kills(30 / means_.rare);
  for (int round = 0; round < rounds; ++round) {
    const auto client =
        nursery.ask("client " + std::to_string(GetParam()) + ' ' + std::to_string(round + 1) + ' ' + ior);
    ASSERT_GT(client.pid, 0);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 5000));
    ::kill(client.pid, SIGKILL);
    EXPECT_TRUE(is_served("meanwhile"));
    reap(client);
  }
  EXPECT_TRUE(corbel::test::eventually([&] { return corbel::test::open_descriptors() <= before; }));
  EXPECT_TRUE(gives_up || corbel::test::open_descriptors() == before);
  EXPECT_TRUE(is_served("after"));
  orb->destroy();
  server->destroy();
}

INSTANTIATE_TEST_SUITE_P(All, Killed, testing::Range(std::size_t{0}, all_means().size()),
                         [](const testing::TestParamInfo<std::size_t>& each) { return all_means()[each.param].name; });

}  // namespace
