// SPDX-License-Identifier: Apache-2.0
// One servant that is reached by several message protocols over several transports at once, and by those that are
// loaded while it serves.
#include <corbel/corbel.hpp>
#include <corbel/orb/parts.hpp>

#include <atomic>
#include <chrono>
#include <iostream>

#include "turnstile_server.hpp"

namespace {

using OrbRef = IDL::traits<CORBA::ORB>::ref_type;
using TurnstileRef = IDL::traits<Station::Turnstile>::ref_type;

class Turnstile : public virtual CORBA::servant_traits<Station::Turnstile>::base_type {
 public:
  void pass() override { ++passed_; }
  uint64_t passed() override { return passed_; }

 private:
  std::atomic<uint64_t> passed_{0};
};

class Works : public virtual CORBA::servant_traits<Station::Works>::base_type {
 public:
  Works(OrbRef orb, IDL::traits<PortableServer::POA>::ref_type poa)
      : orb_(orb), poa_(poa), id_(poa->activate_object(CORBA::make_reference<Turnstile>())) {}

  // A reference names the ways that there are when it is made.
  TurnstileRef gate() override { return IDL::traits<Station::Turnstile>::narrow(poa_->id_to_reference(id_)); }

  TurnstileRef open_way(const std::string& plugin, const std::string& endpoint) override try {
    corbel::orb::load_plugin(*orb_, plugin);
    corbel::orb::listen(*orb_, endpoint);
    return gate();
  } catch (const CORBA::SystemException& exception) {
    throw Station::NotDone(exception.detail());
  }

  bool close_way(const std::string& transport) override try {
    return corbel::orb::withdraw_transport(*orb_, transport, std::chrono::seconds(20));
  } catch (const CORBA::SystemException& exception) {
    throw Station::NotDone(exception.detail());
  }

  void close() override { orb_->shutdown(false); }

 private:
  OrbRef orb_;
  IDL::traits<PortableServer::POA>::ref_type poa_;
  PortableServer::ObjectId id_;
};

}  // namespace

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  auto works = CORBA::make_reference<Works>(orb, poa);
  auto reference = works->_this();
  poa->the_POAManager()->activate();

  std::cout << orb->object_to_string(reference) << std::endl;
  orb->run();
  orb->destroy();
  return 0;
} catch (const CORBA::Exception& exception) {
  std::cerr << "server: " << exception << '\n';
  return 1;
}
