// SPDX-License-Identifier: Apache-2.0
// Who gets the threads.
#include "castle.hpp"

namespace corbel::siege {
namespace {

struct Limit {
  const char* mode;
  int threads;
};

class Threads : public testing::TestWithParam<Limit> {};

// Sixteen at once from as many connections as they like: what runs at the same time is what -ORBThreads says.
TEST_P(Threads, AsManyServantsRunAtOnceAsTheOptionSays) {
  const auto [mode, threads] = GetParam();
  Server server({"-ORBConcurrency", mode, "-ORBThreads", std::to_string(threads)});
  Client client(server.reference, {"-ORBConnectionsPerEndpoint", "16"});
  std::vector<std::thread> callers;
  for (int i = 0; i < 16; ++i) callers.emplace_back([&, i] { EXPECT_EQ(client.castle->slow(i), i); });
  ASSERT_TRUE(eventually([&] { return server.servant->inside == threads; }));
  server.servant->open();
  for (auto& caller : callers) caller.join();
  callers.clear();
  for (int i = 0; i < 16; ++i) {
    callers.emplace_back([&] {
      for (int k = 0; k < 50; ++k) EXPECT_EQ(client.castle->fast(k), k);
    });
  }
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(server.servant->most_inside, threads);
}

INSTANTIATE_TEST_SUITE_P(All, Threads,
                         testing::Values(Limit{"adaptive", 1}, Limit{"adaptive", 4}, Limit{"pool", 1}, Limit{"pool", 4},
                                         Limit{"adaptive", 2}),
                         [](const auto& each) {
                           return std::string(each.param.mode) + std::to_string(each.param.threads);
                         });

}  // namespace
}  // namespace corbel::siege
