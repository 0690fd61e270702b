// SPDX-License-Identifier: Apache-2.0
// The omniORB server of the interoperability suite: prints its IOR and serves until shutdown() or the end of its life.
#include <unistd.h>

#include <cstdio>

#include "../options.hpp"
#include "contexts.hpp"
#include "orb_arguments.hpp"
#include "servant.hpp"

namespace {

/// Answers every request of its POA with a location forward.
class Forwarder : public virtual POA_PortableServer::ServantActivator,
                  public virtual PortableServer::RefCountServantBase {
 public:
  explicit Forwarder(CORBA::Object_ptr target) : target_(CORBA::Object::_duplicate(target)) {}
  PortableServer::Servant incarnate(const PortableServer::ObjectId&, PortableServer::POA_ptr) override {
    throw PortableServer::ForwardRequest(target_);
  }
  void etherealize(const PortableServer::ObjectId&, PortableServer::POA_ptr, PortableServer::Servant, CORBA::Boolean,
                   CORBA::Boolean) override {}

 private:
  CORBA::Object_var target_;
};

PortableServer::POA_ptr make_forwarding_poa(PortableServer::POA_ptr root, PortableServer::POAManager_ptr manager) {
  CORBA::PolicyList policies(2);
  policies.length(2);
  policies[0] = root->create_id_assignment_policy(PortableServer::USER_ID);
  policies[1] = root->create_request_processing_policy(PortableServer::USE_SERVANT_MANAGER);
  return root->create_POA("forwarding", manager, policies);
}

void serve(const interop::Options& options, const char* program) {
  interop::OrbArguments arguments(options, program, true);
  CORBA::ORB_var orb = CORBA::ORB_init(arguments.count, arguments.values());
  interop::intercept(options);
  interop::compress(options);
  CORBA::Object_var root_object = orb->resolve_initial_references("RootPOA");
  PortableServer::POA_var root = PortableServer::POA::_narrow(root_object);
  PortableServer::POAManager_var manager = root->the_POAManager();
  PortableServer::POA_var forwarding = make_forwarding_poa(root, manager);

  PortableServer::POA_var own = interop::make_callback_poa(orb, root, options);
  PortableServer::Servant_var<interop::SuiteServant> suite = new interop::SuiteServant(orb, own, forwarding);
  PortableServer::ObjectId_var id = own->activate_object(suite);
  CORBA::Object_var reference = own->id_to_reference(id);
  PortableServer::Servant_var<Forwarder> forwarder = new Forwarder(reference);
  PortableServer::ServantManager_var activator = forwarder->_this();
  forwarding->set_servant_manager(activator);
  manager->activate();

  CORBA::String_var ior = orb->object_to_string(reference);
  interop::announce(ior);
  try {
    orb->run();
  } catch (const CORBA::BAD_INV_ORDER&) {  // the client was through before
  }
  try {
    orb->destroy();
  } catch (const CORBA::BAD_INV_ORDER&) {  // the thread that shuts down is sometimes not through when run() returns
  }
}

}  // namespace

int main(int argc, char** argv) {
  const interop::Options options = interop::parse_options(argc, argv);
  alarm(options.lifetime_s);
  try {
    serve(options, argv[0]);
    return 0;
  } catch (const CORBA::Exception& failure) {
    std::fprintf(stderr, "server: %s\n", failure._name());
    return 1;
  }
}
