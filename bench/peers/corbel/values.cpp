// SPDX-License-Identifier: Apache-2.0
// Corbel with the values of values.idl.
#include <corbel/orb/orb.hpp>
#include <corbel/poa/poa.hpp>

#include <deque>
#include <memory>

#include "peers/peer.hpp"
#include "peers/samples.hpp"
#include "values_any.hpp"
#include "values_server.hpp"

namespace {

using EchoRef = IDL::traits<Values::Echo>::ref_type;
using NodeRef = IDL::traits<Values::Node>::ref_type;
using OrbRef = IDL::traits<CORBA::ORB>::ref_type;

class Echo : public CORBA::servant_traits<Values::Echo>::base_type {
 public:
  void ping() override {}
  Values::Octets large(std::uint32_t count) override { return Values::Octets(count, 'x'); }
  std::string text(const std::string& value) override { return value; }
  Values::Strings texts(const Values::Strings& values) override { return values; }
  Values::Tree nested(const Values::Tree& value) override { return value; }
  CORBA::Any something(const CORBA::Any& value) override {
    Values::Leaf leaf;
    CORBA::Any back;
    if (value >>= leaf) back <<= leaf;
    return back;
  }
  NodeRef chain(NodeRef value) override { return value; }
};

Values::Leaf a_leaf() {
  return Values::Leaf(sample::kName, Values::Point(1, 2), 3);
}

Values::Tree a_tree() {
  const Values::Leaves leaves(sample::kLeaves, a_leaf());
  return Values::Tree(1, Values::Branches(sample::kBranches, Values::Branch(sample::kName, leaves)));
}

NodeRef a_chain() {
  NodeRef first;
  for (int i = 0; i < sample::kNodes; ++i) {
    first = CORBA::make_reference<IDL::traits<Values::Node>::obv_type>(i, sample::kName, first);
  }
  return first;
}

class Client {
 public:
  explicit Client(EchoRef echo) : echo_(std::move(echo)) {}
  void ping() { echo_->ping(); }

  std::function<void()> value(const std::string& what) {
    if (what == "octets") return [this] { echo_->large(sample::kOctets); };
    if (what == "string") return [this, text = std::string(sample::kName)] { echo_->text(text); };
    if (what == "strings") {
      return [this, texts = Values::Strings(sample::kStrings, sample::kName)] { echo_->texts(texts); };
    }
    if (what == "nested") return [this, tree = a_tree()] { echo_->nested(tree); };
    if (what == "any") {
      return [this, leaf = a_leaf(), back = Values::Leaf()]() mutable {
        CORBA::Any any;
        any <<= leaf;
        if (!(echo_->something(any) >>= back)) throw std::runtime_error("no leaf came back");
      };
    }
    if (what == "valuetype") return [this, chain = a_chain()] { echo_->chain(chain); };
    if (what != "future") throw std::runtime_error("no such value");
    // Ten under way: each call waits for the one ten before it.
    return [this, text = std::string(sample::kName)] {
      window_.push_back(echo_->async_text(text));
      if (window_.size() < 10) return;
      window_.front().get();
      window_.pop_front();
    };
  }

 private:
  EchoRef echo_;
  std::deque<corbel::Future<std::string>> window_;
};

struct Corbel {
  static peer::About about() {
    return {"corbel", "giop giop_lite", "tcp unix", "octets string strings nested any valuetype future", ""};
  }
  static void serve(const char* protocol, const char* transport, const std::string& where) {
    const bool is_tcp = std::strcmp(transport, "tcp") == 0;
    const std::string endpoint = std::string(protocol) + "+" + transport + "://" + (is_tcp ? where + ":0" : where);
    std::vector<std::string> arguments{"-ORBListenEndpoints", endpoint};
    const auto orb = CORBA::ORB_init(arguments);
    const auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    const auto reference = root->id_to_reference(root->activate_object(CORBA::make_reference<Echo>()));
    root->the_POAManager()->activate();
    peer::announce(orb->object_to_string(reference));
    orb->run();
  }
  static int run_client(const char*, const char*, const char* reference) {
    std::vector<std::string> arguments;
    const auto orb = CORBA::ORB_init(arguments);
    Client client(IDL::traits<Values::Echo>::narrow(orb->string_to_object(reference)));
    return peer::command_loop(client);
  }
};

}  // namespace

int main(int argc, char** argv) {
  return peer::main<Corbel>(argc, argv);
}
