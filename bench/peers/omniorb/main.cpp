// SPDX-License-Identifier: Apache-2.0
// omniORB in the laboratory, with its defaults.
#include <omniORB4/CORBA.h>
#include <omniORB4/acconfig.h>

#include <atomic>

#include "peers/peer.hpp"
#include "target.hh"

#ifdef OMNI_PACKAGE_VERSION  // 4.3
#define CORBEL_BENCH_OMNIORB_VERSION OMNI_PACKAGE_VERSION
#else
#define CORBEL_BENCH_OMNIORB_VERSION PACKAGE_VERSION
#endif

namespace {

class Target : public POA_Bench::Target {
 public:
  void ping() override {}
  void take_octets(const Bench::Octets& data) override { taken_ += data.length(); }
  void take_structs(const Bench::BinStructs& data) override { taken_ += data.length() * sizeof(Bench::BinStruct); }
  CORBA::ULongLong taken() override { return taken_; }
  void reset() override { taken_ = 0; }

 private:
  std::atomic<CORBA::ULongLong> taken_{0};
};

/// omniORB's exceptions as standard ones.
template <class F>
auto translated(F&& f) {
  try {
    return f();
  } catch (const CORBA::SystemException& failure) {
    throw std::runtime_error(std::string(failure._name()) + " " + failure.NP_minorString());
  } catch (const CORBA::Exception& failure) {
    throw std::runtime_error(failure._name());
  }
}

struct Prepared {
  Bench::Octets octets;
  Bench::BinStructs structs;
};

class Client {
 public:
  explicit Client(Bench::Target_ptr target) : target_(Bench::Target::_duplicate(target)) {}
  void ping() { target_->ping(); }
  Prepared prepare(const std::string& type, unsigned long buffer) {
    target_->reset();
    Prepared prepared;
    if (type == "octet") {
      prepared.octets.length(static_cast<CORBA::ULong>(buffer));
      std::memset(prepared.octets.get_buffer(), 'x', buffer);
      return prepared;
    }
    prepared.structs.length(static_cast<CORBA::ULong>(buffer / sizeof(Bench::BinStruct)));
    for (CORBA::ULong i = 0; i < prepared.structs.length(); ++i) prepared.structs[i] = {1, 'c', 2, 3, 4.5};
    return prepared;
  }
  std::uint64_t stream(const Prepared& prepared, unsigned long count) {
    return translated([&]() -> std::uint64_t {
      const CORBA::ULong structs = prepared.structs.length();
      const std::uint64_t size = structs > 0 ? structs * sizeof(Bench::BinStruct) : prepared.octets.length();
      for (unsigned long i = 0; i < count; ++i) {
        if (structs > 0) {
          target_->take_structs(prepared.structs);
        } else {
          target_->take_octets(prepared.octets);
        }
      }
      while (target_->taken() < size * count) {
      }
      return size * count;
    });
  }

 private:
  Bench::Target_var target_;
};

CORBA::ORB_var make_orb(std::vector<std::string> arguments) {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  return CORBA::ORB_init(count, pointers.data());
}

struct OmniOrb {
  static std::string about() { return "omniORB " CORBEL_BENCH_OMNIORB_VERSION; }
  static void serve(const char*, const char* transport, const char* path) {
    translated([&] {
      const bool local = std::strcmp(transport, "unix") == 0;
      const std::string endpoint = local ? std::string("giop:unix:") + path : "giop:tcp:127.0.0.1:";
      const CORBA::ORB_var orb = make_orb({"peer", "-ORBendPoint", endpoint});
      const CORBA::Object_var object = orb->resolve_initial_references("RootPOA");
      const PortableServer::POA_var poa = PortableServer::POA::_narrow(object);
      PortableServer::Servant_var<Target> servant = new Target;
      const PortableServer::ObjectId_var id = poa->activate_object(servant);
      const PortableServer::POAManager_var manager = poa->the_POAManager();
      manager->activate();
      const CORBA::Object_var reference = poa->id_to_reference(id);
      const CORBA::String_var text = orb->object_to_string(reference);
      peer::announce(text.in());
      orb->run();
    });
  }
  static int run_client(const char*, const char*, const char* reference) {
    return translated([&] {
      const CORBA::ORB_var orb = make_orb({"peer"});
      const CORBA::Object_var object = orb->string_to_object(reference);
      const Bench::Target_var target = Bench::Target::_narrow(object);
      Client client(target.in());
      return peer::command_loop(client);
    });
  }
};

}  // namespace

int main(int argc, char** argv) {
  return peer::main<OmniOrb>(argc, argv);
}
