// SPDX-License-Identifier: Apache-2.0
// Slots of threads and requests, and PICurrent (CORBA 3.3 part 1, 16.4).
#include <gtest/gtest.h>

#include "support.hpp"

namespace corbel::interceptors_test {
namespace {

class Slots : public ::testing::Test {
 protected:
  Slots() {
    setup_.clients = {c_};
    setup_.servers = {s_};
    setup_.pre_init = [&](const InitInfoRef& info) {
      EXPECT_EQ(info->allocate_slot_id(), 0U);
      EXPECT_EQ(info->allocate_slot_id(), 1U);
    };
    setup_.post_init = [&](const InitInfoRef& info) {
      const auto current = IDL::traits<PI::Current>::narrow(info->resolve_initial_references("PICurrent"));
      during_ =
          ending_of([&] { current->set_slot(0, any_with("early")); }) + ", " + ending_of([&] { current->get_slot(0); });
    };
    orb_ = std::make_unique<Orb>(setup_);
    current_ = orb_->current();
    servant_ = CORBA::make_reference<Servant>();
    const auto reference = orb_->root()->servant_to_reference(servant_);
    local_ = IDL::traits<Watched::Thing>::narrow(reference);
    remote_ = client_.thing(client_->object_to_string(reference));
  }

  Story story_;
  std::string during_;
  CORBA::object_reference<ClientWatch> c_ = CORBA::make_reference<ClientWatch>("C", story_);
  CORBA::object_reference<ServerWatch> s_ = CORBA::make_reference<ServerWatch>("S", story_);
  Parts setup_;
  std::unique_ptr<Orb> orb_;
  Orb client_{Parts{}};
  IDL::traits<PI::Current>::ref_type current_;
  CORBA::servant_reference<Servant> servant_;
  ThingRef local_;
  ThingRef remote_;
};

TEST_F(Slots, AreOfNoUseWhileTheOrbIsBeingMade_16_4_1) {
  EXPECT_EQ(during_, "BAD_INV_ORDER NO 14, BAD_INV_ORDER NO 14");
}

TEST_F(Slots, AreEmptyAtFirstAndMustHaveBeenAllocated_16_4_1) {
  EXPECT_EQ(current_->get_slot(1).type()->kind(), CORBA::TCKind::tk_null);
  EXPECT_THROW(current_->get_slot(2), PI::InvalidSlot);
  EXPECT_THROW(current_->set_slot(2, {}), PI::InvalidSlot);
  EXPECT_THROW(client_.current()->get_slot(0), PI::InvalidSlot);
}

TEST_F(Slots, OfTheCallingThreadGoWithTheRequestAsTheyWere_16_4_4_1) {
  test::FakePeer peer({test::answer::close_connection(), test::answer::text("")});
  std::string seen;
  c_->set("send_request", [&](const ClientInfoRef& info) {
    seen += text_in(info->get_slot(0)) + ' ';
    current_->set_slot(0, any_with("changed"));  // of the thread, not of the request
    EXPECT_THROW(info->get_slot(2), PI::InvalidSlot);
  });
  c_->set("receive_reply", [&](const ClientInfoRef& info) { seen += text_in(info->get_slot(0)); });
  current_->set_slot(0, any_with("begun"));
  orb_->thing(peer.ior())->ask("");
  EXPECT_EQ(seen, "begun begun begun");  // also when the request is sent again
  EXPECT_EQ(text_in(current_->get_slot(0)), "changed");
}

TEST_F(Slots, OfTheRequestAreTheServantsThreadsAndThoseOfTheReply_16_4_4_2) {
  std::string servant;
  std::string reply;
  s_->set("contexts", [](const ServerInfoRef& info) {
    EXPECT_EQ(text_in(info->get_slot(0)), "nothing");
    info->set_slot(0, any_with("from the client"));
    EXPECT_THROW(info->set_slot(2, {}), PI::InvalidSlot);
  });
  servant_->on_ask = [&](const std::string&) {
    servant = text_in(current_->get_slot(0));
    current_->set_slot(1, any_with("from the servant"));
    return std::string();
  };
  s_->set("send_reply", [&](const ServerInfoRef& info) { reply = text_in(info->get_slot(1)); });
  for (int i = 0; i < 3; ++i) {
    servant.clear();
    reply.clear();
    remote_->ask("");
    EXPECT_EQ(servant, "from the client");
    EXPECT_EQ(reply, "from the servant");
  }
  s_->set("contexts", [](const ServerInfoRef& info) { EXPECT_EQ(text_in(info->get_slot(1)), "nothing"); });
  remote_->ask("");
  EXPECT_EQ(servant, "nothing");  // nothing is left over from other requests
}

TEST_F(Slots, SetInReceiveRequestAreNotTheServants_16_4_4_2) {
  std::string servant;
  s_->set("receive_request", [](const ServerInfoRef& info) { info->set_slot(0, any_with("late")); });
  servant_->on_ask = [&](const std::string&) { return servant = text_in(current_->get_slot(0)); };
  remote_->ask("");
  EXPECT_EQ(servant, "nothing");
}

TEST_F(Slots, OfACallerAreItsOwnAgainAfterACollocatedCall_16_4_4_3) {
  std::string servant;
  std::string contexts;
  s_->set("contexts", [&](const ServerInfoRef&) {
    contexts = text_in(current_->get_slot(0));
    current_->set_slot(0, any_with("the interceptor's"));
  });
  servant_->on_ask = [&](const std::string&) {
    servant = text_in(current_->get_slot(0));
    current_->set_slot(0, any_with("the servant's"));
    return std::string();
  };
  current_->set_slot(0, any_with("the caller's"));
  local_->ask("");
  EXPECT_EQ(contexts, "nothing");
  EXPECT_EQ(servant, "nothing");
  EXPECT_EQ(text_in(current_->get_slot(0)), "the caller's");
}

TEST_F(Slots, OfARequestAreNotTheNextOnesWithoutServersInterceptorsEither_16_4_4_2) {
  const Orb orb(Parts{.clients = {c_}, .pre_init = [](const InitInfoRef& info) { info->allocate_slot_id(); }},
                {"-ORBThreads", "1"});
  const auto current = orb.current();
  std::string found;
  const auto servant = CORBA::make_reference<Servant>();
  servant->on_ask = [&](const std::string& who) {
    found = text_in(current->get_slot(0));
    current->set_slot(0, any_with(who));
    return std::string();
  };
  const ThingRef thing = client_.thing(client_->object_to_string(orb.root()->servant_to_reference(servant)));
  for (const char* who : {"first", "second", "third"}) {
    thing->ask(who);
    EXPECT_EQ(found, "nothing") << who;
  }
}

TEST_F(Slots, OfTwoOrbsAreNotTheSame) {
  const Orb other(Parts{.pre_init = [](const InitInfoRef& info) { info->allocate_slot_id(); }});
  current_->set_slot(0, any_with("the first ORB's"));
  EXPECT_EQ(text_in(other.current()->get_slot(0)), "nothing");
  other.current()->set_slot(0, any_with("the other's"));
  EXPECT_EQ(text_in(current_->get_slot(0)), "the first ORB's");
}

TEST_F(Slots, OfTheCallingThreadGoWithACollocatedCallThatAnotherThreadMakes_16_4_4_1) {
  std::string seen;
  c_->set("send_request", [&](const ClientInfoRef& info) { seen = text_in(info->get_slot(0)); });
  current_->set_slot(0, any_with("the caller's"));
  auto future = local_->async_ask("");
  current_->set_slot(0, any_with("later"));  // the thread that waits for it may make it
  future.get();
  EXPECT_EQ(seen, "the caller's");
}

TEST_F(Slots, TellAnInterceptorThatItCallsItself) {
  test::FakePeer peer({test::answer::text("")});
  const ThingRef thing = orb_->thing(peer.ior());
  c_->set("send_request", [&](const ClientInfoRef& info) {
    if (text_in(info->get_slot(1)) == "inside") return;
    current_->set_slot(1, any_with("inside"));
    thing->ask("");
    current_->set_slot(1, {});
  });
  thing->ask("");
  EXPECT_EQ(peer.requests(), 2U);
}

}  // namespace
}  // namespace corbel::interceptors_test
