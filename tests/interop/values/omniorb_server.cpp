// SPDX-License-Identifier: Apache-2.0
// The omniORB server of the value suite.
#include <unistd.h>

#include "omniorb.hpp"

namespace {

using namespace interop_values;  // NOLINT: one program

class Mirror : public POA_Graph::Mirror {
 public:
  explicit Mirror(CORBA::ORB_ptr orb) : orb_(CORBA::ORB::_duplicate(orb)) {}

  Graph::Base* echo(Graph::Base* v) override { return share(v); }
  char* describe(Graph::Base* v) override { return CORBA::string_dup(interop_values::describe(v).c_str()); }
  void three(Graph::Base* a, Graph::Base*& b, Graph::Base_out c) override {
    c = b;
    b = share(a);
  }
  CORBA::Boolean same(Graph::Base* a, Graph::Base* b) override { return a == b; }
  Graph::Node* graph(Graph::Node* n) override { return share(n); }
  Graph::Text* boxed(Graph::Text* t, Graph::Longs*& l) override {
    if (l != nullptr) {
      const CORBA::ULong length = l->_value().length();
      l->_value().length(length + 1);
      l->_value()[length] = 99;
    }
    return share(t);
  }
  Graph::Pair* two(const Graph::Pair& p) override { return new Graph::Pair(p); }
  Graph::Thing_ptr what(Graph::Thing_ptr t, CORBA::Boolean_out is_value) override {
    is_value = !CORBA::is_nil(t) && t->_to_value() != nullptr;
    return Graph::Thing::_duplicate(t);
  }
  CORBA::Any* echo_any(const CORBA::Any& a) override { return new CORBA::Any(a); }
  char* describe_any(const CORBA::Any& a) override {
    Graph::Base* base = nullptr;
    Graph::Text* text = nullptr;
    if (a >>= base) return CORBA::string_dup(interop_values::describe(base).c_str());
    return CORBA::string_dup((a >>= text) ? text->_value() : "?");
  }
  void shutdown() override { orb_->shutdown(false); }

 private:
  CORBA::ORB_var orb_;
};

}  // namespace

int main(int argc, char** argv) {
  alarm(120);
  const char* options[][2] = {{"endPoint", "giop:tcp:127.0.0.1:0"}, {nullptr, nullptr}};
  CORBA::ORB_var orb = CORBA::ORB_init(argc, argv, "omniORB4", options);
  register_factories(orb);
  CORBA::Object_var root = orb->resolve_initial_references("RootPOA");
  PortableServer::POA_var poa = PortableServer::POA::_narrow(root);
  PortableServer::Servant_var<Mirror> mirror = new Mirror(orb);
  PortableServer::ObjectId_var id = poa->activate_object(mirror);
  CORBA::Object_var object = mirror->_this();
  PortableServer::POAManager_var manager = poa->the_POAManager();
  manager->activate();
  CORBA::String_var ior = orb->object_to_string(object);
  std::cout << ior.in() << std::endl;
  try {
    orb->run();
  } catch (const CORBA::BAD_INV_ORDER&) {  // the client was through before
  }
  try {
    orb->destroy();
  } catch (const CORBA::BAD_INV_ORDER&) {  // the thread that shuts down is sometimes not through when run() returns
  }
  return 0;
}
