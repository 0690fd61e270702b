// SPDX-License-Identifier: Apache-2.0
// Many requests that wait at once take memory, and no threads.
#include <malloc.h>

#include <filesystem>

#include "support.hpp"

namespace corbel::deferred_test {
namespace {

constexpr int kCalls = 10'000;
constexpr std::size_t kThreads = 10;

std::size_t threads_of_process() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) count += entry.exists() ? 1 : 0;
  return count;
}

std::size_t allocated() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

TEST(ManyDeferred, TakeNoThreadsAndLittleMemory) {
  World world("tcp://127.0.0.1:0", {"-ORBThreads", std::to_string(kThreads)}, {"-ORBThreads", "2"});
  EXPECT_EQ(world.desk->async_ask("now").get(), "at once");
  std::vector<Future<std::string>> futures;
  futures.reserve(kCalls);
  for (int i = 0; i < kCalls; ++i) futures.push_back(world.desk->async_ask(std::to_string(i)));
  world.servant->await(kCalls);
  const std::size_t threads = threads_of_process();
  EXPECT_EQ(world.desk->ask("now"), "at once");
  std::vector<Keeper::Asked> waiting;
  waiting.reserve(kCalls);
  while (world.servant->waiting() != 0) waiting.push_back(world.servant->take());
  // What goes with the answers; the futures keep what is the client's until the end.
  const std::size_t before = allocated();
  for (const auto& asked : waiting) asked.answer->ask(asked.question);
  std::size_t answered = 0;
  for (int i = 0; i < kCalls; ++i)
    answered += futures[static_cast<std::size_t>(i)].get() == std::to_string(i) ? 1U : 0U;
  EXPECT_EQ(answered, static_cast<std::size_t>(kCalls));
  waiting.clear();
  const std::size_t after = allocated();
  const std::size_t each = (before - std::min(after, before)) / kCalls;
  std::cout << kCalls << " requests wait: " << threads << " threads in the process, " << each
            << " octets given back for each answered\n";
  // The main thread, the two pools, and what the ORBs have besides.
  EXPECT_LT(threads, 1 + kThreads + 2 + 8);
  EXPECT_LT(each, 2048U);
}

TEST(ManyDeferred, OfManyConnectionsAreAnsweredByManyThreads) {
  World world("tcp://127.0.0.1:0", {"-ORBThreads", std::to_string(kThreads)});
  constexpr int kClients = 20;
  constexpr int kEach = 100;
  std::vector<OrbRef> clients;
  std::vector<Future<std::string>> futures;
  for (int i = 0; i < kClients; ++i) {
    clients.push_back(make_orb("client " + std::to_string(i), {"-ORBThreads", "2"}));
    const auto desk = IDL::traits<Deferred::Desk>::unchecked_narrow(
        clients.back()->string_to_object(world.server->object_to_string(world.local)));
    for (int j = 0; j < kEach; ++j) futures.push_back(desk->async_ask(std::to_string(i * kEach + j)));
  }
  std::vector<std::thread> threads;
  std::atomic<int> left{kClients * kEach};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      while (left-- > 0) {
        const Keeper::Asked asked = world.servant->take();
        asked.answer->ask(asked.question);
      }
    });
  }
  for (std::size_t i = 0; i < futures.size(); ++i) EXPECT_EQ(futures[i].get(), std::to_string(i));
  for (auto& thread : threads) thread.join();
  futures.clear();
  for (const auto& client : clients) client->destroy();
}

}  // namespace
}  // namespace corbel::deferred_test
