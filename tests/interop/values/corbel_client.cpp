// SPDX-License-Identifier: Apache-2.0
// The Corbel client of the value suite.
#include "corbel.hpp"

#include "../options.hpp"

namespace {

using namespace interop_values;  // NOLINT: one program

int failed = 0;
int passed = 0;

void check(bool good, const std::string& what) {
  std::cout << (good ? "ok " : "FAIL ") << what << '\n';
  ++(good ? passed : failed);
}

void check_text(const std::string& found, const std::string& expected) {
  check(found == expected, expected + (found == expected ? "" : ", found " + found));
}

void check_truncation(const Ref<Graph::Mirror>& mirror, const std::string& peer) {
  const auto inner = make<Graph::Derived>(9, "inner", std::int16_t{1}, make<Graph::Base>(1, "one"));
  const auto secret = make<Graph::Secret>(10, "secret", 1.5, inner, "more");
  check_text(mirror->describe(secret), "10 secret");
  check_text(describe(mirror->echo(secret)), "10 secret");
  if (peer == "omniorbpy") {
    std::cout << "skip truncated at the server: omniORBpy needs no factory of what its stubs know\n";
  } else {
    check(IDL::traits<Graph::Secret>::narrow(mirror->echo(secret)) == nullptr, "truncated at the server");
  }
  // JacORB does not skip the state of what it truncates: nothing can follow.
  const auto first = peer == "jacorb" ? Ref<Graph::Base>(make<Graph::Base>(1, "one")) : Ref<Graph::Base>(secret);
  const Graph::Pair pair(first, make<Graph::Base>(12, "after"), CORBA::make_reference<Graph::Text>("label"));
  const Graph::Pair back = mirror->two(pair);
  check_text(describe(back.first()) + " " + describe(back.second()) + " " + back.label()->_value(),
             (peer == "jacorb" ? "1 one" : "10 secret") + std::string(" 12 after label"));
}

void check_values(const Ref<Graph::Mirror>& mirror, const std::string& peer) {
  const auto base = make<Graph::Base>(1, "one");
  const auto derived = make<Graph::Derived>(2, "two", std::int16_t{3}, base);
  const auto plain = make<Graph::Plain>(4, "four", 0.5);
  const Ref<Graph::Derived> lone = make<Graph::Derived>(5, "five", std::int16_t{6}, nullptr);
  const auto ring = make<Graph::Derived>(7, "ring", std::int16_t{8}, base);
  for (const auto& value : {Ref<Graph::Base>(), Ref<Graph::Base>(base), Ref<Graph::Base>(derived),
                            Ref<Graph::Base>(plain), Ref<Graph::Base>(lone), Ref<Graph::Base>(ring)}) {
    check_text(mirror->describe(value), describe(value));
    check_text(describe(mirror->echo(value)), describe(value));
  }
  check(mirror->same(base, base) && !mirror->same(base, make<Graph::Base>(1, "one")), "shared between parameters");
  Ref<Graph::Base> b = derived, c;
  mirror->three(base, b, c);
  check_text(describe(b) + " " + describe(c), "1 one 2 two +3 (1 one)");
  check(b == IDL::traits<Graph::Derived>::narrow(c)->link(), "shared between results");

  if (peer == "glassfish") {
    std::cout << "skip truncation: GlassFish asks for a factory of the most derived type only\n";
  } else {
    check_truncation(mirror, peer);
  }
}

void check_graphs(const Ref<Graph::Mirror>& mirror) {
  const auto a = make<Graph::Node>("a", Graph::Nodes{});
  const auto b = make<Graph::Node>("b", Graph::Nodes{a, nullptr});
  a->edges({b, b, a});
  const auto back = mirror->graph(a);
  check(back->name() == "a" && back->edges().size() == 3 && back->edges()[0] == back->edges()[1] &&
            back->edges()[2] == back && back->edges()[0]->edges()[0] == back && back->edges()[0]->edges()[1] == nullptr,
        "a graph with circles");
  for (const auto& node : {Ref<Graph::Node>(a), Ref<Graph::Node>(b), back->edges()[0], back}) node->edges().clear();
}

void check_boxes(const Ref<Graph::Mirror>& mirror) {
  auto longs = Ref<Graph::Longs>(CORBA::make_reference<Graph::Longs>(std::vector<std::int32_t>{1, 2}));
  check_text(mirror->boxed(CORBA::make_reference<Graph::Text>("box"), longs)->_value(), "box");
  check(longs->_value() == std::vector<std::int32_t>{1, 2, 99}, "boxed sequence");
  longs = nullptr;
  check(mirror->boxed(nullptr, longs) == nullptr && longs == nullptr, "no boxes");
}

void check_things(const Ref<Graph::Mirror>& mirror) {
  bool is_value = false;
  const auto thing = mirror->what(make<Graph::ThingValue>(7), is_value);
  check(is_value && IDL::traits<Graph::ThingValue>::narrow(thing->_to_value())->n() == 7, "a value as a thing");
  const auto object = mirror->what(mirror, is_value);
  check(!is_value && object->_to_object()->_is_equivalent(mirror), "an object as a thing");
  check(mirror->what(nullptr, is_value) == nullptr && !is_value, "no thing");
}

void check_anys(const Ref<Graph::Mirror>& mirror, const std::string& peer) {
  const auto base = make<Graph::Base>(1, "one");
  CORBA::Any any;
  any <<= Ref<Graph::Base>(base);
  check_text(mirror->describe_any(any), "1 one");
  Ref<Graph::Base> back;
  check((mirror->echo_any(any) >>= back) && describe(back) == "1 one", "a value in an any");
  if (peer != "jacorb" && peer != "glassfish") {  // which look for a factory or a class of the box
    any <<= Ref<Graph::Text>(CORBA::make_reference<Graph::Text>("boxed"));
    check_text(mirror->describe_any(any), "boxed");
  }
  any <<= Ref<Graph::Derived>(make<Graph::Derived>(2, "two", std::int16_t{3}, base));
  Ref<Graph::Derived> derived;
  check((mirror->echo_any(any) >>= derived) && describe(derived) == "2 two +3 (1 one)",
        "a truncatable value in an any");
}

}  // namespace

int main(int argc, char** argv) try {
  auto orb = CORBA::ORB_init(argc, argv);
  register_factories(orb);
  register_factory<Graph::Secret>(orb);
  const interop::Options options = interop::parse_options(argc, argv);
  const auto mirror = IDL::traits<Graph::Mirror>::narrow(orb->string_to_object(options.ior));
  check_values(mirror, options.peer);
  check_graphs(mirror);
  if (options.peer != "jacorb") check_boxes(mirror);  // its skeletons read inout boxes without their tags
  check_things(mirror);
  check_anys(mirror, options.peer);
  mirror->shutdown();
  orb->destroy();
  std::cout << "done: " << passed << " passed, " << failed << " failed\n";
  return failed == 0 ? 0 : 1;
} catch (const CORBA::Exception& exception) {
  std::cout << "FAIL " << exception << '\n';
  return 1;
}
