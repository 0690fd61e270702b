// SPDX-License-Identifier: Apache-2.0
// Each allocation of a conversation is refused once, in a process of its own: calls may fail, and say so; the process
// lives, and the next call is served.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "castle.hpp"
#include "support/allocations.hpp"

namespace corbel::siege {
namespace {

/// What may end in lack of memory, or in nothing to wait for.
void attempt(const std::function<void()>& action) {
  try {
    action();
  } catch (const CORBA::Exception&) {
  } catch (const std::bad_alloc&) {  // of what the test itself does
  }
}

/// A conversation of every kind, on connections of its own.
void converse(const std::string& reference) {
  OrbRef orb;
  attempt([&] { orb = make_orb("talker"); });
  if (orb == nullptr) return;
  attempt([&] {
    const auto castle = IDL::traits<Siege::Castle>::unchecked_narrow(orb->string_to_object(reference));
    attempt([&] { castle->fast(1); });
    attempt([&] { castle->big(300'000); });
    attempt([&] { castle->take(Siege::Octets(300'000, 1)); });
    attempt([&] { castle->drop(Siege::Lists(100, Siege::Octets(10))); });
    attempt([&] {
      auto first = castle->async_fast(1);
      auto second = castle->async_big(1000);
      attempt([&] { first.get(); });
      attempt([&] { second.get(); });
    });
    attempt([&] {
      const auto first = castle->sendp_fast(1);
      const auto second = castle->sendp_big(1000);
      const auto set = first->create_pollable_set();
      attempt([&] { set->add_pollable(second); });
      attempt([&] { (void)set->get_ready_pollable(20'000); });
      attempt([&] { (void)set->get_ready_pollable(20'000); });
      std::int32_t number = 0;
      attempt([&] { first->fast(20'000, number); });
    });
    attempt([&] { castle->_non_existent(); });
  });
  attempt([&] { orb->destroy(); });
}

constexpr int kServed = 0, kNotServed = 3;

/// The life of a child; how many allocations a conversation takes goes into `told`.
[[noreturn]] void live(std::size_t refused, std::size_t count, int told) {
  ::alarm(60);
  int status = kNotServed;
  {
    const Server server({"-ORBLogLevel", "off"});
    converse(server.reference);  // what is made once is there
    test::refuse_allocations(refused, count);
    converse(server.reference);
    const std::size_t allocations = test::allocations_since();
    test::refuse_allocations(0, 0);
    (void)!::write(told, &allocations, sizeof allocations);
    try {
      Client honest(server.reference, {"-ORBCallTimeout", "20000"}, "honest");
      if (honest.castle->fast(5) == 5 && honest.castle->big(100'000).size() == 100'000) status = kServed;
    } catch (const CORBA::Exception& exception) {
      std::fprintf(stderr, "not served: %s\n", exception.what());
    }
  }
  std::_Exit(status);
}

struct Ended {
  int status = 0;
  std::size_t allocations = 0;
};

Ended live_without(std::size_t refused, std::size_t count) {
  int pipes[2];
  EXPECT_EQ(::pipe(pipes), 0);
  const pid_t child = ::fork();
  if (child == 0) live(refused, count, pipes[1]);
  ::close(pipes[1]);
  Ended ended;
  (void)!::read(pipes[0], &ended.allocations, sizeof ended.allocations);
  ::close(pipes[0]);
  EXPECT_EQ(::waitpid(child, &ended.status, 0), child);
  return ended;
}

TEST(OutOfMemory, EveryAllocationOfAConversationMayFail) {
  const Ended whole = live_without(1'000'000, 1);
  ASSERT_EQ(whole.status, 0);
  ASSERT_GT(whole.allocations, 100U);
  const char* const every = std::getenv("REFUSE_EVERY");  // 1: each, which takes a minute
  const std::size_t step = every != nullptr ? std::stoul(every) : 7;
  for (const std::size_t count : {1U, 20U}) {
    for (std::size_t refused = 0; refused < whole.allocations; refused += step) {
      const Ended ended = live_without(refused, count);
      EXPECT_EQ(ended.status, 0) << "without allocation " << refused << " and " << count - 1 << " more, of "
                                 << whole.allocations << (WIFSIGNALED(ended.status) ? ": signal " : ": status ")
                                 << (WIFSIGNALED(ended.status) ? WTERMSIG(ended.status) : WEXITSTATUS(ended.status));
    }
  }
}

}  // namespace
}  // namespace corbel::siege
