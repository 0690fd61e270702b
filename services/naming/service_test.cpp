// SPDX-License-Identifier: Apache-2.0
// The service as clients see it, over TCP and within the process.
#include "service.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "corbel/dynamic/dynamic_implementation.hpp"
#include "corbel/ior/ior.hpp"
#include "corbel/ior/profile.hpp"
#include "temporary_folder.hpp"

namespace corbel::naming {
namespace {

using CosNaming::Binding;
using CosNaming::BindingList;
using CosNaming::BindingType;
using CosNaming::Name;
using CosNaming::NameComponent;
using CosNaming::NamingContext;
using CosNaming::NamingContextExt;
using ContextRef = IDL::traits<NamingContext>::ref_type;
using ExtRef = IDL::traits<NamingContextExt>::ref_type;
using IteratorRef = IDL::traits<CosNaming::BindingIterator>::ref_type;
using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
using OrbRef = IDL::traits<CORBA::ORB>::ref_type;
using Reason = NamingContext::NotFoundReason;

OrbRef make_orb(const std::string& id, std::vector<std::string> options) {
  options.insert(options.begin(), id);
  return CORBA::ORB_init(options, id);
}

/// A service with an ORB and a file of its own.
struct Server {
  explicit Server(const std::string& name, ServiceLimits service_limits = {}, StoreLimits store_limits = {})
      : store(folder.path() + "/names.db", store_limits, Durability::process),
        orb(make_orb(name, {"-ORBListenEndpoints", "tcp://127.0.0.1:0"})),
        service(orb, store, service_limits) {}
  ~Server() { orb->destroy(); }

  std::string reference() { return orb->object_to_string(service.root()); }
  std::uint16_t port() { return ior::decode_iiop_profile(ior::from_string(reference())->profiles.front())->port; }

  TemporaryFolder folder;
  Store store;
  OrbRef orb;
  Service service;
};

class ServiceTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { start({}); }
  void TearDown() override {
    root_.reset();
    if (client_ != nullptr) client_->destroy();
  }
  void start(ServiceLimits limits, StoreLimits store_limits = {}) {
    root_.reset();
    server_.reset();
    server_ = std::make_unique<Server>("names", limits, store_limits);
    if (client_ == nullptr) client_ = make_orb("client", {"-ORBCollocation", GetParam()});
    root_ = IDL::traits<NamingContextExt>::narrow(client_->string_to_object(server_->reference()));
  }
  static Name name(const std::string& text) { return *parse_name(text); }
  ObjectRef object(const std::string& key) { return client_->string_to_object("corbaloc::127.0.0.1:1/" + key); }
  std::string text(const ObjectRef& reference) { return client_->object_to_string(reference); }
  ExtRef ext(const ContextRef& context) { return IDL::traits<NamingContextExt>::narrow(context); }

  /// "reason rest" of the NotFound that the call throws.
  template <class Call>
  std::string not_found(Call call) {
    try {
      call();
    } catch (const NamingContext::NotFound& exception) {
      constexpr const char* kReasons[] = {"missing_node", "not_context", "not_object"};
      return std::string(kReasons[static_cast<int>(exception.why())]) + " " + to_string(exception.rest_of_name());
    }
    return "found";
  }

