// SPDX-License-Identifier: Apache-2.0
// Subscribes and is called back over the connection that it has opened.
#include <corbel/corba/messaging_policies.hpp>
#include <corbel/corbel.hpp>

#include <future>
#include <iostream>

#include "clock_server.hpp"

class Subscriber final : public CORBA::servant_traits<Clock::Subscriber>::base_type {
 public:
  explicit Subscriber(std::int32_t last) : last_(last) {}
  void tick(std::int32_t number) override {
    std::cout << "tick " << number << '\n';
    if (number == last_) done.set_value();
  }
  std::promise<void> done;

 private:
  const std::int32_t last_;
};

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  if (argc < 2) {
    std::cerr << "usage: call_backs_client REFERENCE\n";
    return 2;
  }
  auto tower = IDL::traits<Clock::Tower>::narrow(orb->string_to_object(argv[1]));

  auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  auto poa = root->create_POA("subscribers", root->the_POAManager(),
                              {CORBA::make_reference<BiDirPolicy::BidirectionalPolicy>(BiDirPolicy::BOTH)});
  poa->the_POAManager()->activate();
  auto subscriber = CORBA::make_reference<Subscriber>(3);
  const auto id = poa->activate_object(subscriber);

  tower->subscribe(IDL::traits<Clock::Subscriber>::narrow(poa->id_to_reference(id)), 3);
  subscriber->done.get_future().wait();

  tower->close();
  orb->destroy();
  return 0;
} catch (const CORBA::Exception& exception) {
  std::cerr << "client: " << exception << '\n';
  return 1;
}
