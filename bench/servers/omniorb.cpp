// SPDX-License-Identifier: Apache-2.0
// omniORB with a hundred operations.
#include <omniORB4/CORBA.h>

#include <cstring>
#include <iterator>
#include <vector>

#include "hundred.hh"
#include "peers/peer.hpp"
#include "servers/hundred.hpp"

namespace {

class TwoWay : public POA_Hundred::TwoWay {
 public:
#define CORBEL_OPERATION(name) \
  void name() override {}
#include "hundred_operations.inc"
#undef CORBEL_OPERATION
};
class Sink : public POA_Hundred::Sink {
 public:
  explicit Sink(Hundred::TwoWay_ptr two_way) : two_way_(Hundred::TwoWay::_duplicate(two_way)) {}
#define CORBEL_OPERATION(name) \
  void name() override {}
#include "hundred_operations.inc"
#undef CORBEL_OPERATION
  Hundred::TwoWay_ptr two_way() override {
    return Hundred::TwoWay::_duplicate(two_way_);
  }

 private:
  Hundred::TwoWay_var two_way_;
};

constexpr void (Hundred::_objref_TwoWay::*kTwoWay[])() = {
#define CORBEL_OPERATION(name) &Hundred::_objref_TwoWay::name,
#include "hundred_operations.inc"
#undef CORBEL_OPERATION
};
constexpr void (Hundred::_objref_Sink::*kOneway[])() = {
#define CORBEL_OPERATION(name) &Hundred::_objref_Sink::name,
#include "hundred_operations.inc"
#undef CORBEL_OPERATION
};

class Client {
 public:
  explicit Client(Hundred::Sink_ptr oneway) : oneway_(Hundred::Sink::_duplicate(oneway)), two_way_(oneway->two_way()) {}
  void ping() { two_way_->operation_0(); }
  std::function<void()> operation(const std::string& order, bool oneway) {
    if (oneway) return hundred::in_order(order, [this](std::size_t i) { (oneway_.in()->*kOneway[i])(); });
    return hundred::in_order(order, [this](std::size_t i) { (two_way_.in()->*kTwoWay[i])(); });
  }

 private:
  Hundred::Sink_var oneway_;
  Hundred::TwoWay_var two_way_;
};

CORBA::ORB_var make_orb(std::vector<std::string> arguments) {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  return CORBA::ORB_init(count, pointers.data());
}

CORBA::Object_ptr reference_of(PortableServer::POA_ptr poa, PortableServer::ServantBase* owned) {
  const PortableServer::ServantBase_var servant = owned;
  const PortableServer::ObjectId_var id = poa->activate_object(servant.in());
  return poa->id_to_reference(id);
}

struct OmniOrb {
  static peer::About about() { return {"omniORB", "giop", "tcp unix", "operation", "octet"}; }
  static void serve(const char*, const char* transport, const char* where) {
    const bool local = std::strcmp(transport, "unix") == 0;
    const std::string endpoint = local ? std::string("giop:unix:") + where : std::string("giop:tcp:") + where + ":";
    const CORBA::ORB_var orb = make_orb({"peer", "-ORBendPoint", endpoint});
    const CORBA::Object_var object = orb->resolve_initial_references("RootPOA");
    PortableServer::POA_var poa = PortableServer::POA::_narrow(object);
    const PortableServer::POAManager_var manager = poa->the_POAManager();
    for (int i = 0; i < hundred::depth(); ++i) {
      poa = poa->create_POA(("level" + std::to_string(i)).c_str(), manager, CORBA::PolicyList());
    }
    const CORBA::Object_var two_way_object = reference_of(poa, new TwoWay);
    const Hundred::TwoWay_var two_way = Hundred::TwoWay::_narrow(two_way_object);
    const CORBA::Object_var reference = reference_of(poa, new Sink(two_way));
    manager->activate();
    const CORBA::String_var text = orb->object_to_string(reference);
    peer::announce(text.in());
    orb->run();
  }
  static int run_client(const char*, const char*, const char* reference) {
    const CORBA::ORB_var orb = make_orb({"peer"});
    const CORBA::Object_var object = orb->string_to_object(reference);
    const Hundred::Sink_var oneway = Hundred::Sink::_narrow(object);
    Client client(oneway.in());
    return peer::command_loop(client);
  }
};

}  // namespace

int main(int argc, char** argv) {
  return peer::main<OmniOrb>(argc, argv);
}
