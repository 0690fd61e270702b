// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "session.hpp"

namespace interop {
namespace {

/// Whether it is gone, or soon is: over a bridge the requests to it ran in other threads of the server, the last of
/// which may not have left it yet.
bool gone(Interop::Node_ptr node) {
  for (int look = 0; look < 100; ++look) {
    if (node->_non_existent()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

/// The client's own object: recurses into the server that calls it.
class CallbackServant : public virtual POA_Interop::Callback, public virtual PortableServer::RefCountServantBase {
 public:
  explicit CallbackServant(Interop::Whole::Suite_ptr suite) : suite_(Interop::Whole::Suite::_duplicate(suite)) {}

  char* notify(const char* text, CORBA::Long depth) override {
    if (depth < 0) throw Interop::Empty();
    if (depth == 0) return CORBA::string_dup(text);
    Interop::Callback_var self = _this();
    return suite_->call_back(self, text, depth - 1);
  }

  void poke(CORBA::Long amount) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    pokes_ += amount;
    changed_.notify_all();
  }

  bool wait_for_pokes(CORBA::Long expected) {
    std::unique_lock<std::mutex> lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(10), [&] { return pokes_ == expected; });
  }

 private:
  Interop::Whole::Suite_var suite_;
  std::mutex mutex_;
  std::condition_variable changed_;
  CORBA::Long pokes_ = 0;
};

std::string name_of(Interop::Node_ptr node) {
  return CORBA::String_var(node->name()).in();
}

void check_identity(Session& s) {
  s.report.run("is_a", [&] {
    for (const char* id : {Interop::Whole::Suite::_PD_repoId, Interop::Basic::_PD_repoId,
                           Interop::References::_PD_repoId, Interop::Node::_PD_repoId, "IDL:omg.org/CORBA/Object:1.0"})
      require(s.suite->_is_a(id), id);
    require(same(Interop::Node::_PD_repoId, "IDL:corbel.test/Interop/Node:2.1"), "the version pragma");
    // Asked through a reference whose static type does not know the answer.
    Interop::Node_var self = s.suite->self();
    require(self->_is_a(Interop::Sequences::_PD_repoId), "Sequences");
    require(!self->_is_a("IDL:corbel.test/Interop/Callback:1.0"), "Callback");
    require(!self->_is_a("IDL:corbel.test/Interop/Node:9.9"), "Node 9.9");
  });
  s.report.run("narrow", [&] {
    Interop::Node_var self = s.suite->self();
    Interop::Failing_var failing = Interop::Failing::_narrow(self);
    require(!CORBA::is_nil(failing) && name_of(failing) == "suite", "to a base beside");
    Interop::Whole::Suite_var suite = Interop::Whole::Suite::_narrow(self);
    require(!CORBA::is_nil(suite) && suite->module() == 77, "to the most derived");
    Interop::Callback_var callback = Interop::Callback::_narrow(self);
    require(CORBA::is_nil(callback), "to a stranger gives nil");
  });
  s.report.run("non_existent", [&] {
    require(!s.suite->_non_existent(), "the suite exists");
    Interop::Node_var node = s.suite->make_node("short-lived");
    require(name_of(node) == "short-lived" && !node->_non_existent(), "made");
    s.suite->destroy_node(node);
    require(gone(node), "destroyed");
    try {
      node->ping();
    } catch (const CORBA::OBJECT_NOT_EXIST&) {
      return;
    }
    throw CheckFailed("a destroyed object answered");
  });
  s.report.run("locate", [&] {
    // A reference that was text is asked after with a LocateRequest before it is used.
    const auto fresh = [&](Interop::Node_ptr node) {
      CORBA::String_var text = s.orb->object_to_string(node);
      return Interop::Node::_narrow(CORBA::Object_var(s.orb->string_to_object(text)));
    };
    require(name_of(Interop::Node_var(fresh(Interop::Node_var(s.suite->make_node("here"))))) == "here", "OBJECT_HERE");
    Interop::Node_var gone_node = s.suite->make_node("gone");
    s.suite->destroy_node(gone_node);
    try {
      Interop::Node_var(fresh(gone_node))->ping();
      throw CheckFailed("a destroyed object answered");
    } catch (const CORBA::OBJECT_NOT_EXIST&) {
    }
    if (s.options.peer == "corbel") {
      require(name_of(Interop::Node_var(fresh(Interop::Node_var(s.suite->forwarded())))) == "suite", "OBJECT_FORWARD");
    }
  });
}

void check_passing(Session& s) {
  s.report.run("echo_node", [&] {
    Interop::Node_var made = s.suite->make_node("made"), inout = s.suite->self(), out;
    Interop::Node_var result = s.suite->echo_node(made, inout.inout(), out.out());
    require(name_of(result) == "made" && name_of(inout) == "made" && name_of(out) == "suite", "names");
    require(result->_is_equivalent(made), "equivalent");
    inout = Interop::Node::_nil();
    result = s.suite->echo_node(Interop::Node::_nil(), inout.inout(), out.out());
    require(CORBA::is_nil(result) && CORBA::is_nil(inout) && CORBA::is_nil(out), "nil stays nil");
  });
  s.report.run("echo_object", [&] {
    CORBA::Object_var foreign = s.orb->string_to_object("corbaloc::1.2@127.0.0.1:9/no/such%20key");
    CORBA::Object_var inout = s.suite->self(), out;
    CORBA::Object_var result = s.suite->echo_object(foreign, inout.inout(), out.out());
    CORBA::String_var sent = s.orb->object_to_string(foreign), received = s.orb->object_to_string(result);
    require(result->_is_equivalent(foreign), std::string(sent.in()) + " became " + received.in());
    Interop::Node_var node = Interop::Node::_narrow(out);
    require(name_of(node) == "suite", "out");
    inout = CORBA::Object::_nil();
    result = s.suite->echo_object(CORBA::Object::_nil(), inout.inout(), out.out());
    require(CORBA::is_nil(result) && CORBA::is_nil(inout) && CORBA::is_nil(out), "nil stays nil");
  });
  s.report.run("echo_node_seq", [&] {
    Interop::NodeSeq a, b;
    a.length(3);
    a[0] = s.suite->make_node("one");
    a[2] = s.suite->self();
    b.length(2);
    b[1] = s.suite->make_node("two");
    Interop::NodeSeq_var out, result = s.suite->echo_node_seq(a, b, out.out());
    require(result->length() == 3 && name_of(result[0]) == "one" && CORBA::is_nil(result[1]), "result");
    require(b.length() == 3 && name_of(b[2]) == "suite", "inout");
    require(out->length() == 2 && name_of(out[0]) == "two" && CORBA::is_nil(out[1]), "out");
  });
  s.report.run("echo_link", [&] {
    Interop::Link a, b;
    a.name = "Link";
    a.target = s.suite->make_node("linked");
    b.name = "Nil";
    Interop::Link_var out, result = s.suite->echo_link(a, b, out.out());
    require(same(result->name.in(), "Link") && name_of(result->target) == "linked", "result");
    require(same(out->name.in(), "nIL") && CORBA::is_nil(out->target) && CORBA::is_nil(out->any_target), "out");
  });
  s.report.run("favourite", [&] {
    Interop::Node_var none = s.suite->favourite();
    require(CORBA::is_nil(none), "nil at first");
    s.suite->favourite(Interop::Node_var(s.suite->self()));
    require(name_of(Interop::Node_var(s.suite->favourite())) == "suite", "set");
    s.suite->favourite(Interop::Node::_nil());
  });
  s.report.run("name_of", [&] {
    require(same(CORBA::String_var(s.suite->name_of(Interop::Node::_nil())).in(), "nil"), "nil");
    require(same(CORBA::String_var(s.suite->name_of(Interop::Node_var(s.suite->self()))).in(), "suite"), "self");
  });
  s.report.run("stringified", [&] {
    CORBA::String_var text = s.orb->object_to_string(Interop::Node_var(s.suite->make_node("text")));
    CORBA::Object_var object = s.orb->string_to_object(text);
    require(name_of(Interop::Node_var(Interop::Node::_narrow(object))) == "text", "round trip");
  });
}

}  // namespace

void check_references(Session& s) {
  check_identity(s);
  check_passing(s);
  s.report.run("location_forward", [&] {
    Interop::Node_var forwarded = s.suite->forwarded();
    require(name_of(forwarded) == "suite", "the first call follows");
    forwarded->ping();
    Interop::Node_var fresh = s.suite->forwarded();
    require(!fresh->_non_existent(), "a locating call follows");
    Interop::Whole::Suite_var suite = Interop::Whole::Suite::_narrow(Interop::Node_var(s.suite->forwarded()));
    CORBA::String_var text = suite->twist_text(std::string(50000, 'f').c_str());
    require(text.in() == std::string(50000, 'F'), "a large request follows");
  });

  PortableServer::Servant_var<CallbackServant> servant = new CallbackServant(s.suite);
  PortableServer::ObjectId_var id = s.for_callbacks->activate_object(servant);
  CORBA::Object_var reference = s.for_callbacks->id_to_reference(id);
  Interop::Callback_var callback = Interop::Callback::_narrow(reference);
  s.report.run("call_back", [&] {
    require(same(CORBA::String_var(s.suite->call_back(callback, "x", 0)).in(), "[x]"), "once");
    require(same(CORBA::String_var(s.suite->call_back(callback, "x", 3)).in(), "[[[[x]]]]"), "nested");
    try {
      CORBA::String_var ignored = s.suite->call_back(callback, "x", -1);
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

}  // namespace interop
