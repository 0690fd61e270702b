// SPDX-License-Identifier: Apache-2.0
// Corbel in the laboratory, with its defaults.
#include <corbel/orb/orb.hpp>
#include <corbel/poa/poa.hpp>

#include <atomic>

#include "peers/peer.hpp"
#include "target_server.hpp"

namespace {

using TargetRef = IDL::traits<Bench::Target>::ref_type;

class Target : public CORBA::servant_traits<Bench::Target>::base_type {
 public:
  void ping() override {}
  void take_octets(const Bench::Octets& data) override { taken_ += data.size(); }
  void take_structs(const Bench::BinStructs& data) override { taken_ += data.size() * sizeof(Bench::BinStruct); }
  std::uint64_t taken() override { return taken_; }
  void reset() override { taken_ = 0; }

 private:
  std::atomic<std::uint64_t> taken_{0};
};

struct Prepared {
  Bench::Octets octets;
  Bench::BinStructs structs;
};

class Client {
 public:
  explicit Client(TargetRef target) : target_(std::move(target)) {}
  void ping() { target_->ping(); }
  Prepared prepare(const std::string& type, unsigned long buffer) {
    target_->reset();
    if (type == "octet") return {Bench::Octets(buffer, 'x'), {}};
    return {{}, Bench::BinStructs(buffer / sizeof(Bench::BinStruct), Bench::BinStruct(1, 'c', 2, 3, 4.5))};
  }
  std::uint64_t stream(const Prepared& prepared, unsigned long count) {
    const bool structs = !prepared.structs.empty();
    const std::uint64_t size = structs ? prepared.structs.size() * sizeof(Bench::BinStruct) : prepared.octets.size();
    for (unsigned long i = 0; i < count; ++i) {
      if (structs) {
        target_->take_structs(prepared.structs);
      } else {
        target_->take_octets(prepared.octets);
      }
    }
    while (target_->taken() < size * count) {
    }
    return size * count;
  }

 private:
  TargetRef target_;
};

struct Corbel {
  static std::string about() { return "corbel " CORBEL_PEER_VERSION; }
  static void serve(const char* protocol, const char* transport, const char* path) {
    const bool local = std::string(transport) == "unix";
    const std::string endpoint = local ? std::string("unix://") + path : "tcp://127.0.0.1:0";
    std::vector<std::string> arguments{"-ORBListenEndpoints", std::string(protocol) + "+" + endpoint};
    const auto orb = CORBA::ORB_init(arguments);
    const auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    const auto id = poa->activate_object(CORBA::make_reference<Target>());
    poa->the_POAManager()->activate();
    peer::announce(orb->object_to_string(poa->id_to_reference(id)));
    orb->run();
  }
  static int run_client(const char*, const char*, const char* reference) {
    std::vector<std::string> arguments;
    const auto orb = CORBA::ORB_init(arguments);
    Client client(IDL::traits<Bench::Target>::narrow(orb->string_to_object(reference)));
    return peer::command_loop(client);
  }
};

}  // namespace

int main(int argc, char** argv) {
  return peer::main<Corbel>(argc, argv);
}
