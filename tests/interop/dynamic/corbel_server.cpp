// SPDX-License-Identifier: Apache-2.0
// The Corbel server of the dynamic suite: a static servant or, with --bridge, a dynamic one before it that passes on
// what it gets knowing no generated type.
#include <unistd.h>

#include <algorithm>
#include <corbel/dynamic/dynamic_implementation.hpp>
#include <corbel/dynamic/type_factory.hpp>
#include <iostream>

#include "mirror.hpp"

namespace {

using ObjectRef = IDL::traits<CORBA::Object>::ref_type;

/// What the bridge knows of Dynamic::Mirror.
class Signatures {
 public:
  struct Signature {
    CORBA::NVList arguments;
    CORBA::typecode_reference result;
    CORBA::ExceptionList exceptions = {};
  };

  Signature of(const std::string& operation) const {
    if (operation == "echo_any") {
      return {arguments({CORBA::_tc_any, CORBA::_tc_any, CORBA::_tc_any},
                        {CORBA::ARG_IN, CORBA::ARG_INOUT, CORBA::ARG_OUT}),
              CORBA::_tc_any};
    }
    if (operation == "describe") return {in({CORBA::_tc_any}), CORBA::_tc_string};
    if (operation == "make") return {in({CORBA::_tc_string}), CORBA::_tc_any};
    if (operation == "echo_type") return {in({CORBA::_tc_TypeCode}), CORBA::_tc_TypeCode};
    if (operation == "same_type") return {in({CORBA::_tc_TypeCode, CORBA::_tc_any}), CORBA::_tc_boolean};
    if (operation == "twice") return {in({money_}), money_, {oops_}};
    if (operation == "shutdown") return {{}, CORBA::_tc_void};
    throw CORBA::BAD_OPERATION();
  }

 private:
  using Types = std::vector<CORBA::typecode_reference>;

  static CORBA::NVList arguments(const Types& types, const std::vector<CORBA::Flags>& ways) {
    CORBA::NVList list;
    for (std::size_t i = 0; i < types.size(); ++i) list.add_type("", types[i], ways[i]);
    return list;
  }
  static CORBA::NVList in(const Types& types) {
    return arguments(types, std::vector<CORBA::Flags>(types.size(), CORBA::ARG_IN));
  }

  CORBA::object_reference<CORBA::TypeCodeFactory> make_ = CORBA::make_reference<CORBA::TypeCodeFactory>();
  CORBA::typecode_reference money_ = make_->create_fixed_tc(7, 2);
  CORBA::typecode_reference oops_ = make_->create_exception_tc("IDL:corbel.test/Dynamic/Oops:1.0", "Oops",
                                                               {{"why", CORBA::_tc_string}, {"cost", money_}});
};

class Bridge final : public PortableServer::DynamicImplementation {
 public:
  explicit Bridge(ObjectRef target) : target_(std::move(target)) {}

  void invoke(IDL::traits<CORBA::ServerRequest>::ref_type request) override {
    auto signature = signatures_.of(request->operation());
    auto& arguments = request->arguments(std::move(signature.arguments));
    const auto onward = target_->_request(request->operation());
    onward->arguments() = arguments;
    onward->set_return_type(signature.result);
    onward->exceptions() = signature.exceptions;
    onward->invoke();
    arguments = onward->arguments();
    if (signature.result->kind() != CORBA::TCKind::tk_void) request->set_result(onward->return_value());
  }
  std::string _primary_interface(const std::vector<std::uint8_t>&,
                                 CORBA::object_reference<PortableServer::POA>) override {
    return "IDL:corbel.test/Dynamic/Mirror:1.0";
  }

 private:
  const Signatures signatures_;
  const ObjectRef target_;
};

}  // namespace

int main(int argc, char** argv) try {
  alarm(120);
  std::vector<std::string> arguments = {"-ORBListenEndpoints", "tcp://127.0.0.1:0"};
  const OrbRef orb = CORBA::ORB_init(arguments);
  const auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  const auto mirror = CORBA::make_reference<Mirror>(orb);
  ObjectRef object = mirror->_this();
  if (std::find(argv, argv + argc, std::string_view("--bridge")) != argv + argc) {
    object = poa->id_to_reference(poa->activate_object(CORBA::make_reference<Bridge>(object)));
  }
  std::cout << orb->object_to_string(object) << std::endl;
  try {
    orb->run();
  } catch (const CORBA::BAD_INV_ORDER&) {  // the client was through before
  }
  orb->destroy();
  return 0;
} catch (const CORBA::Exception& exception) {
  std::cerr << exception << '\n';
  return 1;
}
