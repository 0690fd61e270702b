// SPDX-License-Identifier: Apache-2.0
// Calls that do not wait, in programs that give the ORB some time again and again.
#include <atomic>
#include <chrono>
#include <thread>

#include "support.hpp"

namespace {

using namespace std::chrono_literals;

class Handler : public virtual CORBA::amic_traits<Shop::Till>::replyhandler_base_type {
 public:
  void get_sales(int32_t) override { ++replies; }
  void get_sales_excep(IDL::traits<Messaging::ExceptionHolder>::ref_type) override { ++failures; }
  void sell(int32_t, const std::string& receipt) override {
    if (receipt == "one tea") ++replies;
  }
  void sell_excep(IDL::traits<Messaging::ExceptionHolder>::ref_type holder) override {
    try {
      holder->raise_exception();
    } catch (const Shop::SoldOut&) {
      ++failures;
    }
  }

  std::atomic<int> replies{0};
  std::atomic<int> failures{0};
};

class PortableLoops : public testing::TestWithParam<const char*> {};

TEST_P(PortableLoops, GiveTheOrbTimeUntilRepliesAreThere) {
  const portable::World server("slow server");
  const portable::World client("client with a loop", {"-ORBConcurrency", GetParam()});
  const auto servant = CORBA::make_reference<portable::Till_i>();
  const auto id = server.root->activate_object(servant);
  const auto object = client.orb->string_to_object(server.orb->object_to_string(server.root->id_to_reference(id)));
  CORBA::amic_traits<Shop::Till>::ref_type till = CORBA::amic_traits<Shop::Till>::narrow(object);
  const auto handler_impl = CORBA::make_reference<Handler>();
  const auto handler_id = client.root->activate_object(handler_impl);
  CORBA::amic_traits<Shop::Till>::replyhandler_ref_type handler =
      CORBA::amic_traits<Shop::Till>::replyhandler_traits::narrow(client.root->id_to_reference(handler_id));
  till->sendc_get_sales(handler);
  till->sendc_sell(handler, "tea");
  till->sendc_sell(handler, "");
  while (handler_impl->replies < 2 || handler_impl->failures < 1) {
    auto time = 100ms;
    if (handler_impl->replies == 0) {
      client.orb->perform_work(time);
    } else {
      client.orb->run(time);
      EXPECT_EQ(time, 0ms);
    }
    ASSERT_LE(time, 100ms);
  }
}

TEST_P(PortableLoops, RunEndsWithTheOrbHoweverMuchTimeIsLeft) {
  const portable::World world("ended", {"-ORBConcurrency", GetParam()});
  auto time = std::chrono::hours(1);
  std::thread ends([&] { world.orb->shutdown(false); });
  try {
    world.orb->run(time);
  } catch (const CORBA::BAD_INV_ORDER&) {  // it was faster
  }
  ends.join();
  EXPECT_GE(time, 0h);
  auto precise = 1ns;
  EXPECT_THROW(world.orb->perform_work(precise), CORBA::BAD_INV_ORDER);
}

INSTANTIATE_TEST_SUITE_P(Modes, PortableLoops, testing::Values("single", "adaptive", "pool"));

}  // namespace
