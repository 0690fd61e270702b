// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <iostream>
#include <latch>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>

#include "corbel/corba/minor_codes.hpp"
#include "corbel/corbel.hpp"
#include "corbel/messaging/giop/giop.hpp"
#include "corbel/orb/components.hpp"
#include "corbel/poa/adapter.hpp"
#include "corbel/transport/faulty/faulty.hpp"
#include "corbel/transport/tcp/tcp.hpp"
#include "fault_server.hpp"

namespace {

using CORBA::CompletionStatus;
using corbel::transport::faulty::Plan;
using corbel::transport::faulty::Script;
using corbel::transport::faulty::Side;
using Reference = IDL::traits<Fault::Victim>::ref_type;
using OrbReference = IDL::traits<CORBA::ORB>::ref_type;

OrbReference make_orb(const std::string& id, std::vector<std::string> options,
                      const std::shared_ptr<Plan>& plan = std::make_shared<Plan>()) {
  options.insert(options.begin(), id);
  corbel::orb::Components components{{corbel::messaging::make_giop()},
                                     {corbel::transport::make_faulty(corbel::transport::make_tcp(), plan)},
                                     &corbel::poa::make_adapter};
  return corbel::orb::init(options, id, std::move(components));
}

class Victim : public virtual CORBA::servant_traits<Fault::Victim>::base_type {
 public:
  std::string echo(const std::string& text) override {
    ++echoes;
    return text;
  }
  void wait() override {
    entered.release();
    released.wait();
  }
  void fail(std::int32_t code) override {
    if (code == 0) throw std::runtime_error("not for the client");
    throw Fault::Oops(code);
  }
  void fire() override {}
  void tell(const std::string&) override {}
  Reference self() override { return _this(); }

  std::atomic<int> echoes{0};
  std::counting_semaphore<> entered{0};
  std::latch released{1};
};

/// A server and a client ORB in one process that know nothing of each other but the reference.
class FaultTest : public testing::Test {
 protected:
  FaultTest() {
    server_ = make_orb("server", {"-ORBListenEndpoints", "tcp://127.0.0.1:0"});
    auto poa = IDL::traits<PortableServer::POA>::narrow(server_->resolve_initial_references("RootPOA"));
    servant_ = CORBA::make_reference<Victim>();
    poa->activate_object(servant_);
    ior_ = server_->object_to_string(poa->servant_to_reference(servant_));
    poa->the_POAManager()->activate();
    use_client({});
  }
  ~FaultTest() override {
    victim_.reset();
    client_->destroy();
    server_->destroy();
  }
  void use_client(std::vector<std::string> options) {
    if (client_ != nullptr) client_->destroy();
    plan_ = std::make_shared<Plan>();
    client_ = make_orb("client", std::move(options), plan_);
    victim_ = IDL::traits<Fault::Victim>::unchecked_narrow(client_->string_to_object(ior_));
  }

