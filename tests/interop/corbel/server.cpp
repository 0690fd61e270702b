// SPDX-License-Identifier: Apache-2.0
// The Corbel server of the interoperability suite: prints its IOR and serves until shutdown() or the end of its life.
#include <unistd.h>

#include <cstdio>

#include "../options.hpp"
#include "contexts.hpp"
#include "orb_arguments.hpp"
#include "servant.hpp"

namespace {

/// Answers every request of its POA with a location forward.
class Forwarder : public virtual PortableServer::ServantActivator {
 public:
  explicit Forwarder(interop::ObjectRef target) : target_(std::move(target)) {}
  IDL::traits<PortableServer::Servant>::ref_type incarnate(const PortableServer::ObjectId&, interop::PoaRef) override {
    throw PortableServer::ForwardRequest(target_);
  }
  void etherealize(const PortableServer::ObjectId&, interop::PoaRef, IDL::traits<PortableServer::Servant>::ref_type,
                   bool, bool) override {}

 private:
  interop::ObjectRef target_;
};

void serve(const interop::Options& options) {
  std::vector<std::string> arguments = interop::orb_arguments(options);
  interop::ContextCounts contexts;
  interop::intercept(options, contexts);
  const interop::OrbRef orb = CORBA::ORB_init(arguments);
  const auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  const CORBA::PolicyList policies{
      root->create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::USER_ID),
      root->create_request_processing_policy(PortableServer::RequestProcessingPolicyValue::USE_SERVANT_MANAGER)};
  (void)interop::make_callback_poa(root, options);
  const auto forwarding = root->create_POA("forwarding", root->the_POAManager(), policies);

  const auto id = root->activate_object(CORBA::make_reference<interop::SuiteServant>(orb, root, forwarding));
  const interop::ObjectRef reference = root->id_to_reference(id);
  forwarding->set_servant_manager(CORBA::make_reference<Forwarder>(reference));
  root->the_POAManager()->activate();

  interop::announce(orb->object_to_string(reference).c_str());
  try {
    orb->run();
  } catch (const CORBA::BAD_INV_ORDER&) {  // the client was through before
  }
  orb->destroy();
}

}  // namespace

int main(int argc, char** argv) {
  const interop::Options options = interop::parse_options(argc, argv);
  alarm(options.lifetime_s);
  try {
    serve(options);
    return 0;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "server: %s\n", failure.what());
    return 1;
  }
}
