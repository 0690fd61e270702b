// SPDX-License-Identifier: Apache-2.0
// omniORB in the laboratory, with its defaults.
#include <atomic>

#include "peers/cubes.hpp"
#include "peers/omniorb/common.hpp"
#include "peers/peer.hpp"
#include "target.hh"

namespace {

using omni::make_orb;
using omni::translated;

class Cubit : public POA_Bench::Cubit {
 public:
  CORBA::Octet cube_octet(CORBA::Octet value) override { return peer::cubed(value); }
  CORBA::Short cube_short(CORBA::Short value) override { return peer::cubed(value); }
  CORBA::Long cube_long(CORBA::Long value) override { return peer::cubed(value); }
  Bench::Many cube_struct(const Bench::Many& value) override {
    return {peer::cubed(value.o), peer::cubed(value.l), peer::cubed(value.s)};
  }
  Bench::OneOf cube_union(const Bench::OneOf& value) override {
    Bench::OneOf result;
    if (value._d() == 0) result.o(peer::cubed(value.o()));
    if (value._d() == 1) result.s(peer::cubed(value.s()));
    if (value._d() == 2) result.l(peer::cubed(value.l()));
    return result;
  }
  Bench::Octets* cube_octets(const Bench::Octets& values) override { return all_cubed(values); }
  Bench::Longs* cube_longs(const Bench::Longs& values) override { return all_cubed(values); }

 private:
  template <class Sequence>
  static Sequence* all_cubed(const Sequence& values) {
    auto* const result = new Sequence(values.length());
    result->length(values.length());
    for (CORBA::ULong i = 0; i < values.length(); ++i) (*result)[i] = peer::cubed(values[i]);
    return result;
  }
};

class Ring : public POA_Bench::Ring {
 public:
  Bench::Octets* echo_octets(const Bench::Octets& data) override { return new Bench::Octets(data); }
  Bench::BinStructs* echo_structs(const Bench::BinStructs& data) override { return new Bench::BinStructs(data); }
  Bench::Chars* echo_chars(const Bench::Chars& data) override { return new Bench::Chars(data); }
  Bench::Shorts* echo_shorts(const Bench::Shorts& data) override { return new Bench::Shorts(data); }
  Bench::Longs* echo_longs(const Bench::Longs& data) override { return new Bench::Longs(data); }
  Bench::Doubles* echo_doubles(const Bench::Doubles& data) override { return new Bench::Doubles(data); }
  char* echo_string(const char* data) override { return CORBA::string_dup(data); }
};

class Target : public POA_Bench::Target {
 public:
  Target(Bench::Cubit_ptr cubit, Bench::Ring_ptr ring)
      : cubit_(Bench::Cubit::_duplicate(cubit)), ring_(Bench::Ring::_duplicate(ring)) {}
  void ping() override {}
  void take_octets(const Bench::Octets& data) override { count(data); }
  void take_structs(const Bench::BinStructs& data) override { count(data); }
  void take_chars(const Bench::Chars& data) override { count(data); }
  void take_shorts(const Bench::Shorts& data) override { count(data); }
  void take_longs(const Bench::Longs& data) override { count(data); }
  void take_doubles(const Bench::Doubles& data) override { count(data); }
  void take_string(const char* data) override { taken_ += std::strlen(data); }
  void put_octets(const Bench::Octets& data) override { count(data); }
  void put_structs(const Bench::BinStructs& data) override { count(data); }
  void put_chars(const Bench::Chars& data) override { count(data); }
  void put_shorts(const Bench::Shorts& data) override { count(data); }
  void put_longs(const Bench::Longs& data) override { count(data); }
  void put_doubles(const Bench::Doubles& data) override { count(data); }
  void put_string(const char* data) override { taken_ += std::strlen(data); }
  CORBA::ULongLong taken() override { return taken_; }
  void reset() override { taken_ = 0; }
  Bench::Cubit_ptr cubes() override { return Bench::Cubit::_duplicate(cubit_); }
  Bench::Ring_ptr rings() override { return Bench::Ring::_duplicate(ring_); }

 private:
  template <class Sequence>
  void count(const Sequence& data) {
    taken_ += data.length() * sizeof(*data.get_buffer());
  }

