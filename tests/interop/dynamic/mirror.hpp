// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <corbel/corbel.hpp>
#include <sstream>

#include "dynamic_any.hpp"
#include "dynamic_server.hpp"

/// The servant of the dynamic suite.
using OrbRef = IDL::traits<CORBA::ORB>::ref_type;

class Mirror final : public virtual CORBA::servant_traits<Dynamic::Mirror>::base_type {
 public:
  explicit Mirror(OrbRef orb) : orb_(std::move(orb)) {}

  CORBA::Any echo_any(const CORBA::Any& a, CORBA::Any& b, CORBA::Any& c) override {
    c = b;
    b = a;
    return a;
  }
  std::string describe(const CORBA::Any& a) override {
    std::ostringstream text;
    Dynamic::Point point;
    Dynamic::Node node;
    Dynamic::Choice choice;
    Dynamic::Money money;
    if (a >>= point) {
      text << "Point " << point.x() << ' ' << point.y();
    } else if (a >>= node) {
      text << "Node " << node.name() << ' ' << node.kids().size();
    } else if (a >>= choice) {
      text << "Choice " << (choice._d() == Dynamic::Colour::red ? choice.number() : -1);
    } else if (a >>= money) {
      text << "Money " << money;
    } else {
      text << '?';
    }
    return text.str();
  }
  CORBA::Any make(const std::string& what) override {
    CORBA::Any any;
    if (what == "Point") any <<= Dynamic::Point(1, -2);
    if (what == "Node") any <<= Dynamic::Node("root", {Dynamic::Node("a", {}), Dynamic::Node("b", {})});
    if (what == "Choice") {
      Dynamic::Choice choice;
      choice.spot(Dynamic::Point(3, 4));
      any <<= choice;
    }
    if (what == "Money") any <<= Dynamic::Money(std::string("1.25"));
    return any;
  }
  CORBA::typecode_reference echo_type(CORBA::typecode_reference t) override { return t; }
  bool same_type(CORBA::typecode_reference t, const CORBA::Any& a) override { return t->equal(a.type()); }
  Dynamic::Money twice(const Dynamic::Money& amount) override {
    if (amount < Dynamic::Money(0)) throw Dynamic::Oops("negative", Dynamic::Money(std::string("0.01")));
    return amount * Dynamic::Money(2);
  }
  void shutdown() override { orb_->shutdown(false); }

 private:
  OrbRef orb_;
};
