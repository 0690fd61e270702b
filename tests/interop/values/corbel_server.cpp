// SPDX-License-Identifier: Apache-2.0
// The Corbel server of the value suite.
#include <unistd.h>

#include "corbel.hpp"
#include "values_server.hpp"

namespace {

using namespace interop_values;  // NOLINT: one program

class Mirror : public virtual CORBA::servant_traits<Graph::Mirror>::base_type {
 public:
  explicit Mirror(IDL::traits<CORBA::ORB>::ref_type orb) : orb_(std::move(orb)) {}

  Ref<Graph::Base> echo(Ref<Graph::Base> v) override { return v; }
  std::string describe(Ref<Graph::Base> v) override { return interop_values::describe(v); }
  void three(Ref<Graph::Base> a, Ref<Graph::Base>& b, Ref<Graph::Base>& c) override {
    c = b;
    b = a;
  }
  bool same(Ref<Graph::Base> a, Ref<Graph::Base> b) override { return a == b; }
  Ref<Graph::Node> graph(Ref<Graph::Node> n) override { return n; }
  Ref<Graph::Text> boxed(Ref<Graph::Text> t, Ref<Graph::Longs>& l) override {
    if (l != nullptr) l->_value().push_back(99);
    return t;
  }
  Graph::Pair two(const Graph::Pair& p) override { return p; }
  Ref<Graph::Thing> what(Ref<Graph::Thing> t, bool& is_value) override {
    is_value = t != nullptr && t->_to_value() != nullptr;
    return t;
  }
  CORBA::Any echo_any(const CORBA::Any& a) override { return a; }
  std::string describe_any(const CORBA::Any& a) override {
    Ref<Graph::Base> base;
    Ref<Graph::Text> text;
    if (a >>= base) return interop_values::describe(base);
    return (a >>= text) ? text->_value() : "?";
  }
  void shutdown() override { orb_->shutdown(false); }

 private:
  IDL::traits<CORBA::ORB>::ref_type orb_;
};

}  // namespace

int main(int argc, char** argv) try {
  alarm(120);
  std::vector<std::string> arguments(argv, argv + argc);
  arguments.insert(arguments.end(), {"-ORBListenEndpoints", "tcp://127.0.0.1:0"});
  auto orb = CORBA::ORB_init(arguments);
  register_factories(orb);
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  auto mirror = CORBA::make_reference<Mirror>(orb);
  auto reference = mirror->_this();
  poa->the_POAManager()->activate();
  std::cout << orb->object_to_string(reference) << std::endl;
  try {
    orb->run();
  } catch (const CORBA::BAD_INV_ORDER&) {  // the client was through before
  }
  orb->destroy();
  return 0;
} catch (const CORBA::Exception& exception) {
  std::cerr << "server: " << exception << '\n';
  return 1;
}
