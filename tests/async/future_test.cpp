// SPDX-License-Identifier: Apache-2.0
// Futures of asynchronous calls.
#include "corbel/mapping/future.hpp"

#include "support.hpp"

namespace corbel::async_test {
namespace {

constexpr corba::ExceptionType kRaises[] = {{Async::Refused::_id, &mapping::decode_and_throw<Async::Refused>}};
constexpr corba::Operation kEcho{"echo"};
constexpr corba::Operation kSplit{"split", false, kRaises};

Future<std::string> echo(const EchoRef& object, const std::string& text) {
  return mapping::call_async<std::string, mapping::In<std::string>>(*object, kEcho, text);
}

class Combination : public testing::TestWithParam<const char*> {};

TEST_P(Combination, CarriesResultsOfManyCallsAtOnce) {
  World world(GetParam());
  std::vector<Future<std::string>> futures;
  for (int i = 0; i < 1000; ++i) futures.push_back(echo(world.echo, std::to_string(i)));
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(futures[static_cast<std::size_t>(i)].get(), std::to_string(i));
}

TEST_P(Combination, GivesResultAndOutParametersInOrder) {
  World world(GetParam());
  const auto split = [&](const std::string& text) {
    return mapping::call_async<std::int32_t, mapping::In<std::string>, mapping::In<char>, mapping::Out<std::string>,
                               mapping::Inout<std::string>>(*world.echo, kSplit, text, '=', std::string("re"));
  };
  const auto [place, head, tail] = split("key=mark").get();
  EXPECT_EQ(place, 3);
  EXPECT_EQ(head, "key");
  EXPECT_EQ(tail, "remark");
  EXPECT_THROW(split("nothing").get(), Async::Refused);
}

INSTANTIATE_TEST_SUITE_P(All, Combination, testing::ValuesIn(kEndpoints));

TEST(Future, MixesWithSynchronousCallsOfSeveralThreadsOnOneConnection) {
  World world("tcp://127.0.0.1:0", {"-ORBConnectionsPerEndpoint", "1"});
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 300; ++i) {
        const std::string text = std::to_string(t) + ":" + std::to_string(i);
        auto future = echo(world.echo, text);
        if (i % 3 != 0 && world.echo->echo(text + "s") != text + "s") ++wrong;
        if (future.get() != text) ++wrong;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace corbel::async_test
