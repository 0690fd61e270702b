// SPDX-License-Identifier: Apache-2.0
// Hello, world with Corbel; each ping of the laboratory is a greeting.
#include <corbel/orb/orb.hpp>
#include <corbel/poa/poa.hpp>

#include "hello_server.hpp"
#include "peers/peer.hpp"
#include "peers/restartable.hpp"

namespace {

class Greeter : public CORBA::servant_traits<Bench::Hello>::base_type {
 public:
  std::string greet(const std::string& name) override { return "Hello, " + name + "!"; }
};

struct Client {
  IDL::traits<Bench::Hello>::ref_type greeter;
  void ping() { greeter->greet("world"); }
};

using OrbRef = IDL::traits<CORBA::ORB>::ref_type;
using PoaRef = IDL::traits<PortableServer::POA>::ref_type;

/// The reference is that of every server that is started there.
CORBA::object_reference<CORBA::Object> lasting_reference(const PoaRef& root) {
  const auto poa =
      root->create_POA("bench", root->the_POAManager(),
                       {root->create_lifespan_policy(PortableServer::LifespanPolicyValue::PERSISTENT),
                        root->create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::USER_ID)});
  const auto id = PortableServer::string_to_ObjectId("hello");
  poa->activate_object_with_id(id, CORBA::make_reference<Greeter>());
  return poa->id_to_reference(id);
}

struct Hello {
  static peer::About about() { return {.name = "corbel hello"}; }
  static void serve(const char*, const char*, const char* where) {
    const bool again = peer::is_restartable(where);
    std::vector<std::string> arguments{"-ORBListenEndpoints", std::string("tcp://") + where + (again ? "" : ":0")};
    const OrbRef orb = CORBA::ORB_init(arguments);
    const auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    const auto reference =
        again ? lasting_reference(poa) : poa->id_to_reference(poa->activate_object(CORBA::make_reference<Greeter>()));
    poa->the_POAManager()->activate();
    peer::announce(orb->object_to_string(reference));
    const peer::EndOfInput end(again, [&] { orb->shutdown(false); });
    orb->run();
    orb->destroy();
  }
  static int run_client(const char*, const char*, const char* reference) {
    std::vector<std::string> arguments;
    const auto orb = CORBA::ORB_init(arguments);
    Client client{IDL::traits<Bench::Hello>::narrow(orb->string_to_object(reference))};
    return peer::command_loop(client);
  }
};

}  // namespace

int main(int argc, char** argv) {
  return peer::main<Hello>(argc, argv);
}