  OrbReference server_;
  OrbReference client_;
  CORBA::servant_reference<Victim> servant_;
  std::string ior_;
  std::shared_ptr<Plan> plan_;
  Reference victim_;
};

TEST_F(FaultTest, EveryCutWhileSendingLeavesTheRequestUnexecuted) {
  victim_->echo("warm");
  const auto warm = plan_->sent(Side::connecting);
  victim_->echo("hello");
  const auto size = plan_->sent(Side::connecting) - warm;
  ASSERT_GT(size, 40U);
  for (std::uint64_t cut = 0; cut < size; ++cut) {
    use_client({});
    Script script;
    script.cut_sent = cut;
    plan_->set(Side::connecting, script);
    const int before = servant_->echoes;
    try {
      victim_->echo("hello");
      ADD_FAILURE() << "cut after " << cut;
    } catch (const CORBA::SystemException& exception) {
      EXPECT_EQ(exception.completed(), CompletionStatus::COMPLETED_NO)
          << "cut after " << cut << ": " << exception.what();
      EXPECT_TRUE(std::string(exception._name()) == "TRANSIENT" || std::string(exception._name()) == "COMM_FAILURE")
          << exception.what();
    }
    EXPECT_EQ(servant_->echoes, before);
  }
  std::cout << "counted: " << size << " faults injected\n";
}

TEST_F(FaultTest, EveryCutWhileReceivingIsCommFailureMaybe) {
  victim_->echo("hello");
  const auto size = plan_->received(Side::connecting);
  ASSERT_GT(size, 20U);
  for (std::uint64_t cut = 1; cut < size; ++cut) {
    use_client({});
    Script script;
    script.cut_received = cut;
    plan_->set(Side::connecting, script);
    try {
      victim_->echo("hello");
      ADD_FAILURE() << "cut after " << cut;
    } catch (const CORBA::COMM_FAILURE& exception) {
      EXPECT_EQ(exception.completed(), CompletionStatus::COMPLETED_MAYBE) << "cut after " << cut;
    }
  }
  std::cout << "counted: " << size - 1 << " faults injected\n";
}

TEST_F(FaultTest, WhenOneConnectionIsFoundDeadTheIdleOnesBesideItAreNotTried) {
  const std::string much(10000, 'x');
  victim_->echo(much);
  std::vector<std::thread> others;
  for (int i = 0; i < 3; ++i) {
    others.emplace_back([&] { victim_->wait(); });
    servant_->entered.acquire();
    victim_->echo(much);  // on a connection of its own
  }
  servant_->released.count_down();
  for (auto& other : others) other.join();
  ASSERT_EQ(plan_->conversations(Side::connecting), 4U);
  Script dead;
  dead.cut_received = 5000;  // all of them are; a new one is not
  plan_->set(Side::connecting, dead);
  EXPECT_EQ(victim_->echo("sent again"), "sent again");
  EXPECT_EQ(plan_->conversations(Side::connecting), 5U);
}

TEST_F(FaultTest, OneCallIsLostAtMostAlsoWhenTheDeadConnectionStoodInForABusyOne) {
  const std::string much(10000, 'x');
  auto poa = IDL::traits<PortableServer::POA>::narrow(server_->resolve_initial_references("RootPOA"));
  std::vector<CORBA::servant_reference<Victim>> waiting;
  std::vector<std::thread> threads;
  const auto wait = [&](const CORBA::servant_reference<Victim>& servant, const Reference& victim) {
    threads.emplace_back([victim] { victim->wait(); });
    servant->entered.acquire();
    victim_->echo(much);  // on another connection
  };
  wait(servant_, victim_);
  for (int i = 0; i < 2; ++i) {
    waiting.push_back(CORBA::make_reference<Victim>());
    const std::string ior = server_->object_to_string(poa->id_to_reference(poa->activate_object(waiting.back())));
    wait(waiting.back(), IDL::traits<Fault::Victim>::unchecked_narrow(client_->string_to_object(ior)));
  }
  for (const auto& servant : waiting) servant->released.count_down();
  threads[1].join();
  threads[2].join();
  ASSERT_EQ(plan_->conversations(Side::connecting), 4U);
  Script dead;
  // The three idle ones will be before they have brought an answer; a new one has room for it.
  dead.cut_received = 15000;
  plan_->set(Side::connecting, dead);
  EXPECT_THROW(victim_->echo(much), CORBA::COMM_FAILURE);
  EXPECT_NO_THROW(EXPECT_EQ(victim_->echo(much), much));
  EXPECT_EQ(plan_->conversations(Side::connecting), 5U);
  servant_->released.count_down();
  threads[0].join();
}

TEST_F(FaultTest, ShortReadsAndWritesAndHesitationChangeNothing) {
  Script script;
  script.send_at_most = 1;
  script.receive_at_most = 1;
  script.hesitate = true;
  plan_->set(Side::connecting, script);
  EXPECT_EQ(victim_->echo("octet by octet"), "octet by octet");
}

TEST_F(FaultTest, ARefusedConnectIsTransientNoAndNamesTheEndpoint) {
  plan_->refuse_connects(1);
  try {
    victim_->echo("x");
    FAIL();
  } catch (const CORBA::TRANSIENT& exception) {
    EXPECT_EQ(exception.completed(), CompletionStatus::COMPLETED_NO);
    EXPECT_NE(std::string(exception.what()).find("tcp://127.0.0.1:"), std::string::npos) << exception.what();
  }
  EXPECT_EQ(victim_->echo("again"), "again");
}

TEST_F(FaultTest, ASilentServantIsTimeoutMaybeInBoundedTime) {
  use_client({"-ORBCallTimeout", "1000"});
  const auto start = std::chrono::steady_clock::now();
  try {
    victim_->wait();
    FAIL();
  } catch (const CORBA::TIMEOUT& exception) {
    EXPECT_EQ(exception.completed(), CompletionStatus::COMPLETED_MAYBE);
    EXPECT_NE(exception.detail().find("calling 'wait' at tcp://127.0.0.1:"), std::string::npos) << exception.what();
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  servant_->released.count_down();
  EXPECT_EQ(victim_->echo("next"), "next");
}

TEST_F(FaultTest, UserExceptionsArriveAndForeignOnesBecomeUnknown) {
  try {
    victim_->fail(7);
    FAIL();
  } catch (const Fault::Oops& oops) {
    EXPECT_EQ(oops.code(), 7);
  }
  try {
    victim_->fail(0);
    FAIL();
  } catch (const CORBA::UNKNOWN& exception) {
    EXPECT_EQ(exception.minor(), corbel::corba::minor::kForeignException);
    EXPECT_EQ(exception.detail().find("raised by the server tcp://127.0.0.1:"), 0U) << exception.detail();
    EXPECT_NE(exception.detail().find(" in 'fail' of object "), std::string::npos) << exception.detail();
  }
}

TEST_F(FaultTest, AnObjectThatIsGoneDoesNotExist) {
  auto poa = IDL::traits<PortableServer::POA>::narrow(server_->resolve_initial_references("RootPOA"));
  victim_->echo("x");
  poa->deactivate_object(poa->servant_to_id(servant_));
  EXPECT_THROW(victim_->echo("x"), CORBA::OBJECT_NOT_EXIST);
  EXPECT_TRUE(victim_->_non_existent());
}

TEST_F(FaultTest, AReferenceThatComesBackToItsServerIsLocalAndWorks) {
  auto self = victim_->self();
  EXPECT_EQ(self->echo("through the client"), "through the client");
  EXPECT_TRUE(self->_is_equivalent(victim_));
}

TEST_F(FaultTest, ShuttingTheServerDownInOrderIsNeverCommFailure) {
  victim_->echo("warm");
  server_->shutdown(true);
  try {
    victim_->echo("x");
    FAIL();
  } catch (const CORBA::TRANSIENT& exception) {
    EXPECT_EQ(exception.completed(), CompletionStatus::COMPLETED_NO) << exception.what();
  }
}

}  // namespace
