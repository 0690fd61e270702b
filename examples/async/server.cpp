// SPDX-License-Identifier: Apache-2.0
#include <corbel/corbel.hpp>

#include <iostream>

#include "prices_server.hpp"

class Shop : public virtual CORBA::servant_traits<Prices::Shop>::base_type {
 public:
  explicit Shop(IDL::traits<CORBA::ORB>::ref_type orb) : orb_(orb) {}

  double price(const std::string& article) override {
    if (article == "air") throw Prices::Unknown(article);
    return static_cast<double>(article.size()) + 0.5;
  }
  void close() override { orb_->shutdown(false); }

 private:
  IDL::traits<CORBA::ORB>::ref_type orb_;
};

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  auto shop = CORBA::make_reference<Shop>(orb);
  auto reference = shop->_this();
  poa->the_POAManager()->activate();

  std::cout << orb->object_to_string(reference) << std::endl;
  orb->run();
  orb->destroy();
  return 0;
} catch (const CORBA::Exception& exception) {
  std::cerr << "server: " << exception << '\n';
  return 1;
}
