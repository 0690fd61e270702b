// SPDX-License-Identifier: Apache-2.0
// POA managers by id: which POAs may have one, how long it lives, and what becomes of its id.
#include <thread>

#include "test_support.hpp"

namespace corbel::poa::testing {
namespace {

using PortableServer::POAManagerFactory;
using FactoryRef = IDL::traits<POAManagerFactory>::ref_type;
using ManagerRef = IDL::traits<PortableServer::POAManager>::ref_type;

class ManagerFactories : public ::testing::Test {
 protected:
  ManagerFactories() : orb_(make_orb("managers")) {
    root_ = IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
    factory_ = root_->the_POAManagerFactory();
  }
  ~ManagerFactories() override { end(); }
  void end() {
    if (orb_ != nullptr) orb_->destroy();
    orb_ = nullptr;
  }
  std::vector<std::string> ids() {
    std::vector<std::string> result;
    for (const auto& manager : factory_->list()) result.push_back(manager->get_id());
    return result;
  }

  OrbRef orb_;
  PoaRef root_;
  FactoryRef factory_;
};

TEST_F(ManagerFactories, KnowTheRootsManagerAndThoseOfCreatePoa) {
  EXPECT_EQ(factory_->find("RootPOAManager"), root_->the_POAManager());
  const PoaRef child = root_->create_POA("child", nullptr, {});
  EXPECT_EQ(factory_->find("child"), child->the_POAManager());
  EXPECT_EQ(ids(), (std::vector<std::string>{"RootPOAManager", "child"}));
  EXPECT_EQ(child->the_POAManagerFactory(), factory_) << "one per ORB";
  EXPECT_TRUE(factory_->_is_a("IDL:omg.org/PortableServer/POAManagerFactory:1.0"));
}

TEST_F(ManagerFactories, KeepAManagerUntilItsFirstPoaAndNoLongerThanItsLast) {
  factory_->create_POAManager("mine", {});
  const PoaRef poa = root_->create_POA("poa", factory_->find("mine"), {});
  EXPECT_EQ(poa->the_POAManager()->get_id(), "mine");
  EXPECT_EQ(poa->the_POAManager()->get_state(), PortableServer::POAManager::State::HOLDING);
  EXPECT_THROW(factory_->create_POAManager("mine", {}), POAManagerFactory::ManagerAlreadyExists);
  poa->destroy(false, true);
  ManagerRef held = poa->the_POAManager();
  root_ = nullptr;
  EXPECT_EQ(factory_->find("mine"), held);
}

TEST_F(ManagerFactories, FreeTheIdOfAManagerThatNobodyRefersTo) {
  ManagerRef manager = factory_->create_POAManager("mine", {});
  root_->create_POA("poa", manager, {})->destroy(false, true);
  EXPECT_EQ(factory_->find("mine"), manager);
  manager = nullptr;
  EXPECT_EQ(factory_->find("mine"), nullptr);
  EXPECT_EQ(ids(), std::vector<std::string>{"RootPOAManager"});
  EXPECT_NE(factory_->create_POAManager("mine", {}), nullptr);
}

TEST_F(ManagerFactories, CreatePoaAvoidsIdsInUse) {
  const ManagerRef taken = factory_->create_POAManager("child", {});
  const PoaRef child = root_->create_POA("child", nullptr, {});
  EXPECT_EQ(child->the_POAManager()->get_id(), "child#2");
  EXPECT_EQ(factory_->find("child"), taken);
}

TEST_F(ManagerFactories, RefusePoliciesUnknownIdsAndOrbsThatHaveEnded) {
  try {
    factory_->create_POAManager("m", {root_->create_thread_policy(PortableServer::ThreadPolicyValue::ORB_CTRL_MODEL)});
    ADD_FAILURE() << "nothing thrown";
  } catch (const CORBA::PolicyError& error) {
    EXPECT_EQ(error.reason(), CORBA::UNSUPPORTED_POLICY);
  }
  EXPECT_EQ(factory_->find("nobody"), nullptr);
  factory_->create_POAManager("unused", {});
  root_ = nullptr;
  end();
  EXPECT_EQ(outcome([&] { factory_->create_POAManager("late", {}); }).substr(0, 16), "OBJECT_NOT_EXIST");
  EXPECT_EQ(factory_->find("unused"), nullptr) << "it would keep what the ORB's adapters share";
}

TEST_F(ManagerFactories, ServeManyThreads) {
  const auto work = [&](int thread) {
    for (int i = 0; i < 200; ++i) {
      try {
        const ManagerRef manager = factory_->create_POAManager("shared", {});
        root_->create_POA("poa" + std::to_string(thread), manager, {})->destroy(false, true);
      } catch (const POAManagerFactory::ManagerAlreadyExists&) {
        factory_->find("shared");  // may be gone by now
      }
      factory_->list();
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work, i);
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(ids(), std::vector<std::string>{"RootPOAManager"});
}

}  // namespace
}  // namespace corbel::poa::testing
