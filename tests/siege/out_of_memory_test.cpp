// SPDX-License-Identifier: Apache-2.0
// Each allocation of a conversation is refused once, in a process of its own: calls may fail, and say so; the process
// lives, and the next call is served.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <utility>

#include "castle.hpp"
#include "child.hpp"
#include "corbel/connection/token.hpp"
#include "corbel/ipc/acceptor.hpp"
#include "corbel/orb/parts.hpp"
#include "support/allocations.hpp"

namespace corbel::siege {
namespace {

/// What may end in lack of memory, or in nothing to wait for.
template <class Action>
void attempt(const Action& action) {
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

bool live_talking(std::size_t refused, std::size_t count, std::size_t& allocations) {
  const Server server({"-ORBLogLevel", "off"});
  converse(server.reference);  // what is made once is there
  test::refuse_allocations(refused, count);
  converse(server.reference);
  allocations = test::allocations_since();
  test::refuse_allocations(0, 0);
  Client honest(server.reference, {"-ORBCallTimeout", "20000"}, "honest");
  return honest.castle->fast(5) == 5 && honest.castle->big(100'000).size() == 100'000;
}

using PoaRef = IDL::traits<PortableServer::POA>::ref_type;

PoaRef root_of(const OrbRef& orb) {
  const auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  root->the_POAManager()->activate();
  return root;
}

CastleRef as_castle(const IDL::traits<CORBA::Object>::ref_type& object) {
  return IDL::traits<Siege::Castle>::unchecked_narrow(object);
}

/// An adapter, an object and its calls in this process, from beginning to end.
void live_once(const PoaRef& root, const CORBA::servant_reference<CastleServant>& servant,
               const PortableServer::ObjectId& id) {
  PoaRef poa;
  attempt([&] {
    poa = root->create_POA("child", root->the_POAManager(),
                           {root->create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::USER_ID)});
  });
  if (poa == nullptr) return;
  for (int i = 0; i < 2; ++i) {
    attempt([&] { poa->activate_object_with_id(id, servant); });
    attempt([&] { (void)as_castle(poa->id_to_reference(id))->fast(i); });
    attempt([&] { poa->deactivate_object(id); });
  }
  attempt([&] { poa->activate_object_with_id(id, servant); });
  attempt([&] { poa->destroy(true, true); });
}

bool live_alone(std::size_t refused, std::size_t count, std::size_t& allocations) {
  const auto orb = make_orb("alone", {"-ORBLogLevel", "off"});
  const PoaRef root = root_of(orb);
  const auto servant = CORBA::make_reference<CastleServant>();
  const auto id = PortableServer::string_to_ObjectId("a name too long to be kept within a string");
  live_once(root, servant, id);
  test::refuse_allocations(refused, count);
  live_once(root, servant, id);
  attempt([&] { (void)root->activate_object(servant); });
  allocations = test::allocations_since();
  test::refuse_allocations(0, 0);
  attempt([&] { root->deactivate_object(root->servant_to_id(servant)); });  // that it may be active is all that is left
  const bool well = as_castle(root->id_to_reference(root->activate_object(servant)))->fast(5) == 5;
  orb->destroy();
  return well;
}

void expect_to_live(Life life, std::size_t step, std::size_t count) {
  const Ended whole = live_without(life, 1'000'000, 1);
  ASSERT_EQ(whole.status, 0);
  ASSERT_GT(whole.allocations, 20U);
  for (std::size_t refused = 0; refused < whole.allocations; refused += step) {
    const Ended ended = live_without(life, refused, count);
    EXPECT_EQ(ended.status, 0) << "without allocation " << refused << " and " << count - 1 << " more, of "
                               << whole.allocations << (WIFSIGNALED(ended.status) ? ": signal " : ": status ")
                               << (WIFSIGNALED(ended.status) ? WTERMSIG(ended.status) : WEXITSTATUS(ended.status));
  }
}

TEST(OutOfMemory, EveryAllocationOfAConversationMayFail) {
  const char* const every = std::getenv("REFUSE_EVERY");  // 1: each, which takes a minute
  const std::size_t step = every != nullptr ? std::stoul(every) : 7;
  for (const std::size_t count : {1U, 20U}) expect_to_live(live_talking, step, count);
}

TEST(OutOfMemory, EveryAllocationOfAnAdapterAndItsObjectsMayFail) {
  expect_to_live(live_alone, 1, 1);
}

/// Refuses one allocation of the operation after the other, until it needs no more. Each time it either ends in
/// NO_MEMORY, `completed` as said, and then `undone` holds if that is COMPLETED_NO, or has done without: `undo`.
void expect_no_memory(const char* what, CORBA::CompletionStatus completed, const std::function<void()>& operation,
                      const std::function<void()>& undo = {}, const std::function<bool()>& undone = {}) {
  std::size_t refused = 0;
  for (std::size_t ended = 0;; ++refused) {
    test::refuse_allocations(refused, 1);
    std::string thrown;
    CORBA::CompletionStatus how = completed;
    try {
      operation();
    } catch (const CORBA::SystemException& exception) {
      test::refuse_allocations(0, 0);
      thrown = exception._name();
      how = exception.completed();
      EXPECT_EQ(exception.minor(), corba::vendor_minor(base::Stage::dispatch, base::Code::out_of_resources)) << what;
    } catch (const std::bad_alloc&) {
      test::refuse_allocations(0, 0);
      ADD_FAILURE() << what << " threw std::bad_alloc without allocation " << refused;
      return;
    }
    const bool all = test::allocations_since() <= refused;
    test::refuse_allocations(0, 0);
    if (!thrown.empty()) {
      ++ended;
      ASSERT_EQ(thrown, "NO_MEMORY") << what << " without allocation " << refused;
      EXPECT_EQ(how, completed) << what << " without allocation " << refused;
      EXPECT_TRUE(!undone || undone()) << what << " without allocation " << refused;
      if (undo && completed == CORBA::CompletionStatus::COMPLETED_MAYBE) attempt(undo);
    } else {
      if (undo) undo();
      if (!all) continue;
      EXPECT_GT(ended, 0U) << what << " allocates nothing";
      return;
    }
  }
}

TEST(OutOfMemory, OperationsOfAdaptersEndInNoMemory) {
  constexpr auto kNo = CORBA::CompletionStatus::COMPLETED_NO;
  constexpr auto kMaybe = CORBA::CompletionStatus::COMPLETED_MAYBE;
  const auto orb = make_orb("short of memory", {"-ORBLogLevel", "off", "-ORBListenEndpoints", "tcp://127.0.0.1:0"});
  const PoaRef root = root_of(orb);
  const CORBA::PolicyList user_ids{root->create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::USER_ID),
                                   root->create_lifespan_policy(PortableServer::LifespanPolicyValue::PERSISTENT)};
  const auto manager = root->the_POAManager();
  const PoaRef named = root->create_POA("a name too long to be kept within a string", manager, user_ids);
  const auto servant = CORBA::make_reference<CastleServant>();
  const auto id = PortableServer::string_to_ObjectId("an id of some length");
  (void)named->create_reference_with_id(id, "IDL:Siege/Castle:1.0");  // listens from now on
  const std::string name = "another name that is too long for that";
  const std::string type = "IDL:Siege/Castle/and/something/more:1.0";
  PoaRef made;
  PortableServer::ObjectId given;

  for (const bool own_manager : {false, true}) {
    expect_no_memory(
        "create_POA", kNo, [&] { made = root->create_POA(name, own_manager ? nullptr : manager, user_ids); },
        [&] { std::exchange(made, nullptr)->destroy(false, true); },
        [&] { return root->the_children().size() == 1 && root->the_POAManagerFactory()->list().size() == 1; });
  }
  expect_no_memory("create_thread_policy", kNo,
                   [&] { root->create_thread_policy(PortableServer::ThreadPolicyValue::ORB_CTRL_MODEL); });
  expect_no_memory("the_name", kNo, [&] { named->the_name(); });
  expect_no_memory("the_children", kNo, [&] { root->the_children(); });
  expect_no_memory("id", kNo, [&] { root->id(); });
  expect_no_memory("create_reference", kNo, [&] { root->create_reference(type); });
  expect_no_memory("create_reference_with_id", kNo, [&] { named->create_reference_with_id(id, type); });
  expect_no_memory(
      "activate_object", kNo, [&] { given = root->activate_object(servant); }, [&] { root->deactivate_object(given); });
  expect_no_memory(
      "activate_object_with_id", kNo, [&] { named->activate_object_with_id(id, servant); },
      [&] { named->deactivate_object(id); });
  expect_no_memory(
      "servant_to_id", kNo, [&] { given = root->servant_to_id(servant); }, [&] { root->deactivate_object(given); });
  expect_no_memory(
      "servant_to_reference", kMaybe, [&] { root->servant_to_reference(servant); },
      [&] { root->deactivate_object(root->servant_to_id(servant)); });
  named->activate_object_with_id(id, servant);
  const auto reference = named->id_to_reference(id);
  expect_no_memory("id_to_reference", kNo, [&] { named->id_to_reference(id); });
  expect_no_memory("reference_to_id", kNo, [&] { named->reference_to_id(reference); });
  expect_no_memory(
      "deactivate", kMaybe, [&] { manager->hold_requests(false); }, [&] { manager->activate(); });
  const auto managers = root->the_POAManagerFactory();
  expect_no_memory("list", kNo, [&] { managers->list(); });
  int number = 0;
  expect_no_memory(
      "create_POAManager", kNo, [&] { managers->create_POAManager("manager " + std::to_string(number), {}); },
      [&] { ++number; });
  EXPECT_EQ(as_castle(reference)->fast(5), 5);
  EXPECT_EQ(as_castle(root->servant_to_reference(servant))->fast(6), 6);
  orb->destroy();
}

/// Descriptors that this process has open.
std::size_t descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

TEST(OutOfMemory, OperationsOnEndpointsEndInNoMemoryAndLeaveNothingOpen) {
  constexpr auto kNo = CORBA::CompletionStatus::COMPLETED_NO;
  const std::string folder = testing::TempDir() + "endpoints-" + std::to_string(::getpid());
  std::filesystem::create_directory(folder);
  const std::string all = "tcp://127.0.0.1:0;unix://" + folder + "/first;shm://" + folder + "/ring;udp://127.0.0.1:0";
  const auto orb = make_orb("endpoints", {"-ORBLogLevel", "off", "-ORBListenEndpoints", all});
  const PoaRef root = root_of(orb);
  const std::string type = "IDL:Siege/Castle:1.0";
  std::size_t before = descriptors();
  std::size_t whole = 0;  // when it listens at all of them
  const auto as_before = [&] { return descriptors() == before; };
  const auto none_or_all = [&] {
    if (whole == 0 && !as_before()) whole = descriptors();
    return as_before() || descriptors() == whole;
  };
  expect_no_memory(
      "listening", kNo, [&] { root->create_reference(type); }, {}, none_or_all);
  EXPECT_TRUE(none_or_all());

  // What listens is what references say.
  const auto said = [&] { return orb->object_to_string(root->create_reference(type)).size(); };
  const std::size_t profiles = said();
  before = descriptors();
  std::string opened;
  for (const std::string& endpoint :
       {std::string("tcp://127.0.0.1:0"), "unix://" + folder + "/more", "unix://@" + folder, std::string("unix://"),
        "shm://" + folder + "/more", std::string("shm://"), std::string("udp://127.0.0.1:0"),
        std::string("giop_lite+tcp://localhost:0")}) {
    expect_no_memory(
        endpoint.c_str(), kNo, [&] { opened = std::move(corbel::orb::listen(*orb, endpoint).front()); },
        [&] { EXPECT_TRUE(corbel::orb::stop_listening(*orb, opened)) << opened; },
        [&] { return as_before() && said() == profiles; });
    EXPECT_EQ(descriptors(), before) << endpoint;
    opened = std::move(corbel::orb::listen(*orb, endpoint).front());
    const std::size_t with_it = descriptors();
    expect_no_memory(
        "stop_listening", kNo, [&] { EXPECT_TRUE(corbel::orb::stop_listening(*orb, opened)); },
        [&] { opened = std::move(corbel::orb::listen(*orb, endpoint).front()); },
        [&] { return descriptors() == with_it && said() > profiles; });
    EXPECT_TRUE(corbel::orb::stop_listening(*orb, opened));
    EXPECT_EQ(said(), profiles);
  }
  const std::vector<std::string> loopback{"tcp://127.0.0.1:0"};
  std::string name = "a lane with a name of some length ";
  expect_no_memory(
      "add_lane", kNo, [&] { corbel::orb::add_lane(*orb, name, 2, loopback); },
      [&] {
        EXPECT_EQ(corbel::orb::listen(*orb, loopback.front(), name).size(), 1U);
        name += 'I';
        before = descriptors();
      },
      as_before);
  orb->destroy();
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

TEST(OutOfMemory, TheRightToSendIsWaitedForAllTheSame) {
  connection::Token token;
  token.lock();
  test::refuse_allocations(0, 1'000'000);
  const bool early = token.lock_until(base::Deadline::after(1ms));
  test::refuse_allocations(0, 0);
  const std::jthread other([&] {
    std::this_thread::sleep_for(20ms);
    token.unlock();
  });
  test::refuse_allocations(0, 1'000'000);
  const bool in_time = token.lock_until(base::Deadline::after(60s));
  test::refuse_allocations(0, 0);
  EXPECT_FALSE(early);
  EXPECT_TRUE(in_time);
  token.unlock();
}

// When the time of one is over, their timer sets itself to that of the next.
TEST(OutOfMemory, CallsWhoseTimerFindsNoneEnd) {
  const auto silent = *ipc::TcpAcceptor::open(ipc::InetAddress::loopback_v4());
  const Client client("corbaloc:iiop:" + silent.local_address()->to_string() + "/castle", {"-ORBCallTimeout", "3000"});
  const auto end_of = [](auto& pending) -> std::string {
    try {
      (void)pending.get();
      return "nothing was refused";
    } catch (const CORBA::SystemException& refused) {
      const bool maybe = refused.completed() == CORBA::CompletionStatus::COMPLETED_MAYBE;
      return std::string(refused._name()) + (maybe ? "" : ", but not COMPLETED_MAYBE");
    }
  };
  const std::string wanted = "NO_MEMORY, NO_MEMORY";  // there is none either for the text of another
  std::string ends;
  // Again if the machine has let the time of one pass while there was memory.
  for (int tries = 0; tries < 5 && ends != wanted; ++tries) {
    auto first = client.castle->async_slow(1);
    std::this_thread::sleep_for(1500ms);
    auto second = client.castle->async_slow(2);
    test::refuse_allocations(0, 1'000'000);
    std::this_thread::sleep_for(4500ms);
    test::refuse_allocations(0, 0);
    ends = end_of(first) + ", ";
    ends += end_of(second);
  }
  EXPECT_EQ(ends, wanted);
}

TEST(OutOfMemory, TheFirstCallThatKnowsItsWayMayFindNone) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // in a process in which nobody has called before
  for (std::size_t refused = 0; refused < 3; ++refused) {
    EXPECT_EXIT(
        {
          const auto orb = make_orb("first");
          const PoaRef root = root_of(orb);
          const CastleRef castle = CORBA::make_reference<CastleServant>()->_this();
          (void)castle->fast(1);
          test::refuse_allocations(refused, 1);
          (void)castle->fast(2);
          (void)castle->fast(3);
          test::refuse_allocations(0, 0);
          std::_Exit(castle->fast(4) == 4 ? kServed : kNotServed);
        },
        testing::ExitedWithCode(kServed), "");
  }
}

}  // namespace
}  // namespace corbel::siege
