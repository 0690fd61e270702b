// SPDX-License-Identifier: Apache-2.0
// ORBInitializers (CORBA 3.3 part 1, 16.7): when they run, and what they may do.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "corbel/orb/core.hpp"
#include "support.hpp"

namespace corbel::interceptors_test {
namespace {

TEST(Initialisation, PreInitComesBeforePostInitAndKnowsTheArguments_16_7_1) {
  std::string order;
  Parts setup;
  setup.pre_init = [&](const InitInfoRef& info) {
    order += "pre ";
    EXPECT_EQ(info->arguments(), (std::vector<std::string>{"mine"}));
    EXPECT_NE(info->codec_factory(), nullptr);
  };
  setup.post_init = [&](const InitInfoRef& info) {
    order += "post";
    EXPECT_NE(info->resolve_initial_references("RootPOA"), nullptr);
  };
  const Orb orb(setup, {"mine"});
  EXPECT_EQ(order, "pre post");
}

TEST(Initialisation, InitialReferencesCannotBeResolvedBeforePostInit_16_7_2_5) {
  std::string ending;
  Parts setup;
  setup.pre_init = [&](const InitInfoRef& info) {
    ending = ending_of([&] { info->resolve_initial_references("RootPOA"); });
  };
  const Orb orb(setup);
  EXPECT_EQ(ending, "BAD_INV_ORDER NO 14");
}

TEST(Initialisation, InitialReferencesAreRegistered_16_7_2_4) {
  Parts setup;
  setup.pre_init = [&](const InitInfoRef& info) {
    const auto object = info->codec_factory();
    info->register_initial_reference("Mine", object);
    EXPECT_THROW(info->register_initial_reference("Mine", object), PI::ORBInitInfo::InvalidName);
    EXPECT_THROW(info->register_initial_reference("", object), PI::ORBInitInfo::InvalidName);
    EXPECT_EQ(ending_of([&] { info->register_initial_reference("Nil", nullptr); }), "BAD_PARAM NO 27");
  };
  setup.post_init = [&](const InitInfoRef& info) {
    EXPECT_THROW(info->resolve_initial_references("Nobody"), PI::ORBInitInfo::InvalidName);
  };
  const Orb orb(setup);
  EXPECT_NE(orb->resolve_initial_references("Mine"), nullptr);
}

TEST(Initialisation, NamesAreUniquePerKindUnlessEmpty_16_7_2_6) {
  Story story;
  Parts setup;
  setup.pre_init = [&](const InitInfoRef& info) {
    info->add_client_request_interceptor(CORBA::make_reference<ClientWatch>("A", story));
    info->add_server_request_interceptor(CORBA::make_reference<ServerWatch>("A", story));
    info->add_client_request_interceptor(CORBA::make_reference<ClientWatch>("", story));
    info->add_client_request_interceptor(CORBA::make_reference<ClientWatch>("", story));
    try {
      info->add_client_request_interceptor(CORBA::make_reference<ClientWatch>("A", story));
      ADD_FAILURE();
    } catch (const PI::ORBInitInfo::DuplicateName& duplicate) {
      EXPECT_EQ(duplicate.name(), "A");
    }
    EXPECT_EQ(ending_of([&] { info->add_client_request_interceptor(nullptr); }), "BAD_PARAM NO");
  };
  const Orb orb(setup);
}

TEST(Initialisation, InterceptorsAreToldOfTheRequestsThatTheirModeSays) {
  Story story;
  Parts setup;
  setup.pre_init = [&](const InitInfoRef& info) {
    const auto with = IDL::traits<PI::ORBInitInfo_3_1>::narrow(info);
    const auto add = [&](const std::string& name, const CORBA::PolicyList& policies) {
      with->add_client_request_interceptor_with_policy(CORBA::make_reference<ClientWatch>(name, story), policies);
      with->add_server_request_interceptor_with_policy(CORBA::make_reference<ServerWatch>(name, story), policies);
    };
    const auto mode = [](PI::ProcessingMode of) { return CORBA::make_reference<PI::ProcessingModePolicy>(of); };
    add("L", {mode(PI::LOCAL_ONLY)});
    add("R", {mode(PI::REMOTE_ONLY)});
    add("B", {});
    EXPECT_EQ(ending_of([&] { add("B", {mode(PI::LOCAL_AND_REMOTE)}); }), "DuplicateName");
    const auto reason = [&](const CORBA::PolicyList& policies) {
      try {
        with->add_ior_interceptor_with_policy(nullptr, policies);
      } catch (const CORBA::PolicyError& error) {
        return error.reason();
      }
      return CORBA::PolicyErrorCode{-1};
    };
    EXPECT_EQ(reason({nullptr}), CORBA::BAD_POLICY);
    EXPECT_EQ(reason({mode(0), mode(0)}), CORBA::BAD_POLICY);
    EXPECT_EQ(reason({CORBA::make_reference<Messaging::SyncScopePolicy>(Messaging::SYNC_NONE)}),
              CORBA::UNSUPPORTED_POLICY);
  };
  const Orb orb(setup);
  const Orb client(Parts{}, {"-ORBCollocation", "off"});
  const auto here =
      IDL::traits<Watched::Thing>::narrow(orb.root()->servant_to_reference(CORBA::make_reference<Servant>()));
  story.take();
  here->ask("");
  EXPECT_EQ(story.take(),
            "L.send_request B.send_request L.contexts B.contexts L.receive_request B.receive_request "
            "B.send_reply L.send_reply B.receive_reply L.receive_reply");
  client.thing(orb->object_to_string(here))->ask("");
  EXPECT_EQ(story.take(), "R.contexts B.contexts R.receive_request B.receive_request B.send_reply R.send_reply");
  test::FakePeer peer({test::answer::text("far")});
  orb.thing(peer.ior())->ask("");
  EXPECT_EQ(story.take(), "R.send_request B.send_request B.receive_reply R.receive_reply");

  CORBA::Any value;
  value <<= PI::REMOTE_ONLY;
  const auto policy = orb->create_policy(PI::PROCESSING_MODE_POLICY_TYPE, value);
  EXPECT_EQ(IDL::traits<PI::ProcessingModePolicy>::narrow(policy->copy())->processing_mode(), PI::REMOTE_ONLY);
  value <<= std::int16_t{3};
  EXPECT_EQ(ending_of([&] { orb->create_policy(PI::PROCESSING_MODE_POLICY_TYPE, value); }), "PolicyError");
  EXPECT_THROW(PI::ProcessingModePolicy(-1), CORBA::BAD_PARAM);
}

TEST(Initialisation, ItsInformationIsOfNoUseAfterwards_16_7_2) {
  InitInfoRef kept;
  Parts setup;
  setup.pre_init = [&](const InitInfoRef& info) { kept = info; };
  {
    const Orb orb(setup);
    EXPECT_EQ(ending_of([&] { kept->orb_id(); }), "OBJECT_NOT_EXIST NO");
    EXPECT_EQ(ending_of([&] { kept->allocate_slot_id(); }), "OBJECT_NOT_EXIST NO");
    EXPECT_EQ(ending_of([&] { kept->add_client_request_interceptor(nullptr); }), "OBJECT_NOT_EXIST NO");
  }
}

TEST(Initialisation, WhatItThrowsEndsOrbInitAndTheNextOneWorks) {
  Parts setup;
  setup.post_init = [](const InitInfoRef&) { throw CORBA::NO_PERMISSION(); };
  EXPECT_EQ(ending_of([&] { make_orb(setup); }), "NO_PERMISSION NO");
  setup.post_init = {};
  const Orb orb(setup);
}

TEST(Initialisation, OrbsMayBeAskedForAndMadeAndDestroyedMeanwhile) {
  Parts setup;
  OrbRef itself;
  setup.post_init = [&](const InitInfoRef& info) {
    Initializer::next() = nullptr;
    std::vector<std::string> none;
    itself = CORBA::ORB_init(none, info->orb_id());
    EXPECT_EQ(itself->id(), info->orb_id());
    CORBA::ORB_init(none, "another, made in post_init")->destroy();
  };
  const OrbRef orb = make_orb(setup);
  EXPECT_TRUE(orb == itself);
  orb->destroy();
}

TEST(Initialisation, OtherThreadsGetTheOrbWhenItIsOver) {
  Parts setup;
  std::atomic<bool> over = false;
  bool was_over = false;
  OrbRef theirs;
  std::thread other;
  std::promise<void> asks;
  setup.post_init = [&](const InitInfoRef& info) {
    Initializer::next() = nullptr;
    other = std::thread([&, id = info->orb_id()] {
      asks.set_value();
      std::vector<std::string> none;
      theirs = CORBA::ORB_init(none, id);
      was_over = over;
    });
    asks.get_future().wait();
    std::vector<std::string> none;
    CORBA::ORB_init(none, "another, made while one waits")->destroy();
    over = true;
  };
  const OrbRef orb = make_orb(setup);
  other.join();
  EXPECT_TRUE(was_over);
  EXPECT_TRUE(orb == theirs);
  orb->destroy();
}

TEST(Initialisation, CallsMadeInPostInitAreNotSeen_16_7_1_2) {
  test::FakePeer peer({[](test::Conversation& conversation, const test::Received& request) {
                         conversation.reply(request, 0, [](test::Writer& writer) { writer.octet(0); });
                       },
                       test::answer::text("")});
  Story story;
  Parts setup{.clients = {CORBA::make_reference<ClientWatch>("A", story)}};
  setup.post_init = [&](const InitInfoRef& info) {
    EXPECT_FALSE(info->resolve_initial_references("Thing")->_non_existent());
  };
  const Orb orb(setup, {"-ORBInitRef", "Thing=" + peer.ior()});
  EXPECT_EQ(story.take(), "");
  orb.thing(peer.ior())->ask("");
  EXPECT_EQ(story.take(), "A.send_request A.receive_reply");
}

/// Tells when it is destroyed.
class MortalIor final : public PI::IORInterceptor {
 public:
  MortalIor(std::string name, Story& story) : name_(std::move(name)), story_(story) {}
  std::string name() override { return name_; }
  void destroy() override { story_.add(name_ + ".destroy"); }
  void establish_components(IorInfoRef) override {}

