// SPDX-License-Identifier: Apache-2.0
// Values through a whole ORB: factories, calls inside the process and between two ORBs in it.
#include <gtest/gtest.h>

#include <corbel/corba/minor_codes.hpp>
#include <corbel/corbel.hpp>

#include <atomic>
#include <functional>
#include <new>
#include <stdexcept>

#include "values_any.hpp"
#include "values_server.hpp"

namespace {

template <class V>
using Ref = typename IDL::traits<V>::ref_type;

template <class V, class... Arguments>
Ref<V> make(Arguments&&... arguments) {
  return CORBA::make_reference<typename IDL::traits<V>::obv_type>(std::forward<Arguments>(arguments)...);
}

class Mirror : public virtual CORBA::servant_traits<Graph::Mirror>::base_type {
 public:
  Ref<Graph::Base> echo(Ref<Graph::Base> v) override { return seen = v; }
  std::string describe(Ref<Graph::Base> v) override {
    if (v != nullptr) v->s("changed by the servant");
    return "";
  }
  void three(Ref<Graph::Base> a, Ref<Graph::Base>& b, Ref<Graph::Base>& c) override {
    c = b;
    b = a;
  }
  bool same(Ref<Graph::Base> a, Ref<Graph::Base> b) override { return a == b; }
  Ref<Graph::Node> graph(Ref<Graph::Node> n) override { return seen_node = n; }
  Ref<Graph::Text> boxed(Ref<Graph::Text> t, Ref<Graph::Longs>&) override { return t; }
  Graph::Pair two(const Graph::Pair& p) override { return p; }
  Ref<Graph::Thing> what(Ref<Graph::Thing> t, bool& is_value) override {
    is_value = t != nullptr && t->_to_value() != nullptr;
    return t;
  }
  CORBA::Any echo_any(const CORBA::Any& a) override { return a; }
  std::string describe_any(const CORBA::Any&) override { return ""; }
  void shutdown() override {}

  Ref<Graph::Base> seen;
  Ref<Graph::Node> seen_node;
};

class Values : public ::testing::Test {
 protected:
  static IDL::traits<CORBA::ORB>::ref_type make_orb(const std::string& id) {
    std::vector<std::string> arguments = {"values", "-ORBListenEndpoints", "tcp://127.0.0.1:0"};
    return CORBA::ORB_init(arguments, id);
  }
  void SetUp() override {
    poa_->the_POAManager()->activate();
    reference_ = servant_->_this();
    const auto object = client_->string_to_object(server_->object_to_string(reference_));
    remote_ = IDL::traits<Graph::Mirror>::narrow(object);
  }
  void TearDown() override {
    servant_->seen = nullptr;
    if (servant_->seen_node != nullptr) servant_->seen_node->edges().clear();  // it may be a circle
    client_->destroy();
    server_->destroy();
  }
  template <class V>
  static void register_factory(const IDL::traits<CORBA::ORB>::ref_type& orb) {
    orb->register_value_factory(std::string(V::_value_id),
                                CORBA::make_reference<typename IDL::traits<V>::factory_type>());
  }

  IDL::traits<CORBA::ORB>::ref_type server_ = make_orb("values-server");
  IDL::traits<CORBA::ORB>::ref_type client_ = make_orb("values-client");
  IDL::traits<PortableServer::POA>::ref_type poa_ =
      IDL::traits<PortableServer::POA>::narrow(server_->resolve_initial_references("RootPOA"));
  CORBA::servant_reference<Mirror> servant_ = CORBA::make_reference<Mirror>();
  Ref<Graph::Mirror> reference_;
  Ref<Graph::Mirror> remote_;
};

TEST_F(Values, AreCopiedInCallsInsideTheProcess) {
  const auto base = make<Graph::Base>(1, "one");
  const auto back = reference_->echo(base);
  EXPECT_FALSE(servant_->seen == base);
  EXPECT_FALSE(back == servant_->seen);
  EXPECT_EQ(back->s(), "one");
  reference_->describe(base);
  EXPECT_EQ(base->s(), "one") << "the servant has its own";
  EXPECT_TRUE(reference_->same(base, base));
  EXPECT_FALSE(reference_->same(base, back));
  const auto node = make<Graph::Node>("n", Graph::Nodes{});
  node->edges({node, node});
  const auto copy = reference_->graph(node);
  EXPECT_TRUE(copy->edges()[0] == copy && copy->edges()[1] == copy);
  node->edges().clear();
  copy->edges().clear();
}

TEST_F(Values, TravelBetweenOrbs) {
  const auto base = make<Graph::Base>(1, "one");
  EXPECT_TRUE(remote_->same(base, base));
  Ref<Graph::Base> b = base, c;
  remote_->three(base, b, c);
  EXPECT_TRUE(b == c) << "one value in two results";
  EXPECT_FALSE(b == base);
  bool is_value = true;
  const auto object = remote_->what(remote_, is_value);
  EXPECT_FALSE(is_value);
  EXPECT_TRUE(IDL::traits<Graph::Mirror>::narrow(object->_to_object())->_is_equivalent(remote_));
}

TEST_F(Values, AreTruncatedUntilAFactoryIsRegistered) {
  const Ref<Graph::Base> derived = make<Graph::Derived>(1, "d", std::int16_t{2}, nullptr);
  EXPECT_TRUE(IDL::traits<Graph::Derived>::narrow(remote_->echo(derived)) == nullptr);
  register_factory<Graph::Derived>(server_);
  EXPECT_TRUE(IDL::traits<Graph::Derived>::narrow(remote_->echo(derived)) == nullptr) << "the client truncates";
  register_factory<Graph::Derived>(client_);
  const auto back = IDL::traits<Graph::Derived>::narrow(remote_->echo(derived));
  ASSERT_TRUE(back != nullptr);
  EXPECT_EQ(back->extra(), 2);
}

/// A value that is counted.
class Counted final : public virtual IDL::traits<Graph::Derived>::obv_type {
 public:
  Counted() { ++alive; }
  ~Counted() override { --alive; }
  static std::atomic<int> alive;
};
std::atomic<int> Counted::alive{0};
class CountedFactory final : public virtual CORBA::ValueFactoryBase {
 public:
  CORBA::valuetype_reference<CORBA::ValueBase> create_for_unmarshal() override {
    return CORBA::make_reference<Counted>();
  }
};

TEST_F(Values, InCirclesThatTheServantDropsAreFreed) {
  server_->register_value_factory(std::string(Graph::Derived::_value_id), CORBA::make_reference<CountedFactory>());
  const auto derived = make<Graph::Derived>(1, "d", std::int16_t{2}, nullptr);
  derived->link(make<Graph::Derived>(2, "e", std::int16_t{3}, derived));
  for (int i = 0; i < 2'000; ++i) {
    remote_->describe(derived);
    // The values of a call end soon after its reply has left.
    ASSERT_LE(Counted::alive, 4) << i;
  }
  for (int i = 0; i < 100; ++i) {
    reference_->describe(derived);  // in the process, where they are copied
    ASSERT_LE(Counted::alive, 4) << i;
  }
  // One that the servant keeps stays whole.
  servant_->seen = nullptr;
  (void)remote_->echo(derived);  // truncated: the client has no factory
  const auto kept = IDL::traits<Graph::Derived>::narrow(servant_->seen);
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(kept->link()->a(), 2);
  EXPECT_EQ(IDL::traits<Graph::Derived>::narrow(kept->link())->link(), servant_->seen);
  kept->link(nullptr);
  derived->link(nullptr);
}

/// One that fails as it is told.
class FailingFactory final : public virtual CORBA::ValueFactoryBase {
 public:
  explicit FailingFactory(std::function<void()> fail) : fail_(std::move(fail)) {}
  CORBA::valuetype_reference<CORBA::ValueBase> create_for_unmarshal() override {
    fail_();
    return nullptr;
  }

