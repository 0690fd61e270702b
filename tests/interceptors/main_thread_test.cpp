// SPDX-License-Identifier: Apache-2.0
// What requests have that run on the main thread (MAIN_THREAD_MODEL): their slots, and the thread's own policies.
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "corbel/corba/messaging_policies.hpp"
#include "corbel/interceptors/sees_threads.hpp"
#include "corbel/orb/work_handle.hpp"
#include "support.hpp"

namespace corbel::interceptors_test {
namespace {

using namespace std::chrono_literals;

/// Notes where requests begin and which threads leave them.
class Places final : public PI::ServerRequestInterceptor, public interceptors::SeesThreads {
 public:
  std::string name() override { return "places"; }
  void destroy() override {}
  void receive_request_service_contexts(ServerInfoRef) override {}
  void receive_request(ServerInfoRef) override { add("begun"); }
  void send_reply(ServerInfoRef) override {}
  void send_exception(ServerInfoRef) override {}
  void send_other(ServerInfoRef) override {}
  void on_left(std::uint32_t) noexcept override { add("left"); }
  /// What happened on the calling thread.
  std::string take_here() {
    const std::lock_guard lock(mutex_);
    return std::exchange(here_[std::this_thread::get_id()], {});
  }

 private:
  void add(const char* what) {
    const std::lock_guard lock(mutex_);
    here_[std::this_thread::get_id()] += std::string(what) + ' ';
  }
  std::mutex mutex_;
  std::map<std::thread::id, std::string> here_;
};

/// The parameter: from where its objects are called. The main thread is that of the test.
class OnTheMainThread : public ::testing::TestWithParam<const char*> {
 protected:
  OnTheMainThread() {
    const auto root = orb_.root();
    const auto poa =
        root->create_POA("main", root->the_POAManager(),
                         {root->create_thread_policy(PortableServer::ThreadPolicyValue::MAIN_THREAD_MODEL)});
    const auto reference = poa->id_to_reference(poa->activate_object(servant_));
    thing_ = std::string(GetParam()) == "local" ? IDL::traits<Watched::Thing>::narrow(reference)
                                                : client_.thing(client_->object_to_string(reference));
    servant_->on_ask = [this](const std::string& question) {
      EXPECT_EQ(std::this_thread::get_id(), here_);
      seen_ = text_in(current_->get_slot(0));
      current_->set_slot(0, any_with("the servant's"));
      if (question == "refuse") throw Watched::Refused();
      return question;
    };
  }
  /// Runs it on another thread, and meanwhile what is for the main thread here.
  template <class Act>
  void meanwhile(Act act) {
    auto other = std::async(std::launch::async, std::move(act));
    while (other.wait_for(1ms) != std::future_status::ready) {
      (void)work_.dispatch();
    }
    other.get();
  }

