// SPDX-License-Identifier: Apache-2.0
#include <corbel/corbel.hpp>

#include <iostream>

#include "hello_server.hpp"

// The servant: derive from the skeleton, implement the operations.
class Greeter : public virtual CORBA::servant_traits<Hello::Greeter>::base_type {
 public:
  explicit Greeter(IDL::traits<CORBA::ORB>::ref_type orb) : orb_(orb) {}

  std::string greet(const std::string& name) override {
    if (name.size() > 40) throw Hello::TooLong(40);
    return "Hello, " + name + "!";
  }
  void shutdown() override { orb_->shutdown(false); }

 private:
  IDL::traits<CORBA::ORB>::ref_type orb_;
};

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  auto greeter = CORBA::make_reference<Greeter>(orb);
  auto reference = greeter->_this();
  poa->the_POAManager()->activate();

  std::cout << orb->object_to_string(reference) << std::endl;
  orb->run();
  orb->destroy();
  return 0;
} catch (const CORBA::Exception& exception) {
  std::cerr << "server: " << exception << '\n';
  return 1;
}
