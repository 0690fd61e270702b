// SPDX-License-Identifier: Apache-2.0
// Corbel with a hundred operations; its skeletons find them as CORBEL_BENCH_DISPATCH, an option of corbel-idl, says.
#include <corbel/corbel.hpp>

#include <cstring>
#include <memory>

#include "hundred_server.hpp"
#include "peers/peer.hpp"
#include "servers/hundred.hpp"

namespace {

class TwoWay : public CORBA::servant_traits<Hundred::TwoWay>::base_type {
 public:
#define CORBEL_OPERATION(name) \
  void name() override {}
#include "hundred_operations.inc"
#undef CORBEL_OPERATION
};
class Sink : public CORBA::servant_traits<Hundred::Sink>::base_type {
 public:
  explicit Sink(IDL::traits<Hundred::TwoWay>::ref_type two_way) : two_way_(std::move(two_way)) {}
#define CORBEL_OPERATION(name) \
  void name() override {}
#include "hundred_operations.inc"
#undef CORBEL_OPERATION
  IDL::traits<Hundred::TwoWay>::ref_type two_way() override {
    return two_way_;
  }

 private:
  IDL::traits<Hundred::TwoWay>::ref_type two_way_;
};

constexpr void (Hundred::TwoWay::*kTwoWay[])() = {
#define CORBEL_OPERATION(name) &Hundred::TwoWay::name,
#include "hundred_operations.inc"
#undef CORBEL_OPERATION
};
constexpr void (Hundred::Sink::*kOneway[])() = {
#define CORBEL_OPERATION(name) &Hundred::Sink::name,
#include "hundred_operations.inc"
#undef CORBEL_OPERATION
};
static_assert(std::size(kTwoWay) == hundred::kOperations && std::size(kOneway) == hundred::kOperations);

class Client {
 public:
  explicit Client(IDL::traits<Hundred::Sink>::ref_type oneway)
      : oneway_(std::move(oneway)), two_way_(oneway_->two_way()) {}
  void ping() { two_way_->operation_0(); }
  std::function<void()> operation(const std::string& order, bool oneway) {
    if (oneway) return hundred::in_order(order, [this](std::size_t i) { ((*oneway_).*kOneway[i])(); });
    return hundred::in_order(order, [this](std::size_t i) { ((*two_way_).*kTwoWay[i])(); });
  }

 private:
  IDL::traits<Hundred::Sink>::ref_type oneway_;
  IDL::traits<Hundred::TwoWay>::ref_type two_way_;
};

struct Corbel {
  static peer::About about() { return {"corbel " CORBEL_BENCH_DISPATCH, "giop", "tcp unix", "operation", "octet"}; }
  static void serve(const char*, const char* transport, const char* where) {
    const std::string port = std::strcmp(transport, "tcp") == 0 ? ":0" : "";
    std::vector<std::string> arguments{"-ORBListenEndpoints", std::string("giop+") + transport + "://" + where + port};
    const auto orb = CORBA::ORB_init(arguments);
    const auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    auto poa = root;
    for (int i = 0; i < hundred::depth(); ++i) {
      poa = poa->create_POA("level" + std::to_string(i), root->the_POAManager(), CORBA::PolicyList());
    }
    const auto reference_of = [&](const IDL::traits<PortableServer::Servant>::ref_type& servant) {
      return poa->id_to_reference(poa->activate_object(servant));
    };
    const auto two_way = reference_of(CORBA::make_reference<TwoWay>());
    const auto oneway = reference_of(CORBA::make_reference<Sink>(IDL::traits<Hundred::TwoWay>::narrow(two_way)));
    root->the_POAManager()->activate();
    peer::announce(orb->object_to_string(oneway));
    orb->run();
  }
  static int run_client(const char*, const char*, const char* reference) {
    std::vector<std::string> arguments;
    const auto orb = CORBA::ORB_init(arguments);
    Client client(IDL::traits<Hundred::Sink>::narrow(orb->string_to_object(reference)));
    return peer::command_loop(client);
  }
};

}  // namespace

int main(int argc, char** argv) {
  return peer::main<Corbel>(argc, argv);
}