  const std::thread::id here_ = std::this_thread::get_id();
  Story story_;
  CORBA::object_reference<ServerWatch> s_ = CORBA::make_reference<ServerWatch>("S", story_);
  CORBA::object_reference<Places> places_ = CORBA::make_reference<Places>();
  Orb orb_{Parts{.servers = {s_, places_}, .pre_init = [](const InitInfoRef& info) { info->allocate_slot_id(); }}};
  orb::WorkHandle work_{*orb_.operator->(), orb::WorkHandle::Of::main_thread};
  Orb client_{Parts{}};
  IDL::traits<PI::Current>::ref_type current_ = orb_.current();
  CORBA::servant_reference<Servant> servant_ = CORBA::make_reference<Servant>();
  ThingRef thing_;
  std::string seen_;
};
INSTANTIATE_TEST_SUITE_P(Ways, OnTheMainThread, ::testing::Values("local", "remote"));

TEST_P(OnTheMainThread, SlotsAreTheRequestsAndNotTheThreads_16_4_4_2) {
  s_->set("contexts", [](const ServerInfoRef& info) { info->set_slot(0, any_with("the request's")); });
  std::string ending;
  const auto note = [&](const ServerInfoRef& info) { ending = text_in(info->get_slot(0)); };
  s_->set("send_reply", note);
  s_->set("send_exception", note);
  current_->set_slot(0, any_with("the main thread's"));
  for (const char* question : {"answer", "refuse", "answer"}) {
    seen_ = ending = "";
    meanwhile([&] {
      current_->set_slot(0, any_with("the caller's"));
      if (std::string(question) == "refuse") {
        EXPECT_THROW(thing_->ask(question), Watched::Refused);
      } else {
        EXPECT_EQ(thing_->ask(question), question);
      }
      EXPECT_EQ(text_in(current_->get_slot(0)), "the caller's");
    });
    EXPECT_EQ(seen_, "the request's") << question;
    EXPECT_EQ(ending, "the servant's") << question;
    EXPECT_EQ(text_in(current_->get_slot(0)), "the main thread's") << question;
  }
}

TEST_P(OnTheMainThread, RequestsAreLeftThereHoweverTheyEnd) {
  meanwhile([&] {
    thing_->ask("answer");
    EXPECT_THROW(thing_->ask("refuse"), Watched::Refused);
  });
  EXPECT_EQ(places_->take_here(), "begun left begun left ");
  servant_->on_ask = [](const std::string&) -> std::string { throw CORBA::NO_PERMISSION(7); };
  meanwhile([&] { EXPECT_THROW(thing_->ask(""), CORBA::NO_PERMISSION); });
  EXPECT_EQ(places_->take_here(), "begun left ");
}

// The thread gets slots of theirs meanwhile, while it has those of the thread that waits.
TEST_P(OnTheMainThread, RequestsWithinOthersMayUseOtherOrbsForTheFirstTime) {
  std::vector<std::unique_ptr<Orb>> others;
  for (int i = 0; i < 8; ++i) {
    others.push_back(
        std::make_unique<Orb>(Parts{.pre_init = [](const InitInfoRef& info) { info->allocate_slot_id(); }}));
  }
  const ThingRef within = orb_.thing(client_->object_to_string(thing_));
  std::string after;
  servant_->on_ask = [&](const std::string& question) {
    if (question == "within") {
      for (const auto& other : others) other->current()->set_slot(0, any_with("another's"));
      return question;
    }
    current_->set_slot(0, any_with("the servant's"));
    const std::string answer = within->ask("within");
    after = text_in(current_->get_slot(0));
    return answer;
  };
  current_->set_slot(0, any_with("the main thread's"));
  meanwhile([&] { EXPECT_EQ(thing_->ask("outer"), "within"); });
  EXPECT_EQ(after, "the servant's");
  EXPECT_EQ(text_in(current_->get_slot(0)), "the main thread's");
}

TEST_P(OnTheMainThread, WhatAServantCallsHereIsLeftOnce) {
  const auto inner = CORBA::make_reference<Servant>();
  const auto ordinary = IDL::traits<Watched::Thing>::narrow(orb_.root()->servant_to_reference(inner));
  std::string slots;
  servant_->on_ask = [&](const std::string& question) {
    current_->set_slot(0, any_with("outer"));
    EXPECT_EQ(ordinary->ask("inner"), "answer to inner");
    slots = text_in(current_->get_slot(0));
    return question;
  };
  meanwhile([&] { thing_->ask("x"); });
  EXPECT_EQ(places_->take_here(), "begun begun left left ");
  EXPECT_EQ(slots, "outer");
}

TEST_P(OnTheMainThread, AServantThatRunsTheLoopHasItsOwnSlotsAfterwards) {
  std::string slots;
  std::atomic<bool> inside = false;
  std::atomic<bool> second_done = false;
  servant_->on_ask = [&](const std::string& question) {
    if (question == "inner") {
      EXPECT_EQ(text_in(current_->get_slot(0)), "nothing");
      current_->set_slot(0, any_with("inner"));
      return question;
    }
    current_->set_slot(0, any_with("outer"));
    inside = true;
    while (!second_done) {
      (void)work_.dispatch();
      std::this_thread::yield();
    }
    slots = text_in(current_->get_slot(0));
    return question;
  };
  auto second = std::async(std::launch::async, [&] {
    while (!inside) std::this_thread::yield();
    EXPECT_EQ(thing_->ask("inner"), "inner");
    second_done = true;
  });
  meanwhile([&] { EXPECT_EQ(thing_->ask("outer"), "outer"); });
  second.get();
  EXPECT_EQ(slots, "outer");
  EXPECT_EQ(text_in(current_->get_slot(0)), "nothing");
}

// The overrides of PolicyCurrent are the thread's, whatever it runs (8.10.4).
TEST_P(OnTheMainThread, PoliciesAreTheThreads) {
  const auto policies = IDL::traits<CORBA::PolicyCurrent>::narrow(orb_->resolve_initial_references("PolicyCurrent"));
  const auto mine = CORBA::make_reference<Messaging::RelativeRoundtripTimeoutPolicy>(TimeBase::TimeT{123'0000});
  policies->set_policy_overrides({mine}, CORBA::SetOverrideType::SET_OVERRIDE);
  CORBA::PolicyList found;
  servant_->on_ask = [&](const std::string& question) {
    found = policies->get_policy_overrides({});
    return question;
  };
  meanwhile([&] { thing_->ask("x"); });
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0]->policy_type(), mine->policy_type());
  policies->set_policy_overrides({}, CORBA::SetOverrideType::SET_OVERRIDE);
}

}  // namespace
}  // namespace corbel::interceptors_test