 private:
  const std::function<void()> fail_;
};

TEST_F(Values, WhoseFactoryThrowsAreArgumentsThatCannotBeRead) {
  const Ref<Graph::Base> base = make<Graph::Base>(1, "one");
  const auto told = [&](const Ref<Graph::Mirror>& mirror, std::function<void()> fail) -> std::string {
    const auto factory = CORBA::make_reference<FailingFactory>(std::move(fail));
    server_->register_value_factory(std::string(Graph::Base::_value_id), factory);
    try {
      mirror->describe(base);
    } catch (const CORBA::SystemException& exception) {
      server_->unregister_value_factory(std::string(Graph::Base::_value_id));
      return std::string(exception._name()) + (exception.completed() == CORBA::COMPLETED_NO ? " NO" : " not NO");
    }
    return "done";
  };
  for (const auto& mirror : {remote_, reference_}) {
    EXPECT_EQ(told(mirror, [] { throw std::runtime_error("factory"); }), "UNKNOWN NO");
    EXPECT_EQ(told(mirror, [] { throw 1; }), "UNKNOWN NO");
    EXPECT_EQ(told(mirror, [] { throw std::bad_alloc(); }), "NO_MEMORY NO");
    EXPECT_EQ(told(mirror, [] { throw CORBA::NO_PERMISSION(0, CORBA::COMPLETED_MAYBE); }), "NO_PERMISSION NO");
  }
}

TEST_F(Values, WithoutFactoryAreRefused) {
  const Ref<Graph::Base> plain = make<Graph::Plain>(1, "p", 2.0);
  try {
    remote_->echo(plain);
    FAIL();
  } catch (const CORBA::MARSHAL& refused) {
    EXPECT_EQ(refused.minor(), corbel::corba::minor::kNoValueFactory);
  }
  register_factory<Graph::Plain>(server_);
  EXPECT_THROW(remote_->echo(plain), CORBA::MARSHAL) << "now the client has none for the result";
  register_factory<Graph::Plain>(client_);
  EXPECT_EQ(IDL::traits<Graph::Plain>::narrow(remote_->echo(plain))->d(), 2.0);
}

TEST_F(Values, HaveFactoriesThatAreReplacedAndRemoved) {
  const std::string id(Graph::Base::_value_id);
  const auto first = CORBA::make_reference<Graph::Base_init>();
  const auto second = CORBA::make_reference<Graph::Base_init>();
  EXPECT_THROW(client_->lookup_value_factory(id), CORBA::BAD_PARAM);
  EXPECT_TRUE(client_->register_value_factory(id, first) == nullptr);
  EXPECT_TRUE(client_->register_value_factory(id, second) == first);
  EXPECT_TRUE(client_->lookup_value_factory(id) == second);
  EXPECT_THROW(server_->lookup_value_factory(id), CORBA::BAD_PARAM) << "each ORB has its own";
  client_->unregister_value_factory(id);
  EXPECT_THROW(client_->unregister_value_factory(id), CORBA::BAD_PARAM);
  EXPECT_THROW(client_->register_value_factory(id, nullptr), CORBA::BAD_PARAM);
}

}  // namespace