 private:
  const std::string name_;
  Story& story_;
};

TEST(Initialisation, InterceptorsAreDestroyedWithTheOrb_16_2_1) {
  Story story;
  {
    const Orb orb(Parts{.clients = {CORBA::make_reference<ClientWatch>("A", story)},
                        .servers = {CORBA::make_reference<ServerWatch>("B", story)},
                        .iors = {CORBA::make_reference<MortalIor>("C", story)}});
    EXPECT_EQ(story.take(), "");
  }
  EXPECT_EQ(story.take(), "A.destroy B.destroy C.destroy");
}

TEST(Initialisation, DestroyedInterceptorsAreToldOfNothingMore_16_2_1) {
  test::FakePeer peer({test::answer::text("")});
  Story story;
  ThingRef kept;
  {
    const Orb orb(Parts{.clients = {CORBA::make_reference<ClientWatch>("A", story)}});
    kept = orb.thing(peer.ior());
    kept->ask("");
    story.take();
  }
  EXPECT_EQ(story.take(), "A.destroy");
  EXPECT_EQ(ending_of([&] { kept->ask(""); }).substr(0, 13), "OBJECT_NOT_EX");
  EXPECT_EQ(story.take(), "");
}

TEST(Initialisation, OrbsWithoutInterceptorsHaveNoneOfOthers) {
  Story story;
  test::FakePeer peer({test::answer::text("")});
  const Orb watched(Parts{.clients = {CORBA::make_reference<ClientWatch>("A", story)}});
  const Orb plain(Parts{});
  plain.thing(peer.ior())->ask("");
  EXPECT_EQ(story.take(), "");
  // Its calls look for no interceptors either: they take the short way.
  EXPECT_EQ(plain->_core().edges().word() & orb::Edges::kHooks, 0U);
  EXPECT_EQ(watched->_core().edges().word() & orb::Edges::kHooks, orb::Edges::kClientHooks);
}

/// An ORB whose interceptor calls an object elsewhere when it is destroyed.
class Destroyed : public ::testing::Test {
 protected:
  Destroyed() {
    watch_->set("destroy", [this](const ClientInfoRef&) {
      ending_ = ending_of([this] { answer_ = thing_->ask(""); });
      if (besides_) besides_();
    });
  }