  std::unique_ptr<Server> server_;
  OrbRef client_;
  ExtRef root_;
};
INSTANTIATE_TEST_SUITE_P(Collocation, ServiceTest, testing::Values("off", "on"));

TEST_P(ServiceTest, WhatIsBoundIsResolved) {
  const ContextRef a = root_->bind_new_context(name("a.k"));
  root_->bind(name("a.k/b"), object("thing"));
  EXPECT_EQ(text(root_->resolve(name("a.k/b"))), text(object("thing")));
  EXPECT_EQ(text(a->resolve(name("b"))), text(object("thing")));
  EXPECT_EQ(text(root_->resolve_str("a.k/b")), text(object("thing")));
  root_->rebind(name("a.k/b"), object("other"));
  EXPECT_EQ(text(root_->resolve(name("a.k/b"))), text(object("other")));
  root_->rebind(name("a.k/new"), object("other"));
  root_->unbind(name("a.k/b"));
  EXPECT_EQ(not_found([&] { root_->resolve(name("a.k/b")); }), "missing_node b");
  EXPECT_TRUE(root_->resolve(name("a.k"))->_is_a("IDL:omg.org/CosNaming/NamingContextExt:1.0"));
}

TEST_P(ServiceTest, EveryExceptionSaysWhereTheNameEnded) {
  root_->bind_new_context(name("a"));
  root_->bind(name("a/o"), object("thing"));
  EXPECT_EQ(not_found([&] { root_->resolve(name("x/y/z")); }), "missing_node x/y/z");
  EXPECT_EQ(not_found([&] { root_->resolve(name("a/x/y")); }), "missing_node x/y");
  EXPECT_EQ(not_found([&] { root_->resolve(name("a/o/y")); }), "not_context o/y");
  EXPECT_EQ(not_found([&] { root_->bind(name("a/o/y"), object("thing")); }), "not_context o/y");
  EXPECT_EQ(not_found([&] { root_->unbind(name("a/x")); }), "missing_node x");
  EXPECT_EQ(not_found([&] { root_->rebind(name("a"), object("thing")); }), "not_object a");
  EXPECT_EQ(not_found([&] { root_->rebind_context(name("a/o"), root_); }), "not_context o");
  EXPECT_THROW(root_->bind(name("a"), object("thing")), NamingContext::AlreadyBound);
  EXPECT_THROW(root_->bind_context(name("a/o"), root_), NamingContext::AlreadyBound);
  EXPECT_THROW(root_->bind_new_context(name("a")), NamingContext::AlreadyBound);
  EXPECT_THROW(root_->resolve({}), NamingContext::InvalidName);
  EXPECT_THROW(root_->bind({}, object("thing")), NamingContext::InvalidName);
  EXPECT_THROW(root_->bind(name("nil"), nullptr), CORBA::BAD_PARAM);
  EXPECT_THROW(root_->bind_context(name("nil"), nullptr), CORBA::BAD_PARAM);
}

TEST_P(ServiceTest, ContextsAreBoundUnboundAndDestroyed) {
  const ContextRef made = root_->new_context();
  root_->bind_context(name("a"), made);
  root_->bind_context(name("a/self"), made);
  root_->bind(name("a/self/self/o"), object("thing"));
  EXPECT_EQ(text(made->resolve(name("o"))), text(object("thing")));
  EXPECT_THROW(made->destroy(), NamingContext::NotEmpty);
  made->unbind(name("o"));
  made->unbind(name("self"));
  EXPECT_FALSE(made->_non_existent());
  made->destroy();
  EXPECT_TRUE(made->_non_existent());
  EXPECT_THROW(made->new_context(), CORBA::OBJECT_NOT_EXIST);
  EXPECT_THROW(made->resolve(name("o")), CORBA::OBJECT_NOT_EXIST);
  BindingList bindings;
  IteratorRef iterator;
  EXPECT_THROW(made->list(1, bindings, iterator), CORBA::OBJECT_NOT_EXIST);
  try {
    root_->resolve(name("a/o"));
    ADD_FAILURE() << "the context is gone";
  } catch (const NamingContext::CannotProceed& exception) {
    EXPECT_EQ(to_string(exception.rest_of_name()), "o");
    EXPECT_TRUE(exception.cxt()->_is_equivalent(made));
  }
  root_->unbind(name("a"));
  EXPECT_THROW(root_->destroy(), CORBA::NO_PERMISSION);
}

TEST_P(ServiceTest, ListsComeInPiecesThroughAnIterator) {
  std::set<std::string> all;
  for (int i = 0; i < 25; ++i) {
    const std::string id = "o" + std::to_string(i);
    root_->bind(name(id), object("thing"));
    all.insert(id);
  }
  root_->bind_new_context(name("c.k"));
  all.insert("c.k");
  BindingList bindings;
  IteratorRef iterator;
  root_->list(100, bindings, iterator);
  EXPECT_EQ(bindings.size(), 26U);
  EXPECT_EQ(iterator, nullptr);
  root_->list(26, bindings, iterator);
  EXPECT_EQ(iterator, nullptr) << "there is no more";
  root_->list(0, bindings, iterator);
  EXPECT_TRUE(bindings.empty());
  std::set<std::string> found;
  Binding binding;
  ASSERT_TRUE(iterator->next_one(binding));
  EXPECT_EQ(binding.binding_type(), BindingType::ncontext);
  found.insert(to_string(binding.binding_name()));
  while (iterator->next_n(10, bindings)) {
    for (const auto& each : bindings) EXPECT_TRUE(found.insert(to_string(each.binding_name())).second);
  }
  EXPECT_TRUE(bindings.empty());
  EXPECT_FALSE(iterator->next_one(binding));
  EXPECT_EQ(found, all);
  EXPECT_THROW(iterator->next_n(0, bindings), CORBA::BAD_PARAM);
  EXPECT_FALSE(iterator->_non_existent());
  iterator->destroy();
  EXPECT_TRUE(iterator->_non_existent());
  EXPECT_THROW(iterator->next_one(binding), CORBA::OBJECT_NOT_EXIST);
}

TEST_P(ServiceTest, OneAnswerIsBoundedHoweverMuchIsAskedFor) {
  ServiceLimits limits;
  limits.list = 3;
  start(limits);
  for (const char* id : {"a", "b", "c", "d", "e", "f", "g"}) root_->bind(name(id), object("thing"));
  BindingList bindings;
  IteratorRef iterator;
  root_->list(0xffffffff, bindings, iterator);
  EXPECT_EQ(bindings.size(), 3U);
  ASSERT_NE(iterator, nullptr);
  EXPECT_TRUE(iterator->next_n(0xffffffff, bindings));
  EXPECT_EQ(bindings.size(), 3U);
  EXPECT_TRUE(iterator->next_n(0xffffffff, bindings));
  EXPECT_EQ(bindings.size(), 1U);
}

TEST_P(ServiceTest, OneAnswerIsBoundedInOctetsAndTheIteratorGoesOn) {
  ServiceLimits limits;
  limits.list_octets = 2500;
  start(limits);
  for (const char* id : {"a", "b", "c", "d", "e", "f", "g"}) {
    root_->bind({NameComponent(id, std::string(1000, 'k'))}, object("thing"));
  }
  BindingList bindings;
  IteratorRef iterator;
  root_->list(0xffffffff, bindings, iterator);
  EXPECT_EQ(bindings.size(), 3U);
  ASSERT_NE(iterator, nullptr);
  std::string ids;
  while (iterator->next_n(0xffffffff, bindings)) {
    EXPECT_LE(bindings.size(), 3U);
    for (const auto& each : bindings) ids += each.binding_name().front().id();
  }
  EXPECT_EQ(ids, "defg");
}

TEST_P(ServiceTest, ForgottenIteratorsGiveWayAndExpire) {
  ServiceLimits limits;
  limits.iterators = 2;
  start(limits);
  for (const char* id : {"a", "b", "c", "d"}) root_->bind(name(id), object("thing"));
  BindingList bindings;
  IteratorRef first, second, third;
  root_->list(1, bindings, first);
  root_->list(1, bindings, second);
  Binding binding;
  EXPECT_TRUE(first->next_one(binding));
  root_->list(1, bindings, third);
  EXPECT_TRUE(first->next_one(binding));
  EXPECT_THROW(second->next_one(binding), CORBA::OBJECT_NOT_EXIST) << "unused for longest";
  EXPECT_TRUE(third->next_one(binding));

  limits.iterator_idle = std::chrono::milliseconds(0);
  start(limits);
  for (const char* id : {"a", "b"}) root_->bind(name(id), object("thing"));
  root_->list(1, bindings, first);
  EXPECT_THROW(first->next_one(binding), CORBA::OBJECT_NOT_EXIST);
}

TEST_P(ServiceTest, NamesAsTextAndUrls) {
  EXPECT_EQ(root_->to_string({NameComponent("a.b", "c/d"), NameComponent("", "")}), "a\\.b.c\\/d/.");
  EXPECT_EQ(root_->to_name("a\\.b.c\\/d/."), Name({NameComponent("a.b", "c/d"), NameComponent("", "")}));
  EXPECT_THROW(root_->to_string({}), NamingContext::InvalidName);
  EXPECT_THROW(root_->to_name("a."), NamingContext::InvalidName);
  EXPECT_EQ(root_->to_url(":myhost.555xyz.com:9999", "a/b"), "corbaname::myhost.555xyz.com:9999#a/b");
  EXPECT_EQ(root_->to_url(":host", "a b/c"), "corbaname::host#a%20b/c");
  EXPECT_THROW(root_->to_url("", "a"), NamingContextExt::InvalidAddress);
  EXPECT_THROW(root_->to_url(":host:99999", "a"), NamingContextExt::InvalidAddress);
  EXPECT_THROW(root_->to_url(":host#b", "a"), NamingContextExt::InvalidAddress);
  EXPECT_THROW(root_->to_url(":host", "a//b"), NamingContext::InvalidName);
  root_->bind(name("a b\\.c"), object("thing"));
  const std::string address = ":127.0.0.1:" + std::to_string(server_->port());
  EXPECT_EQ(text(client_->string_to_object(root_->to_url(address, "a b\\.c"))), text(object("thing")));
}

TEST_P(ServiceTest, TheWellKnownAddressLeadsToTheRoot) {
  root_->bind(name("x"), object("thing"));
  const std::string url = "corbaloc::127.0.0.1:" + std::to_string(server_->port()) + "/NameService";
  const auto context = IDL::traits<NamingContextExt>::narrow(client_->string_to_object(url));
  EXPECT_EQ(text(context->resolve_str("x")), text(object("thing")));
}

TEST_P(ServiceTest, LimitsAreSystemExceptions) {
  ServiceLimits limits;
  limits.names = {.components = 2, .component_octets = 4};
  start(limits, {.contexts = 2, .bindings_per_context = 2});
  EXPECT_THROW(root_->bind(name("a/b/c"), object("thing")), CORBA::IMP_LIMIT);
  EXPECT_THROW(root_->resolve(name("abcde")), CORBA::IMP_LIMIT);
  EXPECT_THROW(root_->to_name("a.abcde"), CORBA::IMP_LIMIT);
  EXPECT_THROW(root_->to_name("a/b/c//"), CORBA::IMP_LIMIT) << "what follows is not read";
  EXPECT_THROW(root_->resolve_str("a/b/c"), CORBA::IMP_LIMIT);
  EXPECT_THROW(root_->to_url(":host", "a/b/c"), CORBA::IMP_LIMIT);
  root_->bind_new_context(name("a"));
  EXPECT_THROW(root_->new_context(), CORBA::NO_RESOURCES);
  EXPECT_THROW(root_->bind_new_context(name("b")), CORBA::NO_RESOURCES);
  root_->bind(name("b"), object("thing"));
  EXPECT_THROW(root_->bind(name("c"), object("thing")), CORBA::NO_RESOURCES);
}

TEST_P(ServiceTest, NamesLeadIntoOtherServicesAndBack) {
  Server other("other");
  const auto there = IDL::traits<NamingContextExt>::narrow(client_->string_to_object(other.reference()));
  root_->bind_context(name("there"), there);
  there->bind_context(name("back"), root_);
  root_->bind_new_context(name("there/c"));
  root_->bind(name("there/c/o"), object("thing"));
  root_->rebind(name("there/back/x"), object("x"));
  EXPECT_EQ(text(root_->resolve(name("x"))), text(object("x")));
  EXPECT_EQ(text(root_->resolve(name("there/back/there/c/o"))), text(object("thing")));
  EXPECT_EQ(not_found([&] { root_->resolve(name("there/c/p/q")); }), "missing_node p/q");
  root_->unbind(name("there/c/o"));
  EXPECT_EQ(other.store.census().bindings, 2);
  EXPECT_EQ(server_->store.resolve(kRoot, name("there")).bound.child, 0) << "another's root is not ours";
}

TEST_P(ServiceTest, WhereAnotherServiceIsOutOfReachTheClientIsToldHowFarItCame) {
  const auto nowhere = IDL::traits<NamingContext>::unchecked_narrow(object("NameService"));
  root_->bind_context(name("there"), nowhere);
  try {
    root_->resolve(name("there/a/b"));
    ADD_FAILURE() << "nobody listens there";
  } catch (const NamingContext::CannotProceed& exception) {
    EXPECT_EQ(to_string(exception.rest_of_name()), "a/b");
    EXPECT_EQ(text(exception.cxt()), text(nowhere));
  }
}

TEST_P(ServiceTest, AChangeElsewhereThatMayHaveHappenedIsNotOneToGoOnWith) {
  /// Breaks down under every request, having done nobody knows what.
  class Broken final : public PortableServer::DynamicImplementation {
   public:
    explicit Broken(CORBA::CompletionStatus completed) : completed_(completed) {}
    void invoke(IDL::traits<CORBA::ServerRequest>::ref_type) override { throw CORBA::INTERNAL(0, completed_); }
    std::string _primary_interface(const std::vector<std::uint8_t>&,
                                   const CORBA::object_reference<PortableServer::POA>&) override {
      return std::string(NamingContext::_interface_id);
    }

   private:
    const CORBA::CompletionStatus completed_;
  };
  const OrbRef orb = make_orb("broken", {"-ORBListenEndpoints", "tcp://127.0.0.1:0"});
  const auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  const auto bind_broken = [&](const char* as, CORBA::CompletionStatus completed) {
    const auto id = poa->activate_object(CORBA::make_reference<Broken>(completed));
    root_->bind_context(name(as), IDL::traits<NamingContext>::unchecked_narrow(poa->id_to_reference(id)));
  };
  bind_broken("maybe", CORBA::COMPLETED_MAYBE);
  bind_broken("no", CORBA::COMPLETED_NO);
  EXPECT_THROW(root_->resolve(name("maybe/x")), NamingContext::CannotProceed);
  EXPECT_THROW(root_->bind(name("no/x"), object("x")), NamingContext::CannotProceed);
  EXPECT_THROW(root_->bind_new_context(name("no/x")), NamingContext::CannotProceed);
  const auto completed = [](auto call) {
    try {
      call();
    } catch (const CORBA::SystemException& exception) {
      return exception.completed();
    }
    return CORBA::COMPLETED_YES;
  };
  EXPECT_EQ(completed([&] { root_->bind(name("maybe/x"), object("x")); }), CORBA::COMPLETED_MAYBE);
  EXPECT_EQ(completed([&] { root_->rebind_context(name("maybe/x"), root_); }), CORBA::COMPLETED_MAYBE);
  EXPECT_EQ(completed([&] { root_->unbind(name("maybe/x")); }), CORBA::COMPLETED_MAYBE);
  EXPECT_EQ(completed([&] { root_->bind_new_context(name("maybe/x")); }), CORBA::COMPLETED_MAYBE);
  orb->destroy();
}

TEST_P(ServiceTest, OnlyTheContextThatIsAskedIsSaidNotToExist) {
  const ContextRef destroyed = root_->new_context();
  destroyed->destroy();
  EXPECT_THROW(root_->bind_context(name("x"), destroyed), CORBA::BAD_PARAM);
  EXPECT_THROW(root_->rebind_context(name("x"), destroyed), CORBA::BAD_PARAM);
  EXPECT_THROW(destroyed->bind_context(name("x"), destroyed), CORBA::OBJECT_NOT_EXIST);
  // Another thread destroys the context that the name leads to, just when something is bound there.
  std::atomic<bool> stop = false;
  std::thread destroyer([&] {
    while (!stop) {
      const ContextRef made = root_->bind_new_context(name("a"));
      for (bool empty = false; !empty;) {
        try {
          made->destroy();
          empty = true;
        } catch (const NamingContext::NotEmpty&) {
          made->unbind(name("x"));
        }
      }
      root_->unbind(name("a"));
    }
  });
  for (int i = 0; i < 300; ++i) {
    try {
      root_->bind(name("a/x"), object("x"));
    } catch (const NamingContext::NotFound&) {
    } catch (const NamingContext::AlreadyBound&) {
    } catch (const NamingContext::CannotProceed& exception) {
      EXPECT_EQ(to_string(exception.rest_of_name()), "x");
    } catch (const CORBA::OBJECT_NOT_EXIST&) {
      ADD_FAILURE() << "the root exists";
      break;
    }
  }
  stop = true;
  destroyer.join();
}

TEST_P(ServiceTest, ReferencesOfAnotherDatabaseAreNotTakenForOurs) {
  const auto context = root_->bind_new_context(name("a"));
  // The root has the same number everywhere.
  Server other("another");
  const auto foreign = other.service.reference(kRoot);
  const std::string ours = text(root_);
  const std::string theirs = other.orb->object_to_string(foreign);
  EXPECT_NE(ours, theirs);
  EXPECT_EQ(server_->service.bound(client_->string_to_object(theirs), BindingType::ncontext).child, 0);
  EXPECT_NE(server_->service.bound(client_->string_to_object(text(context)), BindingType::ncontext).child, 0);
}

TEST_P(ServiceTest, ManyClientsBindAndNothingIsLost) {
  constexpr int kThreads = 4, kNames = 50;
  std::atomic<int> lost = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kNames; ++i) {
        const std::string id = std::to_string(thread) + "-" + std::to_string(i);
        root_->bind(name(id), object(id));
        if (text(root_->resolve(name(id))) != text(object(id))) ++lost;
        if (i % 3 == 0) root_->unbind(name(id));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(lost, 0);
  EXPECT_EQ(server_->store.census().bindings, kThreads * (kNames - (kNames + 2) / 3));
}

}  // namespace
}  // namespace corbel::naming
