// SPDX-License-Identifier: Apache-2.0
// The service as clients see it, over TCP and within the process.
#include <atomic>
#include <set>
#include <thread>

#include "support/allocations.hpp"
#include "test_support.hpp"

namespace corbel::naming {
namespace {

using namespace test;  // NOLINT: the fixture's names
using CosNaming::Binding;
using CosNaming::BindingList;
using CosNaming::BindingType;
using CosNaming::NameComponent;
using IteratorRef = IDL::traits<CosNaming::BindingIterator>::ref_type;
using Reason = NamingContext::NotFoundReason;

class ServiceTest : public ServiceFixture {};
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

// Each allocation is refused once; whatever has come of it, the next listing looks at all iterators.
TEST_P(ServiceTest, AnIteratorThatCouldNotBeMadeWithoutMemoryIsNoneLater) {
  ServiceLimits limits;
  limits.iterator_idle = std::chrono::milliseconds(0);
  start(limits);
  for (const char* const each : {"a", "b"}) root_->bind(name(each), object("thing"));
  const auto list = [&] {
    BindingList found;
    IteratorRef more;
    root_->list(1, found, more);
  };
  list();
  bool refused = true;
  for (std::size_t first = 0; refused; ++first) {
    corbel::test::refuse_allocations(first, 1);
    try {
      list();
    } catch (const CORBA::SystemException&) {
    }
    refused = corbel::test::allocations_since() > first;
    corbel::test::refuse_allocations(0, 0);
    EXPECT_NO_THROW(list()) << "allocation " << first;
  }
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
