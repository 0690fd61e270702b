// SPDX-License-Identifier: Apache-2.0
// The Corbel client of the dynamic suite: what it makes, omniORB takes apart, and the other way round.
#include <corbel/corbel.hpp>
#include <corbel/dynamic/dyn_any.hpp>
#include <corbel/dynamic/request.hpp>
#include <corbel/dynamic/type_factory.hpp>
#include <iostream>

#include "../options.hpp"
#include "dynamic_any.hpp"

namespace {

int failed = 0;
int passed = 0;

void check(bool good, const std::string& what) {
  std::cout << (good ? "ok " : "FAIL ") << what << '\n';
  ++(good ? passed : failed);
}

using MirrorRef = IDL::traits<Dynamic::Mirror>::ref_type;

template <class T>
void echo(const MirrorRef& mirror, const T& value, const std::string& what) {
  CORBA::Any any, b, c;
  any <<= value;
  b <<= std::string("b");
  const CORBA::Any result = mirror->echo_any(any, b, c);
  T back{};
  std::string text;
  check((result >>= back) && back == value, "echo_any " + what);
  check((b >>= back) && back == value && (c >>= text) && text == "b", "echo_any inout, out " + what);
  check(result.type()->equal(any.type()), "type of " + what);
}

template <class T>
void describe(const MirrorRef& mirror, const T& value, const std::string& expected) {
  CORBA::Any any;
  any <<= value;
  const std::string found = mirror->describe(any);
  check(found == expected, "describe " + expected + ": " + found);
}

template <class T>
void made(const MirrorRef& mirror, const std::string& what, const T& expected) {
  T value{};
  check((mirror->make(what) >>= value) && value == expected, "made " + what);
}

Dynamic::Choice choice(std::int32_t number) {
  Dynamic::Choice result;
  result.number(number);
  return result;
}

/// Whether the peer knows fixed; GlassFish's IDL compiler does not.
bool knows_fixed(const std::string& peer) {
  return peer != "glassfish";
}

void run_fixed(const MirrorRef& mirror) {
  const Dynamic::Money money(std::string("1.25"));
  echo(mirror, money, "fixed");
  describe(mirror, money, "Money 1.25");
  made(mirror, "Money", money);
  check(mirror->twice(money) == Dynamic::Money(std::string("2.50")), "fixed");
  check(mirror->twice(Dynamic::Money(std::string("49999.99"))).to_string() == "99999.98", "large fixed");
  try {
    mirror->twice(Dynamic::Money(-1));
    check(false, "raises Oops");
  } catch (const Dynamic::Oops& oops) {
    check(oops.why() == "negative" && oops.cost().to_string() == "0.01", "Oops with fixed");
  }
}

void run(const MirrorRef& mirror, const std::string& peer) {
  const Dynamic::Point point(1, -2);
  const Dynamic::Node node("root", {Dynamic::Node("a", {}), Dynamic::Node("b", {})});
  Dynamic::Choice wide, spot;
  wide.text(L"gr\u00fc\u00dfe \u4e2d");
  spot.spot(Dynamic::Point(3, 4));
  CORBA::Any inner;
  inner <<= point;

  echo(mirror, point, "struct");
  echo(mirror, node, "recursive struct");
  echo(mirror, choice(7), "union");
  echo(mirror, wide, "union with wstring");
  echo(mirror, Dynamic::Colour::blue, "enum");
  echo(mirror, Dynamic::Grid{{{1, 2, 3}, {4, 5, 6}}}, "array");
  // Which neither Java nor Python has.
  if (peer == "corbel" || peer == "omniorb") echo(mirror, 1.0L / 3, "long double");
  echo(mirror, std::vector<std::vector<double>>{{1.5}, {}, {2.5, 3.5}}, "nested sequence");
  echo(mirror, std::vector<CORBA::Any>{inner, CORBA::Any()}, "sequence of any");
  echo(mirror, std::vector<bool>{true, false}, "sequence of boolean");
  echo(mirror, std::vector<std::uint8_t>(10000, 7), "long sequence of octet");
  echo(mirror, std::wstring(L"gr\u00fc\u00dfe"), "wstring");
  echo(mirror, std::int64_t{-5000000000}, "long long");
  echo(mirror, 'c', "char");

  describe(mirror, point, "Point 1 -2");
  describe(mirror, node, "Node root 2");
  describe(mirror, choice(3), "Choice 3");
  describe(mirror, 1.5F, "?");
  made(mirror, "Point", point);
  made(mirror, "Node", node);
  made(mirror, "Choice", spot);
  check(mirror->make("nothing").type()->kind() == CORBA::TCKind::tk_null, "made an empty any");

  for (const auto& type : {CORBA::_tc_long, CORBA::_tc_any, CORBA::_tc_TypeCode, Dynamic::_tc_Node, Dynamic::_tc_Nodes,
                           Dynamic::_tc_Choice, Dynamic::_tc_Grid, Dynamic::_tc_Money, Dynamic::_tc_Oops,
                           Dynamic::_tc_Mirror, Dynamic::_tc_Colour}) {
    check(mirror->echo_type(type)->equal(type), "echo_type");
  }
  CORBA::Any any;
  any <<= node;
  check(mirror->same_type(Dynamic::_tc_Node, any), "same_type");
  check(!mirror->same_type(Dynamic::_tc_Point, any), "not same_type");
}

// --- without generated types ---

CORBA::object_reference<CORBA::Request> request(const MirrorRef& mirror, const std::string& operation,
                                                const CORBA::typecode_reference& result) {
  auto made = mirror->_request(operation);
  made->set_return_type(result);
  return made;
}

template <class T>
T value_of(const CORBA::Any& any) {
  T value{};
  if (!(any >>= value)) check(false, "the Any holds another type");
  return value;
}

std::string describe(const MirrorRef& mirror, const CORBA::object_reference<DynamicAny::DynAny>& dyn) {
  const auto call = request(mirror, "describe", CORBA::_tc_string);
  call->add_in_arg() <<= dyn->to_any();
  call->invoke();
  return value_of<std::string>(call->return_value());
}

/// DynAnys are made here and described there.
void run_dyn_any(const MirrorRef& mirror, const std::string& peer,
                 const CORBA::object_reference<DynamicAny::DynAnyFactory>& dynamics) {
  const auto point = dynamics->create_dyn_any_from_type_code(Dynamic::_tc_Point);
  point->insert_short(1);
  point->next();
  point->insert_long(-2);
  check(describe(mirror, point) == "Point 1 -2", "DynStruct");
  const auto choice =
      IDL::traits<DynamicAny::DynUnion>::narrow(dynamics->create_dyn_any_from_type_code(Dynamic::_tc_Choice));
  choice->member()->insert_long(5);
  check(describe(mirror, choice) == "Choice 5", "DynUnion");
  IDL::traits<DynamicAny::DynEnum>::narrow(choice->get_discriminator())->set_as_string("blue");
  choice->member()->insert_wstring(L"gr\u00fc\u00dfe");
  check(describe(mirror, choice) == "Choice -1", "DynUnion, default member");
  const auto node = dynamics->create_dyn_any_from_type_code(Dynamic::_tc_Node);
  node->insert_string("root");
  node->next();
  IDL::traits<DynamicAny::DynSequence>::narrow(node->current_component())->set_length(3);
  check(describe(mirror, node) == "Node root 3", "DynSequence");
  const auto money =
      IDL::traits<DynamicAny::DynFixed>::narrow(dynamics->create_dyn_any_from_type_code(Dynamic::_tc_Money));
  money->set_value("1.25");
  if (knows_fixed(peer)) check(describe(mirror, money) == "Money 1.25", "DynFixed");

  const auto made = IDL::traits<DynamicAny::DynStruct>::narrow(dynamics->create_dyn_any(mirror->make("Node")));
  const auto members = made->get_members_as_dyn_any();
  check(members.size() == 2 && members[0].value()->get_string() == "root", "an Any of the peer opened");
  check(members[1].value()->component_count() == 2, "its sequence");
  const auto kid = members[1].value()->current_component();
  check(kid->get_string() == "a", "what is in it");
  kid->insert_string("changed");
  check(value_of<Dynamic::Node>(made->to_any()).kids()[0].name() == "changed", "and changed");
}

void run_refused(const MirrorRef& mirror) {
  const auto refused = request(mirror, "twice", Dynamic::_tc_Money);
  refused->add_in_arg() <<= Dynamic::Money(-1);
  refused->exceptions() = {Dynamic::_tc_Oops};
  try {
    refused->invoke();
    check(false, "DII raises Oops");
  } catch (const CORBA::UnknownUserException& unknown) {
    check(value_of<Dynamic::Oops>(unknown.exception()).why() == "negative", "DII raises Oops");
  }
}

void run_requests(const MirrorRef& mirror, const std::string& peer) {
  CORBA::Any spot, text;
  spot <<= Dynamic::Point(3, 4);
  text <<= std::string("b");
  const auto echo = request(mirror, "echo_any", CORBA::_tc_any);
  echo->add_in_arg() <<= spot;
  echo->add_inout_arg() <<= text;
  echo->add_out_arg(CORBA::_tc_any);
  echo->invoke();
  check(value_of<CORBA::Any>(echo->return_value()) == spot, "DII result");
  check(value_of<CORBA::Any>(echo->arguments()[1].value) == spot, "DII inout");
  check(value_of<CORBA::Any>(echo->arguments()[2].value) == text, "DII out");

  if (knows_fixed(peer)) run_refused(mirror);
  const auto first = request(mirror, "make", CORBA::_tc_any), second = request(mirror, "make", CORBA::_tc_any);
  first->add_in_arg() <<= std::string("Point");
  second->add_in_arg() <<= std::string("Node");
  first->send_deferred();
  second->send_deferred();
  second->get_response();
  first->get_response();
  check(value_of<Dynamic::Point>(value_of<CORBA::Any>(first->return_value())) == Dynamic::Point(1, -2), "deferred");
  check(value_of<Dynamic::Node>(value_of<CORBA::Any>(second->return_value())).name() == "root", "deferred again");
}

}  // namespace

int main(int argc, char** argv) try {
  auto orb = CORBA::ORB_init(argc, argv);
  const interop::Options options = interop::parse_options(argc, argv);
  const auto mirror = IDL::traits<Dynamic::Mirror>::narrow(orb->string_to_object(options.ior));
  run(mirror, options.peer);
  if (knows_fixed(options.peer)) run_fixed(mirror);
  run_dyn_any(mirror, options.peer,
              IDL::traits<DynamicAny::DynAnyFactory>::narrow(orb->resolve_initial_references("DynAnyFactory")));
  run_requests(mirror, options.peer);
  mirror->shutdown();
  orb->destroy();
  std::cout << "done: " << passed << " passed, " << failed << " failed\n";
  return failed == 0 ? 0 : 1;
} catch (const CORBA::Exception& exception) {
  std::cout << "FAIL " << exception << '\n';
  return 1;
}
