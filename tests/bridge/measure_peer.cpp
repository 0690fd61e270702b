// SPDX-License-Identifier: Apache-2.0
// The peers of measure.py: a server, a client that says what a call takes, and a bridge that demarshals (DSI and DII).
//
//   serve ENDPOINT          prints a reference; ends with its standard input
//   demarshal ENDPOINT REF  the same, and passes requests on to REF
//   call REF OCTETS CALLS   prints the median of so many calls in nanoseconds, after a tenth more
#include <algorithm>
#include <chrono>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "bridged_any.hpp"
#include "bridged_server.hpp"
#include "corbel/corbel.hpp"
#include "corbel/dynamic/dynamic_implementation.hpp"
#include "corbel/dynamic/request.hpp"

namespace {

using OrbRef = IDL::traits<CORBA::ORB>::ref_type;
using ObjectRef = CORBA::object_reference<CORBA::Object>;
using TargetRef = IDL::traits<Bridged::Target>::ref_type;

/// Its operation `carry` gives back what it was given.
class Servant final : public CORBA::servant_traits<Bridged::Target>::base_type {
 public:
  std::string name() override { return {}; }
  std::string echo(const std::string& text) override { return text; }
  Bridged::Blob carry(const Bridged::Blob& load) override { return load; }
  double mixed(std::uint8_t, double number, const std::wstring&, std::int64_t&) override { return number; }
  void refuse(const std::string&) override {}
  void fail() override {}
  void note(std::int32_t) override {}
  std::int32_t noted() override { return 0; }
  std::string call_back(const Bridged::Card&) override { return {}; }
  TargetRef same(TargetRef one) override { return one; }
  bool is_own(TargetRef) override { return false; }
  void hold() override {}
};

/// Reads arguments into Anys, makes a request of them, and results of what comes back.
class Demarshalling final : public PortableServer::DynamicImplementation {
 public:
  explicit Demarshalling(ObjectRef target) : target_(std::move(target)) {}

  void invoke(IDL::traits<CORBA::ServerRequest>::ref_type request) override {
    if (request->operation() != "carry") throw CORBA::BAD_OPERATION();
    CORBA::NVList list;
    list.add_type("load", Bridged::_tc_Blob, CORBA::ARG_IN);
    auto& arguments = request->arguments(std::move(list));
    const auto onward = target_->_request("carry");
    onward->arguments() = arguments;
    onward->set_return_type(Bridged::_tc_Blob);
    onward->invoke();
    request->set_result(onward->return_value());
  }
  std::string _primary_interface(const std::vector<std::uint8_t>&,
                                 CORBA::object_reference<PortableServer::POA>) override {
    return "IDL:Bridged/Target:1.0";
  }

 private:
  const ObjectRef target_;
};

int serve(const OrbRef& orb, const std::string& behind) {
  const auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  IDL::traits<PortableServer::Servant>::ref_type servant;
  if (behind.empty()) {
    servant = CORBA::make_reference<Servant>();
  } else {
    servant = CORBA::make_reference<Demarshalling>(orb->string_to_object(behind));
  }
  const auto reference = poa->id_to_reference(poa->activate_object(servant));
  poa->the_POAManager()->activate();
  std::cout << orb->object_to_string(reference) << std::endl;
  std::string line;
  while (std::getline(std::cin, line)) {
  }
  return 0;
}

int call(const OrbRef& orb, const std::string& reference, std::size_t octets, std::size_t calls) {
  const auto target = IDL::traits<Bridged::Target>::unchecked_narrow(orb->string_to_object(reference));
  const Bridged::Blob load(octets, 7);
  std::vector<std::int64_t> took;
  took.reserve(calls);
  for (std::size_t i = 0; i < calls + calls / 10; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    if (target->carry(load).size() != octets) return 1;
    const auto end = std::chrono::steady_clock::now();
    if (i >= calls / 10) took.push_back(std::chrono::nanoseconds(end - begin).count());
  }
  std::nth_element(took.begin(), took.begin() + static_cast<std::ptrdiff_t>(calls / 2), took.end());
  std::cout << took[calls / 2] << std::endl;
  return 0;
}

}  // namespace

int main(int argc, char* argv[]) try {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const std::string mode = words.empty() ? "" : words[0];
  if (words.size() < 2) {
    std::cerr << "usage: serve ENDPOINT | demarshal ENDPOINT REF | call REF OCTETS CALLS\n";
    return 2;
  }
  std::vector<std::string> options{"peer"};
  if (mode != "call") options.insert(options.end(), {"-ORBListenEndpoints", words[1]});
  const OrbRef orb = CORBA::ORB_init(options, "peer");
  int status = 2;
  if (mode == "call" && words.size() == 4) status = call(orb, words[1], std::stoul(words[2]), std::stoul(words[3]));
  if (mode == "serve") status = serve(orb, {});
  if (mode == "demarshal" && words.size() == 3) status = serve(orb, words[2]);
  orb->destroy();
  return status;
} catch (const std::exception& failure) {
  std::cerr << failure.what() << '\n';
  return 1;
}
