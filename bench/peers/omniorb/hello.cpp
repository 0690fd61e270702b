// SPDX-License-Identifier: Apache-2.0
// Hello, world with omniORB; each ping of the laboratory is a greeting.
#include "hello.hh"
#include "peers/omniorb/common.hpp"
#include "peers/peer.hpp"
#include "peers/restartable.hpp"

namespace {

class Greeter : public POA_Bench::Hello {
 public:
  char* greet(const char* name) override { return CORBA::string_dup(("Hello, " + std::string(name) + "!").c_str()); }
};

struct Client {
  Bench::Hello_var greeter;
  void ping() {
    omni::translated([&] { CORBA::string_free(greeter->greet("world")); });
  }
};

/// Activates the servant where references hold after a restart.
CORBA::Object_ptr lasting_reference(PortableServer::POA_ptr root, PortableServer::ServantBase* servant) {
  CORBA::PolicyList policies;
  policies.length(2);
  policies[0] = root->create_lifespan_policy(PortableServer::PERSISTENT);
  policies[1] = root->create_id_assignment_policy(PortableServer::USER_ID);
  const PortableServer::POAManager_var manager = root->the_POAManager();
  const PortableServer::POA_var poa = root->create_POA("bench", manager.in(), policies);
  const PortableServer::ObjectId_var id = PortableServer::string_to_ObjectId("hello");
  poa->activate_object_with_id(id.in(), servant);
  return poa->id_to_reference(id);
}

CORBA::Object_ptr fresh_reference(PortableServer::POA_ptr root, PortableServer::ServantBase* servant) {
  const PortableServer::ObjectId_var id = root->activate_object(servant);
  return root->id_to_reference(id);
}

struct Hello {
  static peer::About about() { return {.name = "omniORB hello"}; }
  static void serve(const char*, const char*, const char* where) {
    const bool again = peer::is_restartable(where);
    const CORBA::ORB_var orb =
        omni::make_orb({"peer", "-ORBendPoint", std::string("giop:tcp:") + where + (again ? "" : ":")});
    const CORBA::Object_var object = orb->resolve_initial_references("RootPOA");
    const PortableServer::POA_var poa = PortableServer::POA::_narrow(object);
    const PortableServer::ServantBase_var greeter = new Greeter;
    const CORBA::Object_var reference =
        again ? lasting_reference(poa, greeter.in()) : fresh_reference(poa, greeter.in());
    const PortableServer::POAManager_var manager = poa->the_POAManager();
    manager->activate();
    const CORBA::String_var text = orb->object_to_string(reference);
    peer::announce(text.in());
    const peer::EndOfInput end(again, [&] { orb->shutdown(false); });
    orb->run();
  }
  static int run_client(const char*, const char*, const char* reference) {
    const CORBA::ORB_var orb = omni::make_orb({"peer"});
    const CORBA::Object_var object = orb->string_to_object(reference);
    Client client{Bench::Hello::_narrow(object)};
    return peer::command_loop(client);
  }
};

}  // namespace

int main(int argc, char** argv) {
  return peer::main<Hello>(argc, argv);
}
