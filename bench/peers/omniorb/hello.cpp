// SPDX-License-Identifier: Apache-2.0
// Hello, world with omniORB; each ping of the laboratory is a greeting.
#include <omniORB4/CORBA.h>

#include "hello.hh"
#include "peers/peer.hpp"

namespace {

class Greeter : public POA_Bench::Hello {
 public:
  char* greet(const char* name) override { return CORBA::string_dup(("Hello, " + std::string(name) + "!").c_str()); }
};

struct Client {
  Bench::Hello_var greeter;
  void ping() { CORBA::string_free(greeter->greet("world")); }
};

CORBA::ORB_var make_orb(std::vector<std::string> arguments) {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  return CORBA::ORB_init(count, pointers.data());
}

struct Hello {
  static peer::About about() { return {.name = "omniORB hello"}; }
  static void serve(const char*, const char*, const char* where) {
    const CORBA::ORB_var orb = make_orb({"peer", "-ORBendPoint", std::string("giop:tcp:") + where + ":"});
    const CORBA::Object_var object = orb->resolve_initial_references("RootPOA");
    const PortableServer::POA_var poa = PortableServer::POA::_narrow(object);
    const PortableServer::ServantBase_var greeter = new Greeter;
    const PortableServer::ObjectId_var id = poa->activate_object(greeter.in());
    const PortableServer::POAManager_var manager = poa->the_POAManager();
    manager->activate();
    const CORBA::Object_var reference = poa->id_to_reference(id);
    const CORBA::String_var text = orb->object_to_string(reference);
    peer::announce(text.in());
    orb->run();
  }
  static int run_client(const char*, const char*, const char* reference) {
    const CORBA::ORB_var orb = make_orb({"peer"});
    const CORBA::Object_var object = orb->string_to_object(reference);
    Client client{Bench::Hello::_narrow(object)};
    return peer::command_loop(client);
  }
};

}  // namespace

int main(int argc, char** argv) {
  return peer::main<Hello>(argc, argv);
}
