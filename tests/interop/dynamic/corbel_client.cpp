// SPDX-License-Identifier: Apache-2.0
// The Corbel client of the dynamic suite: what it makes, omniORB takes apart, and the other way round.
#include <corbel/corbel.hpp>
#include <corbel/dynamic/type_factory.hpp>
#include <iostream>

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

void run(const MirrorRef& mirror) {
  const Dynamic::Point point(1, -2);
  const Dynamic::Node node("root", {Dynamic::Node("a", {}), Dynamic::Node("b", {})});
  const Dynamic::Money money(std::string("1.25"));
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
  echo(mirror, money, "fixed");
  echo(mirror, 1.0L / 3, "long double");
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
  describe(mirror, money, "Money 1.25");
  describe(mirror, 1.5F, "?");
  made(mirror, "Point", point);
  made(mirror, "Node", node);
  made(mirror, "Choice", spot);
  made(mirror, "Money", money);
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

  check(mirror->twice(money) == Dynamic::Money(std::string("2.50")), "fixed");
  check(mirror->twice(Dynamic::Money(std::string("49999.99"))).to_string() == "99999.98", "large fixed");
  try {
    mirror->twice(Dynamic::Money(-1));
    check(false, "raises Oops");
  } catch (const Dynamic::Oops& oops) {
    check(oops.why() == "negative" && oops.cost().to_string() == "0.01", "Oops with fixed");
  }
}

}  // namespace

int main(int argc, char** argv) try {
  auto orb = CORBA::ORB_init(argc, argv);
  std::string ior;
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::string(argv[i]) == "--ior") ior = argv[i + 1];
  }
  const auto mirror = IDL::traits<Dynamic::Mirror>::narrow(orb->string_to_object(ior));
  run(mirror);
  mirror->shutdown();
  orb->destroy();
  std::cout << "done: " << passed << " passed, " << failed << " failed\n";
  return failed == 0 ? 0 : 1;
} catch (const CORBA::Exception& exception) {
  std::cout << "FAIL " << exception << '\n';
  return 1;
}
