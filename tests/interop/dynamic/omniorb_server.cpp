// SPDX-License-Identifier: Apache-2.0
// The omniORB server of the dynamic suite.
#include <unistd.h>

#include <iostream>
#include <sstream>
#include <string>

#include "dynamic.hh"

namespace {

std::string text_of(const CORBA::Fixed& value) {
  CORBA::String_var text = value.NP_asString();
  return text.in();
}

class Mirror : public POA_Dynamic::Mirror {
 public:
  explicit Mirror(CORBA::ORB_ptr orb) : orb_(CORBA::ORB::_duplicate(orb)) {}

  CORBA::Any* echo_any(const CORBA::Any& a, CORBA::Any& b, CORBA::Any_OUT_arg c) override {
    c = new CORBA::Any(b);
    b = a;
    return new CORBA::Any(a);
  }
  char* describe(const CORBA::Any& a) override {
    std::ostringstream text;
    const Dynamic::Point* point;
    const Dynamic::Node* node;
    const Dynamic::Choice* choice;
    CORBA::Fixed money;
    if (a >>= point) {
      text << "Point " << point->x << ' ' << point->y;
    } else if (a >>= node) {
      text << "Node " << node->name << ' ' << node->kids.length();
    } else if (a >>= choice) {
      text << "Choice " << (choice->_d() == Dynamic::red ? choice->number() : -1);
    } else if (a >>= CORBA::Any::to_fixed(money, 7, 2)) {
      text << "Money " << text_of(money);
    } else {
      text << '?';
    }
    return CORBA::string_dup(text.str().c_str());
  }
  CORBA::Any* make(const char* what) override {
    CORBA::Any_var any = new CORBA::Any;
    const std::string name = what;
    if (name == "Point") {
      Dynamic::Point point = {1, -2};
      any.inout() <<= point;
    } else if (name == "Node") {
      Dynamic::Node node;
      node.name = "root";
      node.kids.length(2);
      node.kids[0].name = "a";
      node.kids[1].name = "b";
      any.inout() <<= node;
    } else if (name == "Choice") {
      Dynamic::Choice choice;
      choice.spot(Dynamic::Point{3, 4});
      any.inout() <<= choice;
    } else if (name == "Money") {
      any.inout() <<= CORBA::Any::from_fixed(CORBA::Fixed("1.25"), 7, 2);
    }
    return any._retn();
  }
  CORBA::TypeCode_ptr echo_type(CORBA::TypeCode_ptr t) override { return CORBA::TypeCode::_duplicate(t); }
  CORBA::Boolean same_type(CORBA::TypeCode_ptr t, const CORBA::Any& a) override {
    CORBA::TypeCode_var type = a.type();
    return t->equal(type);
  }
  Dynamic::Money twice(const Dynamic::Money& amount) override {
    if (amount < CORBA::Fixed(0)) throw Dynamic::Oops("negative", CORBA::Fixed("0.01"));
    return amount * CORBA::Fixed(2);
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
  orb->destroy();
  return 0;
}
