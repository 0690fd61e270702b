// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>

#include "corbel/messaging/giop/giop.hpp"
#include "corbel/orb/components.hpp"
#include "corbel/poa/adapter.hpp"
#include "corbel/transport/faulty/faulty.hpp"
#include "corbel/transport/tcp/tcp.hpp"
#include "endings.hpp"

namespace corbel::calls_test {
namespace {

using base::Code;
using base::Stage;
using test::FakePeer;
using transport::faulty::Plan;
using transport::faulty::Script;
using transport::faulty::Side;
namespace answer = test::answer;

constexpr std::uint64_t kWithinTheRequest = 40;

/// A client whose transport breaks as planned.
OrbRef faulty_orb(const std::shared_ptr<Plan>& plan) {
  static int number = 0;
  std::vector<std::string> none;
  return orb::init(
      none, "faulty " + std::to_string(++number),
      {{messaging::make_giop()}, {transport::make_faulty(transport::make_tcp(), plan)}, &poa::make_adapter});
}

ThingRef thing_of(const OrbRef& orb, const std::vector<test::ProfileData>& profiles) {
  return IDL::traits<Calls::Thing>::unchecked_narrow(orb->string_to_object(test::ior_string(profiles)));
}

End end_of(const char* where, const char* how, const char* executed, const char* exception, const char* completed,
           std::uint32_t minor) {
  End end;
  end.where = where;
  end.how = how;
  end.executed = executed;
  end.exception = exception;
  end.completed = completed;
  end.minor = minor;
  return end;
}

Ending wide_to(std::uint8_t giop_minor, bool other_code_sets = false) {
  FakePeer peer({answer::done()});
  Client client;
  auto profile = peer.profile();
  profile.minor = giop_minor;
  profile.code_sets = other_code_sets;
  profile.wide_code_set = false;
  const Ending ending = ending_of([&] { client.thing({profile})->wide(L"wide"); });
  EXPECT_EQ(peer.requests(), 0U);
  return ending;
}

}  // namespace

End wide_data_without_code_sets() {
  End end = end_of("encode", "wide characters, and the reference has no code sets", "no", "INV_OBJREF", "NO",
                   corba::minor::kNoWideCodeSet);
  end.run = [] { return wide_to(2); };
  return end;
}

End wide_data_without_common_code_set() {
  End end = end_of("encode", "wide characters, and the two sides have no code set for them in common", "no",
                   "INV_OBJREF", "NO", corba::minor::kWideCodeSetMissing);
  end.run = [] { return wide_to(2, true); };
  return end;
}

End wide_data_in_giop_1_0() {
  End end = end_of("encode", "an argument that cannot be marshalled (here: wide characters in GIOP 1.0)", "no",
                   "MARSHAL", "NO", corba::minor::kWideDataFromClient);
  end.run = [] { return wide_to(0); };
  return end;
}

End broken_while_sending() {
  End end = end_of("send", "the connection breaks before the whole request has left", "no", "TRANSIENT", "NO",
                   corba::vendor_minor(Stage::send, Code::lost));
  end.then = Then::goes_on;
  end.note = "tries the same place twice more if the connection had been used before";
  end.run = [] {
    const auto plan = std::make_shared<Plan>();
    const auto orb = faulty_orb(plan);
    FakePeer one({answer::text("one")});
    FakePeer two({answer::text("two")});
    // A connection that served before is made anew, and the call succeeds.
    auto thing = thing_of(orb, {one.profile()});
    thing->ask("");
    Script script;
    script.cut_sent = plan->sent(Side::connecting) + kWithinTheRequest;
    plan->set(Side::connecting, script);
    EXPECT_EQ(thing->ask(""), "one");
    EXPECT_EQ(one.connections(), 2U);
    EXPECT_EQ(one.requests(), 2U);
    // A new connection is not made anew: the next place is tried.
    script.cut_sent = kWithinTheRequest;
    plan->set(Side::connecting, script);
    const unsigned before = plan->conversations(Side::connecting);
    const Ending ending = ending_of([&] {
      thing_of(faulty_orb(plan), {one.profile("other"), two.profile()})->ask("");
    });
    EXPECT_EQ(plan->conversations(Side::connecting), before + 2);
    EXPECT_EQ(one.requests() + two.requests(), 2U);
    orb->destroy();
    return ending;
  };
  return end;
}

End timed_out_while_sending() {
  End end = end_of("send", "`-ORBCallTimeout` passes before the whole request has left", "no", "TIMEOUT", "NO",
                   corba::vendor_minor(Stage::send, Code::timed_out));
  end.run = [] {
    const auto plan = std::make_shared<Plan>();
    const auto orb = faulty_orb(plan);
    FakePeer one({answer::text("one")});
    FakePeer two({answer::text("two")});
    Script script;
    script.stall_sent = kWithinTheRequest;
    plan->set(Side::connecting, script);
    const Ending ending = ending_of([&] { thing_of(orb, {one.profile(), two.profile()})->ask(""); });
    EXPECT_EQ(plan->conversations(Side::connecting), 1U);
    EXPECT_EQ(one.requests() + two.requests(), 0U);
    orb->destroy();
    return ending;
  };
  return end;
}

End ended_while_connecting() {
  End end = end_of("connect", "`shutdown()` or `destroy()` of the client's ORB", "no", "BAD_INV_ORDER", "NO",
                   corba::minor::kOrbShutDown);
  end.run = [] {
    const test::SilentPort silent;
    FakePeer other({answer::done()});
    std::vector<std::string> options = {"-ORBConnectTimeout", "600000", "-ORBConnectHeadStart", "600000",
                                        "-ORBCallTimeout",    "600000"};
    auto orb = CORBA::ORB_init(options, "ended while connecting");
    auto thing = thing_of(orb, {silent.profile(), other.profile()});
    Ending ending;
    std::thread calling([&] { ending = ending_of([&] { thing->ask(""); }); });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // one that begins later ends the same way
    const auto begin = std::chrono::steady_clock::now();
    orb->shutdown(true);
    calling.join();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
    EXPECT_EQ(other.requests(), 0U);
    orb->destroy();
    return ending;
  };
  return end;
}

End ended_by_shutdown() {
  End end = end_of("wait", "`shutdown()` or `destroy()` of the client's ORB", "unknown", "BAD_INV_ORDER", "MAYBE",
                   corba::minor::kOrbShutDown);
  end.run = [] {
    FakePeer peer({answer::nothing()});
    std::vector<std::string> none;
    auto orb = CORBA::ORB_init(none, "shut down while waiting");
    auto thing = IDL::traits<Calls::Thing>::unchecked_narrow(orb->string_to_object(peer.ior()));
    auto future = thing->async_ask("");
    Ending ending;
    std::thread waiting([&] { ending = ending_of([&] { thing->ask(""); }); });
    EXPECT_TRUE(peer.wait_for_messages(2));
    orb->shutdown(false);
    waiting.join();
    EXPECT_EQ(ending_of([&] { future.get(); }).what, ending.what);
    EXPECT_EQ(peer.requests(), 2U);
    orb->destroy();
    return ending;
  };
  return end;
}

End cut_for_memory() {
  End end = end_of("receive", "others need the memory that the first part of the answer takes (`-ORBMaxInputMemory`)",
                   "unknown", "NO_RESOURCES", "MAYBE", corba::vendor_minor(Stage::receive, Code::out_of_resources));
  end.run = [] {
    constexpr std::size_t kLarge = 2U << 20;
    const Client client({"-ORBMaxInputMemory", "3000000"});
    FakePeer slow({answer::unfinished(kLarge)});
    FakePeer quick({answer::text(std::string(kLarge, 'x'))});
    const auto thing = client.thing({slow.profile(), quick.profile()});
    const auto other = client.thing({quick.profile()});
    // As long as the slow one's octets come, it may be the other call that has to go.
    const auto ask_other = [&] {
      const std::string what = ending_of([&] { EXPECT_EQ(other->ask("").size(), kLarge); }).what;
      EXPECT_TRUE(what == "done" || what.starts_with("NO_RESOURCES")) << what;
    };
    Ending ending;
    std::atomic<bool> ended{false};
    std::thread waiting([&] {
      ending = ending_of([&] { thing->ask(""); });
      ended = true;
    });
    while (!ended) ask_other();
    waiting.join();
    auto future = thing->async_ask("");
    while (!future.wait_for(std::chrono::seconds(0))) ask_other();
    EXPECT_EQ(ending_of([&] { future.get(); }).what, ending.what);
    EXPECT_EQ(slow.requests(), 2U);
    EXPECT_EQ(ending_of([&] { other->ask(""); }).what, "done");
    return ending;
  };
  return end;
}

namespace {

Ending call_after(bool destroyed) {
  FakePeer peer({answer::done()});
  std::vector<std::string> none;
  auto orb = CORBA::ORB_init(none, "has ended");
  auto thing = IDL::traits<Calls::Thing>::unchecked_narrow(orb->string_to_object(peer.ior()));
  orb->shutdown(true);
  if (destroyed) orb->destroy();
  const Ending ending = ending_of([&] { thing->act(); });
  EXPECT_EQ(peer.requests(), 0U);
  if (!destroyed) orb->destroy();
  return ending;
}

}  // namespace

End begun_after_shutdown() {
  End end =
      end_of("before", "the client's ORB has been shut down", "no", "BAD_INV_ORDER", "NO", corba::minor::kOrbShutDown);
  end.run = [] { return call_after(false); };
  return end;
}

End begun_after_destroy() {
  End end = end_of("before", "the client's ORB has been destroyed", "no", "OBJECT_NOT_EXIST", "NO",
                   corba::minor::kAdapterGone);
  end.run = [] { return call_after(true); };
  return end;
}

}  // namespace corbel::calls_test
