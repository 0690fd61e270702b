// SPDX-License-Identifier: Apache-2.0
// Hello, world with Corbel; each ping of the laboratory is a greeting.
#include <corbel/orb/orb.hpp>
#include <corbel/poa/poa.hpp>

#include "hello_server.hpp"
#include "peers/peer.hpp"

namespace {

class Greeter : public CORBA::servant_traits<Bench::Hello>::base_type {
 public:
  std::string greet(const std::string& name) override { return "Hello, " + name + "!"; }
};

struct Client {
  IDL::traits<Bench::Hello>::ref_type greeter;
  void ping() { greeter->greet("world"); }
};

struct Hello {
  static peer::About about() { return {.name = "corbel hello"}; }
  static void serve(const char*, const char*, const char* where) {
    std::vector<std::string> arguments{"-ORBListenEndpoints", std::string("tcp://") + where + ":0"};
    const auto orb = CORBA::ORB_init(arguments);
    const auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    const auto reference = poa->id_to_reference(poa->activate_object(CORBA::make_reference<Greeter>()));
    poa->the_POAManager()->activate();
    peer::announce(orb->object_to_string(reference));
    orb->run();
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
