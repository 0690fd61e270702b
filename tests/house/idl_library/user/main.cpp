// SPDX-License-Identifier: Apache-2.0
#include <corbel/corbel.hpp>

#include <iostream>

#include "observatory_server.hpp"

namespace {

class Site : public virtual CORBA::servant_traits<::Observatory>::base_type {
 public:
  Telescope::Position turn(const Telescope::Position& to) override {
    return Telescope::Position(to.elevation(), to.azimuth());
  }
  IDL::traits<Telescope::Dome>::ref_type dome(std::int32_t) override { return _this(); }
};

}  // namespace

int main(int argc, char* argv[]) {
  auto orb = CORBA::ORB_init(argc, argv);
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  auto observatory = CORBA::make_reference<Site>();
  poa->the_POAManager()->activate();
  auto dome = observatory->_this()->dome(1);
  std::cout << dome->turn(Telescope::Position(1.0, 2.0)).azimuth() << '\n';
  orb->destroy();
}
