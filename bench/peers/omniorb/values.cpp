// SPDX-License-Identifier: Apache-2.0
// omniORB with the values of values.idl; see corbel/values.cpp.
#include "values.hh"
#include "peers/omniorb/common.hpp"
#include "peers/peer.hpp"
#include "peers/samples.hpp"
#include "valuesDynSK.cc"  // the operators of Anys, which omniidl puts apart

namespace {

class Echo : public POA_Values::Echo {
 public:
  void ping() override {}
  Values::Octets* large(CORBA::ULong count) override {
    auto* const result = new Values::Octets(count);
    result->length(count);
    std::memset(result->get_buffer(), 'x', count);
    return result;
  }
  char* text(const char* value) override { return CORBA::string_dup(value); }
  Values::Strings* texts(const Values::Strings& values) override { return new Values::Strings(values); }
  Values::Tree* nested(const Values::Tree& value) override { return new Values::Tree(value); }
  CORBA::Any* something(const CORBA::Any& value) override {
    auto* const back = new CORBA::Any;
    const Values::Leaf* leaf = nullptr;
    if (value >>= leaf) *back <<= *leaf;
    return back;
  }
  Values::Node* chain(Values::Node* value) override {
    CORBA::add_ref(value);
    return value;
  }
};

Values::Leaf a_leaf() {
  Values::Leaf leaf;
  leaf.name = sample::kName;
  leaf.place = {1, 2};
  leaf.weight = 3;
  return leaf;
}

Values::Tree a_tree() {
  Values::Tree tree;
  tree.version = 1;
  tree.parts.length(sample::kBranches);
  for (CORBA::ULong i = 0; i < sample::kBranches; ++i) {
    tree.parts[i].name = sample::kName;
    tree.parts[i].parts.length(sample::kLeaves);
    for (CORBA::ULong k = 0; k < sample::kLeaves; ++k) tree.parts[i].parts[k] = a_leaf();
  }
  return tree;
}

/// The caller owns it.
Values::Node* a_chain() {
  Values::Node* first = nullptr;
  for (int i = 0; i < sample::kNodes; ++i) {
    auto* const node = new OBV_Values::Node(i, sample::kName, first);
    first = node;
  }
  return first;
}

class Client {
 public:
  explicit Client(Values::Echo_ptr echo) : echo_(Values::Echo::_duplicate(echo)) {}
  void ping() {
    omni::translated([this] { echo_->ping(); });
  }

  std::function<void()> value(const std::string& what) {
    if (what == "octets") return [this] { delete echo_->large(sample::kOctets); };
    if (what == "string") return [this] { CORBA::string_free(echo_->text(sample::kName)); };
    if (what == "strings") {
      Values::Strings texts;
      texts.length(sample::kStrings);
      for (CORBA::ULong i = 0; i < sample::kStrings; ++i) texts[i] = sample::kName;
      return [this, texts] { delete echo_->texts(texts); };
    }
    if (what == "nested") return [this, tree = a_tree()] { delete echo_->nested(tree); };
    if (what == "any") {
      return [this, leaf = a_leaf()] {
        CORBA::Any any;
        any <<= leaf;
        const CORBA::Any_var back = echo_->something(any);
        const Values::Leaf* found = nullptr;
        if (!(back.in() >>= found)) throw std::runtime_error("no leaf came back");
      };
    }
    if (what == "valuetype") {
      chain_ = a_chain();
      return [this] { CORBA::remove_ref(echo_->chain(chain_.in())); };
    }
    throw std::runtime_error("no such value");
  }

 private:
  Values::Echo_var echo_;
  Values::Node_var chain_;
};

void know_nodes(CORBA::ORB_ptr orb) {
  class Factory : public CORBA::ValueFactoryBase {
    CORBA::ValueBase* create_for_unmarshal() override { return new OBV_Values::Node(); }
  };
  constexpr const char* kNode = "IDL:corbel.bench/Values/Node:1.0";
  const CORBA::ValueFactoryBase_var before = orb->register_value_factory(kNode, new Factory);
}

struct OmniOrb {
  static peer::About about() {
    return {"omniORB " CORBEL_BENCH_OMNIORB_VERSION, "giop", "tcp unix", "octets string strings nested any valuetype",
            ""};
  }
  static void serve(const char*, const char* transport, const std::string& where) {
    omni::translated([&] {
      const bool local = std::strcmp(transport, "unix") == 0;
      const std::string endpoint = local ? "giop:unix:" + where : "giop:tcp:" + where + ":";
      const CORBA::ORB_var orb = omni::make_orb({"peer", "-ORBendPoint", endpoint});
      know_nodes(orb.in());
      const CORBA::Object_var object = orb->resolve_initial_references("RootPOA");
      const PortableServer::POA_var root = PortableServer::POA::_narrow(object);
      const PortableServer::POAManager_var manager = root->the_POAManager();
      const PortableServer::ServantBase_var servant = new Echo;
      const PortableServer::ObjectId_var id = root->activate_object(servant.in());
      manager->activate();
      const CORBA::Object_var reference = root->id_to_reference(id.in());
      const CORBA::String_var text = orb->object_to_string(reference.in());
      peer::announce(text.in());
      orb->run();
    });
  }
  static int run_client(const char*, const char*, const char* reference) {
    return omni::translated([&] {
      const CORBA::ORB_var orb = omni::make_orb({"peer"});
      know_nodes(orb.in());
      const CORBA::Object_var object = orb->string_to_object(reference);
      const Values::Echo_var echo = Values::Echo::_narrow(object.in());
      Client client(echo.in());
      return peer::command_loop(client);
    });
  }
};

}  // namespace

int main(int argc, char** argv) {
  return peer::main<OmniOrb>(argc, argv);
}
