// SPDX-License-Identifier: Apache-2.0
// Calls its subscribers from a thread of its own.
#include <corbel/corba/messaging_policies.hpp>
#include <corbel/corbel.hpp>

#include <iostream>
#include <mutex>
#include <thread>
#include <vector>

#include "clock_server.hpp"

using SubscriberRef = IDL::traits<Clock::Subscriber>::ref_type;

class Tower final : public CORBA::servant_traits<Clock::Tower>::base_type {
 public:
  explicit Tower(IDL::traits<CORBA::ORB>::ref_type orb) : orb_(std::move(orb)) {}
  ~Tower() override { join(); }

  void subscribe(SubscriberRef who, std::int32_t count) override {
    const std::lock_guard lock(mutex_);
    tellers_.emplace_back([who = std::move(who), count] {
      try {
        for (std::int32_t i = 1; i <= count; ++i) who->tick(i);
      } catch (const CORBA::SystemException& exception) {
        std::cerr << "a subscriber is gone: " << exception << '\n';
      }
    });
  }
  void close() override { orb_->shutdown(false); }

  void join() {
    const std::lock_guard lock(mutex_);
    for (auto& teller : tellers_) teller.join();
    tellers_.clear();
  }

 private:
  IDL::traits<CORBA::ORB>::ref_type orb_;
  std::mutex mutex_;
  std::vector<std::thread> tellers_;
};

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  auto poa = root->create_POA("clock", root->the_POAManager(),
                              {CORBA::make_reference<BiDirPolicy::BidirectionalPolicy>(BiDirPolicy::BOTH)});
  poa->the_POAManager()->activate();

  auto tower = CORBA::make_reference<Tower>(orb);
  const auto id = poa->activate_object(tower);
  std::cout << orb->object_to_string(poa->id_to_reference(id)) << std::endl;

  orb->run();
  tower->join();
  orb->destroy();
  return 0;
} catch (const CORBA::Exception& exception) {
  std::cerr << "server: " << exception << '\n';
  return 1;
}
