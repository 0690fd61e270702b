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
#include <string>
#include <thread>
#include <vector>

#include "corbel/corbel.hpp"
#include "eventually.hpp"
#include "fault_server.hpp"
#include "files.hpp"
#include "shipped.hpp"
#ifdef CORBEL_TEST_TLS
#include "certificates.hpp"
#endif

namespace {

using namespace std::chrono_literals;

#if defined(__SANITIZE_THREAD__)
constexpr bool kChildrenHaveThreads = false;  // the sanitizer has none
#else
constexpr bool kChildrenHaveThreads = true;
#endif

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

std::string read_line(int from) {
  std::string line;
  for (char c = 0; ::read(from, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

void reap(pid_t child) {
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
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

class Killed : public testing::TestWithParam<Means> {
 protected:
  /// Another process, which serves until it is killed; and its reference.
  static pid_t start_server(std::string& ior) {
    int pipe[2];
    EXPECT_EQ(::pipe(pipe), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(60);
      const auto orb = make_orb(GetParam().server);
      const std::string line = serve(orb) + '\n';
      if (::write(pipe[1], line.data(), line.size()) < 0) ::_exit(1);
      orb->run();
      ::_exit(1);
    }
    ::close(pipe[1]);
    ior = read_line(pipe[0]);
    ::close(pipe[0]);
    return child;
  }
};

TEST_P(Killed, AServersDeathEndsEveryCallAtOnce) {
  if (!kChildrenHaveThreads) GTEST_SKIP() << "children have no threads";
  std::minstd_rand random(5);
  const int rounds = kills(12 / GetParam().rare);
  for (int round = 0; round < rounds; ++round) {
    std::string ior;
    const pid_t server = start_server(ior);
    ASSERT_FALSE(ior.empty());
    std::vector<std::string> options = GetParam().client;
    options.insert(options.end(), GetParam().doomed.begin(), GetParam().doomed.end());
    const auto orb = make_orb(options);
    std::vector<std::thread> callers;
    for (int each = 0; each < 3; ++each) {
      callers.emplace_back([&, each] {
        const auto victim = victim_of(orb, ior);
        const std::string text(static_cast<std::size_t>(each) * 5000, 'x');
        try {
          for (;;) ASSERT_EQ(victim->echo(text), text);
        } catch (const CORBA::COMM_FAILURE&) {
        } catch (const CORBA::TRANSIENT&) {  // it had not begun
        } catch (const CORBA::TIMEOUT&) {
          EXPECT_FALSE(GetParam().tells_ends);
        }
      });
    }
    std::atomic<bool> ended{false};
    std::thread waiting([&] {
      EXPECT_THROW(victim_of(orb, ior)->wait(), CORBA::SystemException);
      ended = true;
    });
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20000));
    ::kill(server, SIGKILL);
    const auto begin = std::chrono::steady_clock::now();
    for (auto& caller : callers) caller.join();
    waiting.join();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
    reap(server);
    orb->destroy();
  }
}

TEST_P(Killed, AClientsDeathLeavesNothingBehindAndOthersAreServed) {
  if (!kChildrenHaveThreads) GTEST_SKIP() << "children have no threads";
  std::minstd_rand random(6);
  const auto server = make_orb(GetParam().server);
  const std::string ior = serve(server);
  // A server that is not told of ends gives up the honest client's place, too, when nothing has come for long; and its
  // carrier may lose what is said just then.
  const bool gives_up = !GetParam().tells_ends;
  std::vector<std::string> options = GetParam().client;
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
  const int rounds = kills(30 / GetParam().rare);
  for (int round = 0; round < rounds; ++round) {
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    const pid_t client = ::fork();
    if (client == 0) {
      ::alarm(60);
      const auto own = make_orb(GetParam().client);
      const auto victim = victim_of(own, ior);
      (void)victim->echo("");
      if (::write(pipe[1], "\n", 1) < 0) ::_exit(1);
      for (;;) (void)victim->echo(std::string(random() % 20000, 'x'));  // until then
    }
    ::close(pipe[1]);
    (void)read_line(pipe[0]);
    ::close(pipe[0]);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 5000));
    ::kill(client, SIGKILL);
    EXPECT_TRUE(is_served("meanwhile"));
    reap(client);
  }
  EXPECT_TRUE(corbel::test::eventually([&] { return corbel::test::open_descriptors() <= before; }));
  EXPECT_TRUE(gives_up || corbel::test::open_descriptors() == before);
  EXPECT_TRUE(is_served("after"));
  orb->destroy();
  server->destroy();
}

std::vector<Means> means_of_killed() {
  std::vector<Means> all;
  for (const std::string& endpoint : corbel::test::endpoints(corbel::test::Between::processes)) {
    all.push_back({endpoint.substr(0, endpoint.find(':')), {"-ORBListenEndpoints", endpoint}, {}});
    if (all.back().name != "rudp") continue;
    // Ends are learnt of by silence, which a busy machine must not pass for.
    const std::vector<std::string> soon{"-ORBRudpGiveUp", "3000"};
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

INSTANTIATE_TEST_SUITE_P(All, Killed, testing::ValuesIn(means_of_killed()),
                         [](const testing::TestParamInfo<Means>& means) { return means.param.name; });

}  // namespace
