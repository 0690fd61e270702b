// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "collocated_server.hpp"
#include "corbel/messaging/giop/giop.hpp"
#include "corbel/orb/components.hpp"
#include "corbel/orb/orb.hpp"
#include "corbel/poa/adapter.hpp"
#include "corbel/poa/poa.hpp"
#include "corbel/transport/inproc/inproc.hpp"

/// Servants of two interfaces that are easily mistaken for each other, and calls on one of them.
namespace corbel::collocated_test {

using OrbRef = IDL::traits<CORBA::ORB>::ref_type;
using PoaRef = IDL::traits<PortableServer::POA>::ref_type;
using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
using PeerRef = IDL::traits<One::Peer>::ref_type;

/// Where the last item that was taken lay.
inline const void* seen_item = nullptr;

class First : public virtual CORBA::servant_traits<One::Peer>::base_type {
 public:
  std::int32_t read() override { return 5; }
  std::string number() override { return "five"; }
  std::int32_t twice(std::int32_t n) override { return 2 * n; }
  std::int32_t take(const One::Item& i) override {
    seen_item = &i;
    return i.a() + i.b();
  }
  void fail() override { throw One::Oops("first"); }
  void fail_otherwise() override { throw One::Oops("first otherwise"); }
  std::int32_t level() override { return 7; }
  void level(std::int32_t) override {}
  void note(const std::string&) override {}
  void swap(One::Item& i, std::int32_t& n) override {
    n = i.a();
    i = One::Item(i.b(), i.a());
  }
  std::int32_t feel(One::Mood m) override { return static_cast<std::int32_t>(m); }
  One::Strings list() override { return {"a", "b"}; }
  void put(const One::Numbers&) override {}
  ObjectRef self() override { return _this(); }
  void more(std::int32_t) override {}
  void less(std::int32_t, std::int32_t) override {}
  std::int32_t bounded(const IDL::bounded_string<3>& text) override { return static_cast<std::int32_t>(text.size()); }
  std::int32_t view(std::span<const std::uint32_t> n) override { return static_cast<std::int32_t>(n.size()); }
  CORBA::Any anything(const CORBA::Any& a) override { return a; }
  PeerRef same(PeerRef p) override { return p; }
};

class Second : public virtual CORBA::servant_traits<Two::Peer>::base_type {
 public:
  std::string read() override { return "a text that is too long for a small string, and more than a long"; }
  std::int32_t number() override { return 77; }
  std::string twice(const std::string& n) override { return n + n; }
  std::int32_t take(const Two::Item& i) override { return static_cast<std::int32_t>(i.a().size() + i.b().size()); }
  void fail() override { throw Two::Oops(1); }
  void fail_otherwise() override { throw Two::Alas("alas"); }
  std::string level() override { return "level"; }
  void level(const std::string&) override {}
  void note(std::int32_t) override {}
  void swap(Two::Item& i, std::string& n) override {
    n = i.a();
    i.a(i.b());
  }
  std::int32_t feel(Two::Mood m) override { return static_cast<std::int32_t>(m); }
  Two::Longs list() override { return {1, 2, 3}; }
  void put(const Two::Node&) override {}
  std::int32_t self() override { return 3; }
  void more(std::int32_t a, const std::string& b) override { last = std::to_string(a) + b; }
  void less(std::int32_t a) override { last = std::to_string(a); }
  std::int32_t bounded(const IDL::bounded_string<7>& text) override { return static_cast<std::int32_t>(text.size()); }
  std::int32_t view(const Two::Numbers& n) override { return static_cast<std::int32_t>(n.size()); }
  std::int32_t anything(const std::string& a) override { return static_cast<std::int32_t>(a.size()); }
  IDL::traits<Two::Peer>::ref_type same(IDL::traits<Two::Peer>::ref_type p) override { return p; }

