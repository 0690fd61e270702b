// SPDX-License-Identifier: Apache-2.0
// Calls that end because of policies, interceptors, a fork, or a transport that has been withdrawn.
#include <unistd.h>

#include <utility>

#include "corbel/corba/messaging_policies.hpp"
#include "corbel/interceptors/portable_interceptor.hpp"
#include "corbel/mapping/with_policies.hpp"
#include "corbel/orb/parts.hpp"
#include "corbel/policy/client_policies.hpp"
#include "diverted.hpp"
#include "endings.hpp"
#include "in_child.hpp"

namespace corbel::calls_test {
namespace {

using base::Code;
using base::Stage;
using test::FakePeer;
namespace answer = test::answer;
namespace PI = PortableInterceptor;

constexpr std::uint64_t kMillisecond = 10'000;  // in units of 100 ns
constexpr std::uint32_t kInterceptors = 78;     // the minor code that an interceptor raises here

End row(const char* where, const char* how, const char* executed, const char* exception, const char* completed,
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

TimeBase::UtcT from_now(std::int64_t milliseconds) {
  return TimeBase::UtcT(
      policy::utc_now() + static_cast<std::uint64_t>(milliseconds * static_cast<std::int64_t>(kMillisecond)), 0, 0, 0);
}

using PolicyRef = IDL::traits<CORBA::Policy>::ref_type;

/// The first of two places answers so; the call, under a policy made for it, ends there. Asynchronous calls end
/// likewise. `asked`: requests that the place gets of each; none, also without a connection.
Ending under(const std::function<PolicyRef()>& policy, const test::Answer& what, unsigned asked) {
  FakePeer one({answer::text("one"), what});
  FakePeer two({answer::text("two")});
  const Client client;
  const ThingRef thing = client.thing({one.profile(), two.profile()});
  const auto governed = [&] { return with_policies(thing, {policy()}); };
  const Ending cold = asked == 0 ? ending_of([&] { governed()->ask(""); }) : Ending();
  EXPECT_EQ(thing->ask(""), "one");
  const Ending ending = ending_of([&] { governed()->ask(""); });
  EXPECT_EQ(ending_of([&] { governed()->async_ask("").get(); }).what, ending.what);
  if (asked == 0) {
    EXPECT_EQ(cold.what, ending.what) << cold.text;
    EXPECT_EQ(cold.minor, ending.minor) << cold.text;
  }
  EXPECT_EQ(one.requests(), 1 + 2 * asked);
  EXPECT_EQ(two.requests(), 0U);
  return ending;
}

template <class Policy>
std::function<PolicyRef()> ends_in(std::int64_t milliseconds) {
  return [=] { return PolicyRef(CORBA::make_reference<Policy>(from_now(milliseconds))); };
}

/// A call that has been bound under `mode` is answered so.
Ending rebinding(Messaging::RebindMode mode, const test::Answer& what) {
  FakePeer away({answer::text("away")});
  FakePeer home({answer::text("home"), what});
  const Client client;
  const ThingRef thing = with_policies(client.thing({home.profile(), away.profile()}),
                                       {CORBA::make_reference<Messaging::RebindPolicy>(mode)});
  EXPECT_EQ(thing->ask(""), "home");
  const Ending ending = ending_of([&] { thing->ask(""); });
  EXPECT_EQ(ending_of([&] { thing->async_ask("").get(); }).what, ending.what);
  EXPECT_EQ(away.requests(), 0U);
  return ending;
}

/// Does at two points what it is told to.
class Meddler final : public PI::ClientRequestInterceptor {
 public:
  using Info = IDL::traits<PI::ClientRequestInfo>::ref_type;
  std::function<void()> before = [] {};
  std::function<void()> after = [] {};

  std::string name() override { return "meddler"; }
  void destroy() override {}
  void send_request(Info) override { before(); }
  void send_poll(Info) override {}
  void receive_reply(Info) override { after(); }
  void receive_exception(Info) override { after(); }
  void receive_other(Info) override {}
};
using MeddlerRef = CORBA::object_reference<Meddler>;

/// Gives the next ORB a meddler, if there is one for it.
class Meddling final : public PI::ORBInitializer {
 public:
  static MeddlerRef& next() {
    static MeddlerRef meddler;
    return meddler;
  }
  void pre_init(IDL::traits<PI::ORBInitInfo>::ref_type info) override {
    if (next()) info->add_client_request_interceptor(std::exchange(next(), nullptr));
  }
  void post_init(IDL::traits<PI::ORBInitInfo>::ref_type) override {}
};

std::unique_ptr<Client> client_with(const MeddlerRef& meddler) {
  static const bool registered = [] {
    PI::register_orb_initializer(CORBA::make_reference<Meddling>());
    return true;
  }();
  (void)registered;
  Meddling::next() = meddler;
  return std::make_unique<Client>();
}

/// Of IIOP 1.2 to 127.0.0.1:1, with one exposed policy of no value.
test::Octets governed_profile() {
  test::Writer policies;
  policies.octet(1).u32(1).u32(40).u32(0);
  test::Writer profile;
  profile.octet(1).octet(1).octet(2).string("127.0.0.1").u16(1).octets(test::octets_of("key"));
  return profile.u32(1).u32(2).octets(policies.written()).written();
}

/// What interceptors forward to is held against the policies of where the call is, too.
void expect_interceptors_are_governed() {
  FakePeer away({answer::text("away")});
  FakePeer home({answer::text("home")});
  const auto meddler = CORBA::make_reference<Meddler>();
  const auto client = client_with(meddler);
  const auto under = [&](Messaging::RebindMode mode) {
    bool forwards = false;
    meddler->before = [&] {
      if (std::exchange(forwards, false)) throw PI::ForwardRequest(client->thing(away.ior()));
    };
    const ThingRef thing =
        with_policies(client->thing(home.ior()), {CORBA::make_reference<Messaging::RebindPolicy>(mode)});
    EXPECT_EQ(thing->ask(""), "home");
    forwards = true;
    std::string result;
    const Ending ending = ending_of([&] { result = thing->ask(""); });
    meddler->before = [] {};
    return result.empty() ? ending.what : result;
  };
  EXPECT_EQ(under(Messaging::NO_RECONNECT), "REBIND NO");
  EXPECT_EQ(under(Messaging::NO_REBIND), "away");
}

void raise_as_interceptor(CORBA::CompletionStatus completed) {
  throw CORBA::NO_PERMISSION(kInterceptors, completed);
}

}  // namespace

void add_governed_beginnings(std::vector<End>& all) {
  End end = row("before",
                "in a child made by `fork()`: an asynchronous call, which needs threads that stayed with the parent",
                "no", "BAD_INV_ORDER", "NO", corba::vendor_minor(Stage::configure, Code::cancelled));
  end.note = "nothing; the child's synchronous calls open connections of their own, and end as all others";
  end.run = [] {
    FakePeer peer({answer::text("answer")});
    const Client client;
    const ThingRef thing = client.thing(peer.ior());
    EXPECT_EQ(thing->ask(""), "answer");
    std::array<int, 2> pipe{};
    EXPECT_EQ(::pipe(pipe.data()), 0);
    EXPECT_TRUE(test::in_child([&] {
      const Ending waits = ending_of([&] { thing->ask(""); });
      const Ending there = ending_of([&] { thing->async_ask("").get(); });
      const std::string text = std::to_string(there.minor) + ' ' + there.what + waits.what.substr(4);
      return ::write(pipe[1], text.data(), text.size()) > 0;
    }));
    ::close(pipe[1]);
    std::string told(200, '\0');
    const auto got = ::read(pipe[0], told.data(), told.size());
    told.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    ::close(pipe[0]);
    EXPECT_EQ(thing->ask(""), "answer");  // the parent's goes on
    if (test::kTriesInChild == 1) {
      EXPECT_EQ(peer.requests(), 3U);
      EXPECT_EQ(peer.connections(), 2U);
    }
    const std::size_t space = told.find(' ');
    if (space == std::string::npos) return Ending{"nothing was told", 0, {}};
    return Ending{told.substr(space + 1), static_cast<std::uint32_t>(std::stoul(told)), {}};
  };
  all.push_back(end);

  end = row("before", "an interceptor raises an exception before the request leaves (`send_request`)", "no",
            "NO_PERMISSION", "NO", kInterceptors);
  end.run = [] {
    FakePeer peer({answer::text("never")});
    const auto meddler = CORBA::make_reference<Meddler>();
    meddler->before = [] { raise_as_interceptor(CORBA::CompletionStatus::COMPLETED_NO); };
    const auto client = client_with(meddler);
    const Ending ending = ending_of([&] { client->thing({peer.profile(), peer.profile("other")})->ask(""); });
    EXPECT_EQ(ending_of([&] { client->thing(peer.ior())->async_ask("").get(); }).what, ending.what);
    EXPECT_EQ(peer.requests(), 0U);
    return ending;
  };
  all.push_back(end);

  end = row("before", "an interceptor forwards before the request leaves (`ForwardRequest`)", "no", "", "", 0);
  end.note = "goes there, as after a server's forward";
  end.run = [] {
    FakePeer peer({answer::text("never")});
    FakePeer other({answer::text("other")});
    const auto meddler = CORBA::make_reference<Meddler>();
    const auto client = client_with(meddler);
    meddler->before = [&, forwards = 0]() mutable {
      if (forwards++ == 0) throw PI::ForwardRequest(client->orb()->string_to_object(other.ior()));
    };
    const Ending ending = ending_of([&] { EXPECT_EQ(client->thing(peer.ior())->ask(""), "other"); });
    EXPECT_EQ(peer.requests(), 0U);
    EXPECT_EQ(other.requests(), 1U);
    return ending;
  };
  all.push_back(end);

  end = row("before",
            "the time at which the request must have left is over (`RequestEndTimePolicy`, "
            "`RelativeRequestTimeoutPolicy`)",
            "no", "TIMEOUT", "NO", corba::minor::kRequestEndTimePassed);
  end.run = [] { return under(ends_in<Messaging::RequestEndTimePolicy>(-1), answer::text("never"), 0); };
  all.push_back(end);

  end.how = "the time at which the answer must be there is over before the request leaves (`ReplyEndTimePolicy`)";
  end.minor = corba::vendor_minor(Stage::send, Code::timed_out);
  end.run = [] { return under(ends_in<Messaging::ReplyEndTimePolicy>(-1), answer::text("never"), 0); };
  all.push_back(end);
}

void add_withdrawn(std::vector<End>& all) {
  End end = row("connect", "the protocol or transport has been withdrawn from the ORB, and no other leads there", "no",
                "TRANSIENT", "NO", corba::minor::kNoUsableProfile);
  end.then = Then::goes_on;
  end.run = [] {
    FakePeer peer({answer::text("answer")});
    const PlainClient client({transport::make_tcp()});
    const ThingRef thing = client.thing(peer.ior());
    EXPECT_EQ(thing->ask(""), "answer");
    EXPECT_TRUE(orb::withdraw_transport(client.orb(), "tcp"));
    const Ending ending = ending_of([&] { thing->ask(""); });
    EXPECT_EQ(ending_of([&] { thing->async_ask("").get(); }).what, ending.what);
    EXPECT_EQ(peer.requests(), 1U);
    return ending;
  };
  all.push_back(end);
}

void add_governed_waiting(std::vector<End>& all) {
  End end = row("wait", "no answer within the time of the call (`RelativeRoundtripTimeoutPolicy`)", "unknown",
                "TIMEOUT", "MAYBE", corba::vendor_minor(Stage::wait, Code::timed_out));
  end.note = "sends a CancelRequest; the answer is dropped if it comes yet";
  end.run = [] {
    const auto policy = [] {
      return PolicyRef(CORBA::make_reference<Messaging::RelativeRoundtripTimeoutPolicy>(1500 * kMillisecond));
    };
    return under(policy, answer::nothing(), 1);
  };
  all.push_back(end);
  end.how = "no answer by the end that the call has in absolute time (`ReplyEndTimePolicy`)";
  end.run = [] { return under(ends_in<Messaging::ReplyEndTimePolicy>(1500), answer::nothing(), 1); };
  all.push_back(end);
  end = row("wait", "the application cancels the asynchronous call (`Future::cancel`)", "unknown", "TRANSIENT", "MAYBE",
            corba::minor::kRequestCancelled);
  end.note = "sends a CancelRequest; the answer is dropped if it comes yet";
  end.run = [] {
    FakePeer peer({answer::nothing()});
    const Client client;
    auto future = client.thing({peer.profile(), peer.profile("other")})->async_ask("");
    EXPECT_TRUE(peer.wait_for_messages(1));
    EXPECT_TRUE(future.cancel());
    const Ending ending = ending_of([&] { (void)future.get(); });
    EXPECT_TRUE(peer.wait_for_messages(2));
    EXPECT_EQ(peer.messages().back().type, test::kCancelRequest);
    EXPECT_EQ(peer.requests(), 1U);
    return ending;
  };
  all.push_back(end);
  end = row("wait", "the server closes in order, and `RebindPolicy` is `NO_RECONNECT`", "no", "REBIND", "NO", 0);
  end.run = [] { return rebinding(Messaging::NO_RECONNECT, answer::close_connection()); };
  all.push_back(end);
}

void add_governed_forwards(std::vector<End>& all) {
  End end =
      row("forward",
          "the server forwards, and `RebindPolicy` is `NO_RECONNECT`, or `NO_REBIND` and other policies hold there",
          "no", "REBIND", "NO", 0);
  end.run = [] {
    EXPECT_EQ(rebinding(Messaging::NO_RECONNECT, answer::forward({test::ProfileData()})).what, "REBIND NO");
    expect_interceptors_are_governed();
    return rebinding(Messaging::NO_REBIND, answer::status(3, [](test::Writer& writer) {
                       writer.string("IDL:Test:1.0").u32(1).u32(0).octets(governed_profile());
                     }));
  };
  all.push_back(end);
}

void add_governed_answers(std::vector<End>& all) {
  End end = row("answer", "an interceptor raises an exception instead of the answer (`receive_reply`)", "yes",
                "NO_PERMISSION", "YES", kInterceptors);
  end.run = [] {
    FakePeer peer({answer::text("results")});
    const auto meddler = CORBA::make_reference<Meddler>();
    meddler->after = [] { raise_as_interceptor(CORBA::CompletionStatus::COMPLETED_YES); };
    const auto client = client_with(meddler);
    const Ending ending = ending_of([&] { client->thing({peer.profile(), peer.profile("other")})->ask(""); });
    EXPECT_EQ(peer.requests(), 1U);
    return ending;
  };
  all.push_back(end);

  end = row("answer",
            "an interceptor forwards instead of an exception that says `COMPLETED_NO` (`ForwardRequest` in "
            "`receive_exception`)",
            "no", "", "", 0);
  end.note = "goes there; at any other completion the forward is not heeded, and the exception raised";
  end.run = [] {
    FakePeer peer({answer::system_exception("NO_PERMISSION", 1), answer::system_exception("NO_PERMISSION", 2)});
    FakePeer other({answer::text("other")});
    const auto meddler = CORBA::make_reference<Meddler>();
    const auto client = client_with(meddler);
    bool forwards = true;
    meddler->after = [&] {
      if (std::exchange(forwards, false)) throw PI::ForwardRequest(client->orb()->string_to_object(other.ior()));
    };
    const Ending ending = ending_of([&] { EXPECT_EQ(client->thing(peer.ior())->ask(""), "other"); });
    forwards = true;
    EXPECT_EQ(ending_of([&] { client->thing({peer.profile("another")})->ask(""); }).what, "NO_PERMISSION MAYBE");
    EXPECT_FALSE(forwards);
    EXPECT_EQ(peer.requests(), 2U);
    EXPECT_EQ(other.requests(), 1U);
    return ending;
  };
  all.push_back(end);
}

}  // namespace corbel::calls_test
