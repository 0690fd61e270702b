// SPDX-License-Identifier: Apache-2.0
// The omniORB client of the value suite.
#include "omniorb.hpp"

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

template <class I, class V>
I* filled(V, CORBA::Long a, const char* s) {
  I* value = new I;
  value->a(a);
  value->s(s);
  return value;
}

Graph::Base_var make_base(CORBA::Long a, const char* s) {
  return filled<BaseImpl>(0, a, s);
}
template <class I>
I* make_derived(CORBA::Long a, const char* s, CORBA::Short extra, Graph::Base* link) {
  I* value = filled<I>(0, a, s);
  value->extra(extra);
  value->link(link);
  return value;
}

void check_values(Graph::Mirror_ptr mirror) {
  Graph::Base_var base = make_base(1, "one");
  Graph::Derived_var derived = make_derived<DerivedImpl>(2, "two", 3, base);
  Graph::Derived_var lone = make_derived<DerivedImpl>(5, "five", 6, nullptr);
  PlainImpl* four = filled<PlainImpl>(0, 4, "four");
  four->d(0.5);
  Graph::Plain_var plain = four;
  for (Graph::Base* value : {static_cast<Graph::Base*>(nullptr), base.in(), static_cast<Graph::Base*>(derived.in()),
                             static_cast<Graph::Base*>(plain.in()), static_cast<Graph::Base*>(lone.in())}) {
    CORBA::String_var text = mirror->describe(value);
    check_text(text.in(), describe(value));
    Graph::Base_var back = mirror->echo(value);
    check_text(describe(back), describe(value));
  }
  Graph::Base_var other = make_base(1, "one");
  check(mirror->same(base, base) && !mirror->same(base, other), "shared between parameters");
  Graph::Base_var b = share(static_cast<Graph::Base*>(derived.in())), c;
  mirror->three(base, b.inout(), c.out());
  check_text(describe(b) + " " + describe(c), "1 one 2 two +3 (1 one)");
  check(b.in() == Graph::Derived::_downcast(c)->link(), "shared between results");

  SecretImpl* hidden = filled<SecretImpl>(0, 10, "secret");
  hidden->d(1.5);
  Graph::Derived_var inner = make_derived<DerivedImpl>(9, "inner", 1, base);
  hidden->inner(inner);
  hidden->more("more");
  Graph::Secret_var secret = hidden;
  CORBA::String_var text = mirror->describe(secret);
  check_text(text.in(), "10 secret");
  Graph::Pair pair;
  pair.first = share(static_cast<Graph::Base*>(secret.in()));
  pair.second = make_base(12, "after");
  pair.label = new Graph::Text("label");
  Graph::Pair_var back = mirror->two(pair);
  check_text(describe(back->first) + " " + describe(back->second) + " " + back->label->_value(),
             "10 secret 12 after label");
}

void check_graphs(Graph::Mirror_ptr mirror) {
  Graph::Node_var a = new NodeImpl, b = new NodeImpl;
  a->name("a");
  b->name("b");
  b->edges().length(2);
  b->edges()[0] = share(a.in());
  a->edges().length(3);
  a->edges()[0] = share(b.in());
  a->edges()[1] = share(b.in());
  a->edges()[2] = share(a.in());
  Graph::Node_var back = mirror->graph(a);
  check(std::string(back->name()) == "a" && back->edges().length() == 3 &&
            back->edges()[0].in() == back->edges()[1].in() && back->edges()[2].in() == back.in() &&
            back->edges()[0]->edges()[0].in() == back.in() && back->edges()[0]->edges()[1].in() == nullptr,
        "a graph with circles");
}