  std::atomic<CORBA::ULongLong> taken_{0};
  Bench::Cubit_var cubit_;
  Bench::Ring_var ring_;
};

template <class Sequence, class Element>
Sequence filled(std::size_t count, const Element& element) {
  Sequence sequence;
  sequence.length(static_cast<CORBA::ULong>(count));
  for (CORBA::ULong i = 0; i < sequence.length(); ++i) sequence[i] = element;
  return sequence;
}

/// omniORB's client. Every lambda below keeps its argument, so that only the call is timed.
class Client {
 public:
  explicit Client(Bench::Target_ptr target) : target_(Bench::Target::_duplicate(target)) {}
  void ping() { target_->ping(); }
  std::unique_ptr<Client> for_thread() { return std::make_unique<Client>(target_.in()); }
  std::function<void()> put(std::size_t payload) {
    return [this, data = filled<Bench::Octets>(payload, CORBA::Octet('x'))] { target_->put_octets(data); };
  }

  peer::Flow flow(bool oneway, const std::string& type, std::size_t count) {
    using namespace Bench;
    using T = _objref_Target;
    if (type == "octet") return flow<Octets>(count, CORBA::Octet('x'), oneway ? &T::take_octets : &T::put_octets);
    if (type == "char") return flow<Chars>(count, 'x', oneway ? &T::take_chars : &T::put_chars);
    if (type == "short") return flow<Shorts>(count, CORBA::Short(1), oneway ? &T::take_shorts : &T::put_shorts);
    if (type == "long") return flow<Longs>(count, CORBA::Long(2), oneway ? &T::take_longs : &T::put_longs);
    if (type == "double") return flow<Doubles>(count, 4.5, oneway ? &T::take_doubles : &T::put_doubles);
    if (type == "struct") {
      return flow<BinStructs>(count, BinStruct{1, 'c', 2, 3, 4.5}, oneway ? &T::take_structs : &T::put_structs);
    }
    const auto call = oneway ? &T::take_string : &T::put_string;
    return flow(count, [this, call, text = std::string(count, 'x')] { (target_.in()->*call)(text.c_str()); });
  }

  peer::Flow ring(const std::string& type, std::size_t count) {
    using namespace Bench;
    using R = _objref_Ring;
    if (type == "octet") return ring<Octets>(count, CORBA::Octet('x'), &R::echo_octets);
    if (type == "char") return ring<Chars>(count, 'x', &R::echo_chars);
    if (type == "short") return ring<Shorts>(count, CORBA::Short(1), &R::echo_shorts);
    if (type == "long") return ring<Longs>(count, CORBA::Long(2), &R::echo_longs);
    if (type == "double") return ring<Doubles>(count, 4.5, &R::echo_doubles);
    if (type == "struct") return ring<BinStructs>(count, BinStruct{1, 'c', 2, 3, 4.5}, &R::echo_structs);
    return ring(count, [rings = Bench::Ring_var(target_->rings()), text = std::string(count, 'x')] {
      const CORBA::String_var back = rings->echo_string(text.c_str());
      peer::check_ring(text.size(), std::strlen(back));
    });
  }

  std::function<void()> cube(const std::string& what) {
    const Bench::Cubit_var cubit = target_->cubes();
    if (what == "octet") return [cubit] { cubit->cube_octet(3); };
    if (what == "short") return [cubit] { cubit->cube_short(3); };
    if (what == "long") return [cubit] { cubit->cube_long(3); };
    if (what == "struct") return [cubit] { cubit->cube_struct(Bench::Many{3, 4, 5}); };
    if (what == "union") {
      Bench::OneOf value;
      value.l(3);
      return [cubit, value] { cubit->cube_union(value); };
    }
    const std::size_t size = what.ends_with("large") ? peer::kLargeOctets : peer::kSmallOctets;
    if (what.starts_with("octets-")) {
      return [cubit, data = filled<Bench::Octets>(size, CORBA::Octet(3))] { delete cubit->cube_octets(data); };
    }
    return [cubit, data = filled<Bench::Longs>(size / 4, CORBA::Long(3))] { delete cubit->cube_longs(data); };
  }

