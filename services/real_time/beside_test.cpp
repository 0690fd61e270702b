// SPDX-License-Identifier: Apache-2.0
// Where the lanes of pools listen that were told nothing: as the ORB does, and nowhere else.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <unistd.h>

#include "test_support.hpp"

namespace corbel::real_time {
namespace {

struct Listens {
  std::string own;                 ///< -ORBListenEndpoints
  std::size_t count;               ///< of these
  std::vector<std::string> lanes;  ///< how the endpoints of a lane begin
};
void PrintTo(const Listens& listens, std::ostream* out) {
  *out << listens.own;
}

std::string path(const char* name) {
  return "/tmp/corbel-beside-" + std::to_string(::getpid()) + name;
}

class Beside : public ::testing::TestWithParam<Listens>, public TwoOrbs {
 protected:
  Beside() : TwoOrbs({}, {"-ORBLogLevel", "transport=info,orb=info"}, GetParam().own) {}

  ServantRef object_of_a_pool() {
    return object(adapter({rt->create_threadpool_policy(rt->create_threadpool(0, 1, 0, 10, false, 0, 0))}),
                  [this] { return current->the_priority(); });
  }
  /// "protocol+endpoint" of all where the server has listened, once it has shut down.
  std::vector<std::string> opened() {
    server->shutdown(true);
    (void)log->wait_for("shut down");
    std::vector<std::string> all;
    for (const auto& entry : log->entries()) {
      if (entry.event == "listening") all.push_back(entry.value("protocol") + '+' + entry.value("endpoint"));
    }
    return all;
  }
};

TEST_P(Beside, TheOrbsOwnEndpointsAndNowhereElse) {
  const std::vector<std::string>& lanes = GetParam().lanes;
  (void)object(root, [] { return std::int16_t{0}; });
  for (int i = 0; i < 2; ++i) EXPECT_EQ(object_of_a_pool()->priority(), 10);
  const std::vector<std::string> all = opened();
  ASSERT_EQ(all.size(), GetParam().count + 2 * lanes.size());
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size());  // each has its own
  for (std::size_t i = 0; i < 2 * lanes.size(); ++i) {
    const std::string& one = all[GetParam().count + i];
    EXPECT_TRUE(one.starts_with(lanes[i % lanes.size()])) << one;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Endpoints, Beside,
    ::testing::Values(Listens{"tcp://127.0.0.1:0", 1, {"giop+tcp://127.0.0.1:"}},
                      Listens{"unix://" + path("u"), 1, {"giop+unix:///"}},
                      Listens{"unix://@" + path("a").substr(5) + ";iiop://127.0.0.1:0",
                              2,
                              {"giop+unix:///", "giop+tcp://127.0.0.1:"}},
                      Listens{"shm://" + path("s"), 1, {"giop+shm://"}},
                      Listens{"packet://" + path("p:4"), 1, {"giop+packet://"}},
                      Listens{"giop_lite+tcp://127.0.0.1:0;tcp://127.0.0.1:0",
                              2,
                              {"giop_lite+tcp://127.0.0.1:", "giop+tcp://127.0.0.1:"}},
                      Listens{"unix://" + path("1") + ";unix://" + path("2"), 2, {"giop+unix:///"}},
                      Listens{"rudp://127.0.0.1:0;multicast://239.255.1.1:5000;tcp://127.0.0.1:0?bandwidth=5000",
                              3,
                              {"giop+rudp://127.0.0.1:", "giop+tcp://127.0.0.1:"}}));

TEST(BesideGroups, IsNoEndpoint) {
  TwoOrbs orbs({}, {}, "multicast://239.255.1.1:5000");
  const auto poa =
      orbs.adapter({orbs.rt->create_threadpool_policy(orbs.rt->create_threadpool(0, 1, 0, 10, false, 0, 0))});
  try {
    (void)orbs.object(poa, [] { return 0; });
    FAIL();
  } catch (const CORBA::BAD_PARAM& exception) {
    EXPECT_NE(std::string(exception.what()).find("say where it listens"), std::string::npos) << exception.what();
  }
}

TEST(BesideDefaults, AreDefaults) {
  TwoOrbs orbs({}, {}, "");
  const auto poa =
      orbs.adapter({orbs.rt->create_threadpool_policy(orbs.rt->create_threadpool(0, 1, 0, 10, false, 0, 0))});
  const auto one = orbs.object(poa, [] { return std::int16_t{7}; });
  EXPECT_EQ(one->priority(), 7);
  std::set<std::uint32_t> profiles;
  for (const auto& profile : one->_target()->ior().profiles) profiles.insert(profile.tag);
  EXPECT_EQ(profiles, (std::set<std::uint32_t>{0, 0x54414f00}));  // IIOP and UIOP
}

}  // namespace
}  // namespace corbel::real_time