/// Larger than omniORB's buffers: in GIOP 1.1 and 1.2 it goes in fragments.
void check_large_graph(Graph::Mirror_ptr mirror) {
  constexpr CORBA::ULong kNodes = 2000;
  Graph::Node_var root = new NodeImpl;
  root->name("root");
  root->edges().length(kNodes);
  for (CORBA::ULong i = 0; i < kNodes; ++i) {
    root->edges()[i] = new NodeImpl;
    root->edges()[i]->name(std::to_string(i).c_str());
    root->edges()[i]->edges().length(2);
    root->edges()[i]->edges()[0] = share(root.in());
    root->edges()[i]->edges()[1] = share(root->edges()[0].in());
  }
  Graph::Node_var back = mirror->graph(root);
  bool good = back->edges().length() == kNodes;
  for (CORBA::ULong i = 0; good && i < kNodes; ++i) {
    Graph::Node* node = back->edges()[i];
    good = node->name() == std::to_string(i) && node->edges()[0].in() == back.in() &&
           node->edges()[1].in() == back->edges()[0].in();
  }
  check(good, "a large graph");
}

void check_others(Graph::Mirror_ptr mirror) {
  Graph::Text_var text = new Graph::Text("box");
  Graph::Longs_var longs = new Graph::Longs;
  longs->_value().length(2);
  longs->_value()[0] = 1;
  longs->_value()[1] = 2;
  Graph::Text_var boxed = mirror->boxed(text, longs.inout());
  check_text(boxed->_value(), "box");
  check(longs->_value().length() == 3 && longs->_value()[2] == 99, "boxed sequence");

  CORBA::Boolean is_value = false;
  ThingImpl* seven = new ThingImpl;
  seven->n(7);
  Graph::ThingValue_var value = seven;
  Graph::Thing_var thing = mirror->what(seven, is_value);
  CORBA::ValueBase* found = thing->_to_value();
  check(is_value && found != nullptr && Graph::ThingValue::_downcast(found)->n() == 7, "a value as a thing");
  Graph::Thing_var object = mirror->what(mirror, is_value);
  CORBA::Object_var same = object->_to_object();
  check(!is_value && !CORBA::is_nil(same) && same->_is_equivalent(mirror), "an object as a thing");
  Graph::Thing_var none = mirror->what(Graph::Thing::_nil(), is_value);
  check(CORBA::is_nil(none) && !is_value, "no thing");
}

void check_anys(Graph::Mirror_ptr mirror) {
  CORBA::Any any;
  Graph::Base_var base = make_base(1, "one");
  any <<= base.in();
  CORBA::String_var text = mirror->describe_any(any);
  check_text(text.in(), "1 one");
  CORBA::Any_var back = mirror->echo_any(any);
  Graph::Base* found = nullptr;
  check((back.in() >>= found) && describe(found) == "1 one", "a value in an any");
  Graph::Text_var boxed = new Graph::Text("boxed");
  any <<= boxed.in();
  text = mirror->describe_any(any);
  check_text(text.in(), "boxed");
  Graph::Derived_var derived = make_derived<DerivedImpl>(2, "two", 3, base);
  any <<= derived.in();
  back = mirror->echo_any(any);
  Graph::Derived* twice = nullptr;
  check((back.in() >>= twice) && describe(twice) == "2 two +3 (1 one)", "a truncatable value in an any");
}

}  // namespace

int main(int argc, char** argv) try {
  const interop::Options options = interop::parse_options(argc, argv);
  const std::string giop = "1." + std::to_string(options.giop_minor);
  const char* settings[][2] = {{"maxGIOPVersion", giop.c_str()}, {nullptr, nullptr}};
  CORBA::ORB_var orb = CORBA::ORB_init(argc, argv, "omniORB4", settings);
  register_factories(orb);
  CORBA::Object_var object = orb->string_to_object(options.ior.c_str());
  Graph::Mirror_var mirror = Graph::Mirror::_narrow(object);
  check_values(mirror);
  check_graphs(mirror);
  check_large_graph(mirror);
  check_others(mirror);
  check_anys(mirror);
  mirror->shutdown();
  orb->destroy();
  std::cout << "done: " << passed << " passed, " << failed << " failed\n";
  return failed == 0 ? 0 : 1;
} catch (const CORBA::Exception& exception) {
  std::cout << "FAIL " << exception._name() << '\n';
  return 1;
}