 private:
  template <class Sequence, class Element>
  peer::Flow ring(std::size_t count, const Element& element, Sequence* (Bench::_objref_Ring::*call)(const Sequence&)) {
    return ring(count * sizeof(Element),
                [rings = Bench::Ring_var(target_->rings()), call, data = filled<Sequence>(count, element)] {
                  const std::unique_ptr<Sequence> back((rings.in()->*call)(data));
                  peer::check_ring(data.length(), back->length());
                });
  }
  template <class Call>
  peer::Flow ring(std::uint64_t size, Call call) {
    return {2 * size, [call = std::move(call)](unsigned long count) {
              translated([&] {
                for (unsigned long i = 0; i < count; ++i) call();
              });
            }};
  }
  template <class Sequence, class Element>
  peer::Flow flow(std::size_t count, const Element& element, void (Bench::_objref_Target::*call)(const Sequence&)) {
    return flow(count * sizeof(Element),
                [this, call, data = filled<Sequence>(count, element)] { (target_.in()->*call)(data); });
  }
  template <class Call>
  peer::Flow flow(std::uint64_t size, Call call) {
    target_->reset();
    return {size, [this, size, call = std::move(call)](unsigned long count) {
              translated([&] {
                for (unsigned long i = 0; i < count; ++i) call();
                while (target_->taken() < size * count) {
                }
              });
            }};
  }

  Bench::Target_var target_;
};

CORBA::Object_ptr reference_of(PortableServer::POA_ptr poa, PortableServer::ServantBase* owned) {
  const PortableServer::ServantBase_var servant = owned;
  const PortableServer::ObjectId_var id = poa->activate_object(servant.in());
  return poa->id_to_reference(id);
}

/// Makes the servants; the reference of the first.
CORBA::Object_ptr activate(CORBA::ORB_ptr orb) {
  const CORBA::Object_var object = orb->resolve_initial_references("RootPOA");
  const PortableServer::POA_var poa = PortableServer::POA::_narrow(object);
  const CORBA::Object_var cubit_object = reference_of(poa, new Cubit);
  const Bench::Cubit_var cubit = Bench::Cubit::_narrow(cubit_object);
  const CORBA::Object_var ring_object = reference_of(poa, new Ring);
  const Bench::Ring_var ring = Bench::Ring::_narrow(ring_object);
  CORBA::Object_ptr reference = reference_of(poa, new Target(cubit, ring));
  const PortableServer::POAManager_var manager = poa->the_POAManager();
  manager->activate();
  return reference;
}

struct OmniOrb {
  static peer::About about() {
    return {"omniORB " CORBEL_BENCH_OMNIORB_VERSION, "giop", "tcp unix collocated",
            "latency threads oneway twoway ring cube", peer::kAllTypes};
  }
  static void serve(const char*, const char* transport, const char* where) {
    translated([&] {
      const bool local = std::strcmp(transport, "unix") == 0;
      const std::string endpoint = local ? std::string("giop:unix:") + where : std::string("giop:tcp:") + where + ":";
      const CORBA::ORB_var orb = make_orb({"peer", "-ORBendPoint", endpoint});
      const CORBA::Object_var reference = activate(orb.in());
      const CORBA::String_var text = orb->object_to_string(reference);
      peer::announce(text.in());
      orb->run();
    });
  }
  /// With transport collocated, this process is the server, too.
  static int run_client(const char*, const char* transport, const char* reference) {
    return translated([&] {
      const bool collocated = std::strcmp(transport, "collocated") == 0;
      const CORBA::ORB_var orb =
          collocated ? make_orb({"peer", "-ORBendPoint", "giop:tcp:127.0.0.1:"}) : make_orb({"peer"});
      const CORBA::Object_var object = collocated ? activate(orb.in()) : orb->string_to_object(reference);
      const Bench::Target_var target = Bench::Target::_narrow(object);
      Client client(target.in());
      const int status = peer::command_loop(client);
      if (collocated) orb->destroy();  // its threads would keep the process
      return status;
    });
  }
};

}  // namespace

int main(int argc, char** argv) {
  return peer::main<OmniOrb>(argc, argv);
}
