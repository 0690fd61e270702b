// SPDX-License-Identifier: Apache-2.0
// Deferred requests of the dynamic invocation interface as pollables (CORBA 3.3 part 1, 7.3, 7.4.2).
#include "corbel/dynamic/library_types.hpp"
#include "corbel/dynamic/request.hpp"
#include "support.hpp"

namespace corbel::polling_test {
namespace {

using RequestRef = IDL::traits<CORBA::Request>::ref_type;

RequestRef request(const async_test::EchoRef& object, const std::string& text) {
  const RequestRef made = object->_request("echo");
  made->add_in_arg() <<= text;
  made->set_return_type(CORBA::_tc_string);
  return made;
}

std::string result_of(const RequestRef& request) {
  std::string text;
  EXPECT_TRUE(request->return_value() >>= text);
  return text;
}

TEST(DeferredRequest, IsAPollable) {
  World world;
  const RequestRef sent = request(world.echo, "dynamic");
  sent->send_deferred();
  const Pollable pollable = sent;
  EXPECT_TRUE(pollable->is_ready(kForEver));
  EXPECT_TRUE(sent->poll_response());
  sent->get_response();
  EXPECT_EQ(result_of(sent), "dynamic");
  EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { pollable->is_ready(0); }), 12U);
}

TEST(DeferredRequest, IsNoneBeforeItIsSent) {
  World world;
  const RequestRef fresh = request(world.echo, "not yet");
  EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { fresh->is_ready(0); }), 11U);
  EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { (void)fresh->create_pollable_set(); }), 11U);
  fresh->invoke();
  EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { fresh->is_ready(0); }), 13U);
}

TEST(DeferredRequest, WaitsInASetBesidePollers) {
  World world;
  const Poller held = world.echo->sendp_wait();
  const PollableSet set = held->create_pollable_set();
  const RequestRef sent = request(world.echo, "dynamic");
  sent->send_deferred();
  set->add_pollable(sent);
  EXPECT_EQ(minor_of<CORBA::BAD_PARAM>([&] { set->add_pollable(sent); }), 43U);
  const Pollable ready = set->get_ready_pollable(kPatience);
  EXPECT_NE(IDL::traits<CORBA::DIIPollable>::narrow(ready), nullptr);
  EXPECT_EQ(IDL::traits<CORBA::Request>::narrow(sent), sent);
  sent->get_response();
  EXPECT_EQ(result_of(sent), "dynamic");
  EXPECT_EQ(set->number_left(), 1U);
}

TEST(DeferredRequest, LeavesItsSetWhenItsResponseIsTaken) {
  World world;
  const RequestRef sent = request(world.echo, "taken");
  sent->send_deferred();
  const PollableSet set = sent->create_pollable_set();
  sent->get_response();
  EXPECT_THROW((void)set->get_ready_pollable(kForEver), CORBA::PollableSet::NoPossiblePollable);
}

TEST(DeferredRequest, IsSeenByAThreadThatOnlyPollsInSingleMode) {
  World world("tcp://127.0.0.1:0", {"-ORBConcurrency", "single"});
  const RequestRef sent = request(world.echo, "alone");
  sent->send_deferred();
  while (!sent->poll_response()) std::this_thread::yield();
  sent->get_response();
  EXPECT_EQ(result_of(sent), "alone");
}

}  // namespace
}  // namespace corbel::polling_test
