// SPDX-License-Identifier: Apache-2.0
// The omniORB client of the dynamic suite: Anys and TypeCodes there and back, fixed, and calls without stubs (DII).
#include <cwchar>
#include <iostream>
#include <string>

#include "../options.hpp"
#include "dynamic.hh"

namespace {

int failed = 0;
int passed = 0;

void check(bool good, const std::string& what) {
  std::cout << (good ? "ok " : "FAIL ") << what << '\n';
  ++(good ? passed : failed);
}

std::string text_of(const CORBA::Fixed& value) {
  const CORBA::String_var text = value.NP_asString();
  return text.in();
}

DynamicAny::DynAnyFactory_var dynamics;  // of the ORB

/// Whether two Anys have the same type and, opened by omniORB, the same value.
bool same(const CORBA::Any& a, const CORBA::Any& b) {
  const CORBA::TypeCode_var type = a.type(), other = b.type();
  if (!type->equal(other)) return false;
  const DynamicAny::DynAny_var x = dynamics->create_dyn_any(a), y = dynamics->create_dyn_any(b);
  const bool equal = x->equal(y);
  x->destroy();
  y->destroy();
  return equal;
}

CORBA::Any text_any(const char* text) {
  CORBA::Any any;
  any <<= text;
  return any;
}

/// Of wide characters omniORB compares the octets that came with its own, which differ by the byte order mark.
bool same_wide(const CORBA::Any& a, const CORBA::Any& b) {
  const CORBA::WChar *x = nullptr, *y = nullptr;
  const Dynamic::Choice *one = nullptr, *other = nullptr;
  if ((a >>= CORBA::Any::to_wstring(x, 0)) && (b >>= CORBA::Any::to_wstring(y, 0))) return std::wcscmp(x, y) == 0;
  return (a >>= one) && (b >>= other) && one->_d() == other->_d() && std::wcscmp(one->text(), other->text()) == 0;
}

void echo(Dynamic::Mirror_ptr mirror, const CORBA::Any& any, const std::string& what,
          bool (*same_value)(const CORBA::Any&, const CORBA::Any&) = same) {
  CORBA::Any inout = text_any("b");
  CORBA::Any_var out, result = mirror->echo_any(any, inout, out.out());
  check(same_value(result, any), "echo_any " + what);
  check(same_value(inout, any) && same(out, text_any("b")), "echo_any inout, out " + what);
  const CORBA::TypeCode_var type = any.type(), back = mirror->echo_type(type);
  check(back->equal(type) && mirror->same_type(type, any), "type of " + what);
}

template <class T>
CORBA::Any any_of(const T& value) {
  CORBA::Any any;
  any <<= value;
  return any;
}

Dynamic::Point make_point(CORBA::Short x, CORBA::Long y) {
  Dynamic::Point point{};
  point.x = x;
  point.y = y;
  return point;
}

Dynamic::Node make_node() {
  Dynamic::Node node;
  node.name = "root";
  node.kids.length(2);
  node.kids[0].name = "a";
  node.kids[1].name = "b";
  return node;
}

Dynamic::Choice make_choice(CORBA::Long number) {
  Dynamic::Choice choice;
  choice.number(number);
  return choice;
}

CORBA::Any make_money(const char* text) {
  CORBA::Any any;
  any <<= CORBA::Any::from_fixed(CORBA::Fixed(text), 7, 2);
  return any;
}

template <class Any>
constexpr bool kNamesExceptions = requires {
  &Any::PR_marshalExceptionRepoId;
};

void check_anys(Dynamic::Mirror_ptr mirror) {
  Dynamic::Choice wide;
  wide.text(L"gr\u00fc\u00dfe \u4e2d");
  Dynamic::Grid grid = {{1, 2, 3}, {4, 5, 6}};
  Dynamic::Anys anys;
  anys.length(2);
  anys[0] <<= make_point(3, 4);
  CORBA::Any nested = any_of(any_of(make_choice(1)));
  CORBA::Any character, wide_text;
  character <<= CORBA::Any::from_char('c');
  wide_text <<= CORBA::Any::from_wstring(const_cast<CORBA::WChar*>(L"gr\u00fc\u00dfe"), 0);  // its signature; it copies

  echo(mirror, any_of(make_point(1, -2)), "struct");
  echo(mirror, any_of(make_node()), "recursive struct");
  echo(mirror, any_of(make_choice(7)), "union");
  echo(mirror, any_of(wide), "union with wstring", same_wide);
  echo(mirror, any_of(Dynamic::blue), "enum");
  echo(mirror, any_of(Dynamic::Grid_forany(grid, false)), "array");
  echo(mirror, make_money("1.25"), "fixed");
  echo(mirror, any_of(anys), "sequence of any");
  echo(mirror, nested, "any in an any");
  echo(mirror, wide_text, "wstring", same_wide);
  echo(mirror, any_of(CORBA::LongLong{-5000000000}), "long long");
  echo(mirror, character, "char");
  echo(mirror, any_of(CORBA::Object_ptr(mirror)), "reference");
  echo(mirror, any_of(CORBA::TypeCode_ptr(Dynamic::_tc_Node)), "TypeCode");
  if constexpr (kNamesExceptions<CORBA::Any>) {
    echo(mirror, any_of(Dynamic::Oops("why", CORBA::Fixed("0.01"))), "exception");
  } else {
    std::cout << "skip echo_any exception: omniORB 4.2 writes exceptions in Anys without their repository ids\n";
  }
  echo(mirror, CORBA::Any(), "nothing");
}

void check_texts(Dynamic::Mirror_ptr mirror) {
  const auto describe = [&](const CORBA::Any& any, const std::string& expected) {
    const CORBA::String_var found = mirror->describe(any);
    check(found.in() == expected, "describe " + expected);
  };
  describe(any_of(make_point(1, -2)), "Point 1 -2");
  describe(any_of(make_node()), "Node root 2");
  describe(any_of(make_choice(3)), "Choice 3");
  describe(make_money("1.25"), "Money 1.25");
  describe(any_of(CORBA::Float{1.5F}), "?");

  CORBA::Any_var any = mirror->make("Point");
  const Dynamic::Point* point = nullptr;
  check((any.in() >>= point) && point->x == 1 && point->y == -2, "echo_any made Point");
  any = mirror->make("Node");
  const Dynamic::Node* node = nullptr;
  check((any.in() >>= node) && node->kids.length() == 2 && std::string(node->kids[1].name.in()) == "b",
        "echo_any made Node");
  any = mirror->make("Choice");
  const Dynamic::Choice* choice = nullptr;
  check((any.in() >>= choice) && choice->_d() == Dynamic::green && choice->spot().y == 4, "echo_any made Choice");
  any = mirror->make("Money");
  CORBA::Fixed money;
  check((any.in() >>= CORBA::Any::to_fixed(money, 7, 2)) && text_of(money) == "1.25", "echo_any made Money");
  any = mirror->make("nothing");
  const CORBA::TypeCode_var type = any->type();
  check(type->kind() == CORBA::tk_null, "echo_any made an empty any");
}

void check_types(Dynamic::Mirror_ptr mirror) {
  for (const auto type : {CORBA::_tc_long, CORBA::_tc_any, CORBA::_tc_TypeCode, Dynamic::_tc_Node, Dynamic::_tc_Nodes,
                          Dynamic::_tc_Choice, Dynamic::_tc_Grid, Dynamic::_tc_Money, Dynamic::_tc_Oops,
                          Dynamic::_tc_Mirror, Dynamic::_tc_Colour}) {
    const CORBA::TypeCode_var back = mirror->echo_type(type);
    check(back->equal(type), "echo_type of kind " + std::to_string(type->kind()));
  }
  check(mirror->same_type(Dynamic::_tc_Node, any_of(make_node())), "same_type");
  check(!mirror->same_type(Dynamic::_tc_Point, any_of(make_node())), "not same_type");
  check(mirror->twice(CORBA::Fixed("1.25")) == CORBA::Fixed("2.50"), "fixed");
  check(text_of(mirror->twice(CORBA::Fixed("49999.99"))) == "99999.98", "large fixed");
  try {
    (void)mirror->twice(CORBA::Fixed("-1.00"));
    check(false, "fixed in an exception");
  } catch (const Dynamic::Oops& oops) {
    check(std::string(oops.why.in()) == "negative" && text_of(oops.cost) == "0.01", "fixed in an exception");
  }
}

// --- without generated types ---

void check_requests(CORBA::ORB_ptr orb, Dynamic::Mirror_ptr mirror) {
  const CORBA::Any spot = any_of(make_point(3, 4));
  CORBA::Request_var request = mirror->_request("echo_any");
  request->add_in_arg() <<= spot;
  request->add_inout_arg() <<= text_any("b");
  request->add_out_arg() <<= CORBA::Any();
  request->set_return_type(CORBA::_tc_any);
  request->invoke();
  const CORBA::Any* found = nullptr;
  check(request->env()->exception() == nullptr && (request->return_value() >>= found) && same(*found, spot),
        "DII result");
  check((*request->arguments()->item(1)->value() >>= found) && same(*found, spot), "DII inout");
  check((*request->arguments()->item(2)->value() >>= found) && same(*found, text_any("b")), "DII out");

  request = mirror->_request("twice");
  request->add_in_arg() = make_money("-1.00");
  request->set_return_type(Dynamic::_tc_Money);
  request->exceptions()->add(Dynamic::_tc_Oops);
  request->invoke();
  auto* unknown = CORBA::UnknownUserException::_downcast(request->env()->exception());
  const Dynamic::Oops* oops = nullptr;
  check(unknown != nullptr && (unknown->exception() >>= oops) && std::string(oops->why.in()) == "negative",
        "DII raises Oops");
  request = mirror->_request("no_such_operation");
  request->invoke();
  check(CORBA::BAD_OPERATION::_downcast(request->env()->exception()) != nullptr, "DII of an unknown operation");

  CORBA::Request_var first = mirror->_request("make"), second = mirror->_request("make");
  for (const auto& [made, what] : {std::pair(first.in(), "Point"), std::pair(second.in(), "Money")}) {
    made->add_in_arg() <<= what;
    made->set_return_type(CORBA::_tc_any);
    made->send_deferred();
  }
  second->get_response();
  first->get_response();
  const Dynamic::Point* point = nullptr;
  CORBA::Fixed money;
  check((first->return_value() >>= found) && (*found >>= point) && point->y == -2, "deferred");
  check(
      (second->return_value() >>= found) && (*found >>= CORBA::Any::to_fixed(money, 7, 2)) && text_of(money) == "1.25",
      "deferred again");
  CORBA::ORB::RequestSeq several;
  several.length(2);
  for (CORBA::ULong i = 0; i < several.length(); ++i) {
    several[i] = mirror->_request("describe");
    several[i]->add_in_arg() <<= any_of(make_choice(static_cast<CORBA::Long>(i)));
    several[i]->set_return_type(CORBA::_tc_string);
  }
  orb->send_multiple_requests_deferred(several);
  bool good = true;
  for (CORBA::ULong i = 0; i < several.length(); ++i) {
    const char* text = nullptr;
    several[i]->get_response();
    good = good && (several[i]->return_value() >>= text) && text == "Choice " + std::to_string(i);
  }
  check(good, "deferred, several at once");
}

}  // namespace

int main(int argc, char** argv) try {
  const interop::Options options = interop::parse_options(argc, argv);
  CORBA::ORB_var orb = CORBA::ORB_init(argc, argv);
  const CORBA::Object_var factory = orb->resolve_initial_references("DynAnyFactory");
  dynamics = DynamicAny::DynAnyFactory::_narrow(factory);
  const CORBA::Object_var object = orb->string_to_object(options.ior.c_str());
  const Dynamic::Mirror_var mirror = Dynamic::Mirror::_narrow(object);
  check_anys(mirror);
  check_texts(mirror);
  check_types(mirror);
  check_requests(orb, mirror);
  mirror->shutdown();
  orb->destroy();
  std::cout << "done: " << passed << " passed, " << failed << " failed\n";
  return failed == 0 ? 0 : 1;
} catch (const CORBA::Exception& exception) {
  std::cout << "FAIL run: " << exception._name() << '\n';
  return 1;
}