  std::string last;
};

/// What came of a call, as text.
template <class Action>
std::string outcome(const Action& action) {
  try {
    return action();
  } catch (const One::Oops& oops) {
    return "Oops " + oops.why();
  } catch (const CORBA::SystemException& exception) {
    return std::string(exception._name()) + " " + std::to_string(exception.minor() & 0xfffU);
  } catch (const CORBA::UserException& exception) {
    return std::string("another ") + exception._rep_id();
  }
}

/// Numbers that are a node in a node in a node for a caller that reads them as such.
inline One::Numbers deep(std::size_t depth) {
  One::Numbers numbers(depth, 1);
  numbers.back() = 0;
  return numbers;
}

using Action = std::string (*)(One::Peer&);
/// By name of the operation.
inline const std::map<std::string, Action> kActions = {
    {"read", [](One::Peer& peer) { return std::to_string(peer.read()); }},
    {"number", [](One::Peer& peer) { return peer.number(); }},
    {"twice", [](One::Peer& peer) { return std::to_string(peer.twice(21)); }},
    {"take", [](One::Peer& peer) { return std::to_string(peer.take(One::Item(1, 2))); }},
    {"fail", [](One::Peer& peer) { return peer.fail(), std::string("none"); }},
    {"fail_otherwise", [](One::Peer& peer) { return peer.fail_otherwise(), std::string("none"); }},
    {"_get_level", [](One::Peer& peer) { return std::to_string(peer.level()); }},
    {"_set_level", [](One::Peer& peer) { return peer.level(8), std::string("none"); }},
    {"note", [](One::Peer& peer) { return peer.note("hello"), std::string("none"); }},
    {"swap",
     [](One::Peer& peer) {
       One::Item item(3, 4);
       std::int32_t n = 0;
       peer.swap(item, n);
       return std::to_string(n) + " " + std::to_string(item.a()) + " " + std::to_string(item.b());
     }},
    {"feel", [](One::Peer& peer) { return std::to_string(peer.feel(One::Mood::bad)); }},
    {"list", [](One::Peer& peer) { return std::to_string(peer.list().size()); }},
    {"put", [](One::Peer& peer) { return peer.put(deep(1'000'000)), std::string("none"); }},
    {"self", [](One::Peer& peer) { return std::string(peer.self() == nullptr ? "nil" : "an object"); }},
    {"more", [](One::Peer& peer) { return peer.more(1), std::string("none"); }},
    {"less", [](One::Peer& peer) { return peer.less(1, 2), std::string("none"); }},
    {"bounded", [](One::Peer& peer) { return std::to_string(peer.bounded(std::string("abc"))); }},
    {"view",
     [](One::Peer& peer) {
       return std::to_string(peer.view(One::Numbers{1, 2, 3}));
     }},
    {"same", [](One::Peer& peer) { return std::string(peer.same(nullptr) == nullptr ? "nil" : "a peer"); }},
    {"async_read", [](One::Peer& peer) { return std::to_string(peer.async_read().get()); }},
    {"async_twice", [](One::Peer& peer) { return std::to_string(peer.async_twice(4).get()); }},
    {"async_fail", [](One::Peer& peer) { return peer.async_fail().get(), std::string("none"); }},
};

inline OrbRef make_orb(const std::string& id, const std::string& collocation) {
  static const auto hub = transport::make_inproc_hub();
  std::vector<std::string> arguments = {"-ORBListenEndpoints", "inproc://", "-ORBCollocation", collocation};
  return orb::init(arguments, id, {{messaging::make_giop()}, {transport::make_inproc(hub)}, &poa::make_adapter});
}

/// An ORB with one servant of each kind.
struct Server {
  explicit Server(const std::string& id, const std::string& collocation) : orb(make_orb(id, collocation)) {
    poa->the_POAManager()->activate();
  }
  ~Server() { orb->destroy(); }

  template <class S>
  ObjectRef serve(CORBA::servant_reference<S> servant) {
    return poa->id_to_reference(poa->activate_object(servant));
  }

  OrbRef orb;
  PoaRef poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  ObjectRef first = serve(CORBA::make_reference<First>());
  ObjectRef second = serve(CORBA::make_reference<Second>());
};

inline PeerRef as_peer(const ObjectRef& object) {
  return IDL::traits<One::Peer>::unchecked_narrow(object);
}

}  // namespace corbel::collocated_test
