// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "interop_server.hpp"
#include "session.hpp"

namespace interop {
namespace {

/// Whether it is gone, or soon is: over a bridge the requests to it ran in other threads of the server, the last of
/// which may not have left it yet.
bool gone(Interop::Node& node) {
  for (int look = 0; look < 100; ++look) {
    if (node._non_existent()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

/// The client's own object: recurses into the server that calls it.
class CallbackServant : public virtual CORBA::servant_traits<Interop::Callback>::base_type {
 public:
  explicit CallbackServant(SuiteRef suite) : suite_(std::move(suite)) {}

  std::string notify(const std::string& text, std::int32_t depth) override {
    if (depth < 0) throw Interop::Empty();
    return depth == 0 ? text : suite_->call_back(_this(), text, depth - 1);
  }

  void poke(std::int32_t amount) override {
    const std::lock_guard lock(mutex_);
    pokes_ += amount;
    changed_.notify_all();
  }

  bool wait_for_pokes(std::int32_t expected) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(10), [&] { return pokes_ == expected; });
  }

 private:
  SuiteRef suite_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::int32_t pokes_ = 0;
};

void check_identity(Session& s) {
  s.report.run("is_a", [&] {
    for (const std::string_view id :
         {Suite::_interface_id, Interop::Basic::_interface_id, Interop::References::_interface_id,
          Interop::Node::_interface_id, std::string_view("IDL:omg.org/CORBA/Object:1.0")}) {
      require(s.suite->_is_a(std::string(id)), std::string(id));
    }
    require(Interop::Node::_interface_id == "IDL:corbel.test/Interop/Node:2.1", "the version pragma");
    // Asked through a reference whose static type does not know the answer.
    const NodeRef self = s.suite->self();
    require(self->_is_a(std::string(Interop::Sequences::_interface_id)), "Sequences");
    require(!self->_is_a("IDL:corbel.test/Interop/Callback:1.0"), "Callback");
    require(!self->_is_a("IDL:corbel.test/Interop/Node:9.9"), "Node 9.9");
  });
  s.report.run("narrow", [&] {
    const NodeRef self = s.suite->self();
    const auto failing = IDL::traits<Interop::Failing>::narrow(self);
    require(failing != nullptr && failing->name() == "suite", "to a base beside");
    const SuiteRef suite = IDL::traits<Suite>::narrow(self);
    require(suite != nullptr && suite->module() == 77, "to the most derived");
    require(IDL::traits<Interop::Callback>::narrow(self) == nullptr, "to a stranger gives nil");
  });
  s.report.run("non_existent", [&] {
    require(!s.suite->_non_existent(), "the suite exists");
    const NodeRef node = s.suite->make_node("short-lived");
    require(node->name() == "short-lived" && !node->_non_existent(), "made");
    s.suite->destroy_node(node);
    require(gone(*node), "destroyed");
    try {
      node->ping();
    } catch (const CORBA::OBJECT_NOT_EXIST&) {
      return;
    }
    throw CheckFailed("a destroyed object answered");
  });
}

void check_single_references(Session& s) {
  s.report.run("echo_node", [&] {
    const NodeRef made = s.suite->make_node("made");
    NodeRef inout = s.suite->self(), out;
    NodeRef result = s.suite->echo_node(made, inout, out);
    require(result->name() == "made" && inout->name() == "made" && out->name() == "suite", "names");
    require(result->_is_equivalent(made), "equivalent");
    inout.reset();
    result = s.suite->echo_node(nullptr, inout, out);
    require(result == nullptr && inout == nullptr && out == nullptr, "nil stays nil");
  });
  s.report.run("echo_object", [&] {
    const ObjectRef foreign = s.orb->string_to_object("corbaloc::1.2@127.0.0.1:9/no/such%20key");
    ObjectRef inout = s.suite->self(), out;
    ObjectRef result = s.suite->echo_object(foreign, inout, out);
    require(result->_is_equivalent(foreign),
            s.orb->object_to_string(foreign) + " became " + s.orb->object_to_string(result));
    require(IDL::traits<Interop::Node>::narrow(out)->name() == "suite", "out");
    inout.reset();
    result = s.suite->echo_object(nullptr, inout, out);
    require(result == nullptr && inout == nullptr && out == nullptr, "nil stays nil");
  });
  s.report.run("favourite", [&] {
    require(s.suite->favourite() == nullptr, "nil at first");
    s.suite->favourite(s.suite->self());
    require(s.suite->favourite()->name() == "suite", "set");
    s.suite->favourite(nullptr);
  });
  s.report.run("name_of", [&] {
    require(s.suite->name_of(nullptr) == "nil", "nil");
    require(s.suite->name_of(s.suite->self()) == "suite", "self");
  });
  s.report.run("stringified", [&] {
    const std::string text = s.orb->object_to_string(s.suite->make_node("text"));
    require(IDL::traits<Interop::Node>::narrow(s.orb->string_to_object(text))->name() == "text", "round trip");
  });
}

void check_nested_references(Session& s) {
  s.report.run("echo_node_seq", [&] {
    const Interop::NodeSeq a{s.suite->make_node("one"), nullptr, s.suite->self()};
    Interop::NodeSeq b{nullptr, s.suite->make_node("two")}, out;
    const Interop::NodeSeq result = s.suite->echo_node_seq(a, b, out);
    require(result.size() == 3 && result[0]->name() == "one" && result[1] == nullptr, "result");
    require(b.size() == 3 && b[2]->name() == "suite", "inout");
    require(out.size() == 2 && out[0]->name() == "two" && out[1] == nullptr, "out");
  });
  s.report.run("echo_link", [&] {
    const Interop::Link a("Link", s.suite->make_node("linked"), nullptr);
    Interop::Link b("Nil", nullptr, nullptr), out;
    const Interop::Link result = s.suite->echo_link(a, b, out);
    require(result.name() == "Link" && result.target()->name() == "linked", "result");
    require(out.name() == "nIL" && out.target() == nullptr && out.any_target() == nullptr, "out");
  });
}

void check_callbacks(Session& s) {
  const auto servant = CORBA::make_reference<CallbackServant>(s.suite);
  const auto id = s.for_callbacks->activate_object(servant);
  const auto callback = IDL::traits<Interop::Callback>::narrow(s.for_callbacks->id_to_reference(id));
  s.report.run("call_back", [&] {
    require(s.suite->call_back(callback, "x", 0) == "[x]", "once");
    require(s.suite->call_back(callback, "x", 3) == "[[[[x]]]]", "nested");
    try {
      s.suite->call_back(callback, "x", -1);
    } catch (const Interop::Empty&) {
      return;
    }
    throw CheckFailed("the exception of the callback was lost");
  });
  s.report.run("poke_back", [&] {
    s.suite->poke_back(callback, 20);
    require(servant->wait_for_pokes(20), "oneway callbacks");
  });
  s.for_callbacks->deactivate_object(id);
}

}  // namespace

void check_references(Session& s) {
  check_identity(s);
  check_single_references(s);
  check_nested_references(s);
  s.report.run("location_forward", [&] {
    const NodeRef forwarded = s.suite->forwarded();
    require(forwarded->name() == "suite", "the first call follows");
    forwarded->ping();
    require(!s.suite->forwarded()->_non_existent(), "a locating call follows");
    const SuiteRef suite = IDL::traits<Suite>::narrow(s.suite->forwarded());
    require(suite->twist_text(std::string(50000, 'f')) == std::string(50000, 'F'), "a large request follows");
  });
  check_callbacks(s);
}

}  // namespace interop