  Story story_;
  test::FakePeer peer_{{test::answer::text("well")}};
  CORBA::object_reference<ClientWatch> watch_ = CORBA::make_reference<ClientWatch>("A", story_);
  OrbRef orb_ = make_orb(Parts{.clients = {watch_}});
  ThingRef thing_ = IDL::traits<Watched::Thing>::unchecked_narrow(orb_->string_to_object(peer_.ior()));
  std::function<void()> besides_;
  std::string ending_;
  std::string answer_;
};

TEST_F(Destroyed, InterceptorsMayStillCallOtherObjectsUnseen) {
  orb_->destroy();
  EXPECT_EQ(ending_, "done");
  EXPECT_EQ(answer_, "well");
  EXPECT_EQ(story_.take(), "A.destroy");
  EXPECT_EQ(ending_of([&] { thing_->ask(""); }), "OBJECT_NOT_EXIST NO 4");
}

TEST_F(Destroyed, InterceptorsDoNotGetAtTheObjectsOfTheOrbNorEndItAgain) {
  const auto root = IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
  root->the_POAManager()->activate();
  const auto own = IDL::traits<Watched::Thing>::narrow(root->servant_to_reference(CORBA::make_reference<Servant>()));
  std::vector<std::string> endings;
  besides_ = [&] {
    endings.push_back(ending_of([&] { own->ask(""); }));
    endings.push_back(ending_of([&] { orb_->destroy(); }));
    endings.push_back(ending_of([&] { orb_->shutdown(true); }));
    orb_->shutdown(false);
    endings.push_back(ending_of([&] { thing_->ask(""); }));
  };
  orb_->destroy();
  EXPECT_EQ(ending_, "done");
  EXPECT_EQ(endings,
            (std::vector<std::string>{"OBJECT_NOT_EXIST NO 4", "BAD_INV_ORDER NO 3", "BAD_INV_ORDER NO 3", "done"}));
}

TEST_F(Destroyed, InterceptorsOfAClientCannotWaitForItsEnd) {
  std::string ending;
  besides_ = [&] { ending = ending_of([&] { orb_->shutdown(true); }); };
  orb_->destroy();
  EXPECT_EQ(ending, "BAD_INV_ORDER NO 3");
  EXPECT_EQ(answer_, "well");
}

TEST_F(Destroyed, AfterShutdownInterceptorsCallNothing) {
  orb_->shutdown(true);
  EXPECT_EQ(story_.take(), "");
  orb_->destroy();
  EXPECT_EQ(story_.take(), "A.destroy");
  EXPECT_EQ(ending_, "OBJECT_NOT_EXIST NO 4");
}

TEST_F(Destroyed, WhileOthersCallTheirCallsEndWithTheOrb) {
  std::atomic<bool> called{false};
  std::string last;
  std::thread other([&] {
    last = ending_of([&] {
      for (;;) {
        thing_->ask("");
        called = true;
      }
    });
  });
  while (!called) std::this_thread::yield();
  std::string during;
  besides_ = [&] {
    called = false;
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!called && std::chrono::steady_clock::now() < until) std::this_thread::yield();
    during = called ? "called" : "nothing";
  };
  orb_->destroy();
  other.join();
  EXPECT_EQ(ending_, "done");
  EXPECT_EQ(during, "called");
  EXPECT_NE(last, "done");
}

}  // namespace
}  // namespace corbel::interceptors_test
