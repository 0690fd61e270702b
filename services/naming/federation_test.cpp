// SPDX-License-Identifier: Apache-2.0
// Services whose names lead into each other.
#include <atomic>
#include <chrono>
#include <thread>

#include "corbel/dynamic/dynamic_implementation.hpp"
#include "corbel/ipc/acceptor.hpp"
#include "test_support.hpp"

namespace corbel::naming {
namespace {

using namespace test;  // NOLINT: the fixture's names
using CosNaming::BindingType;

class Federation : public ServiceFixture {};
INSTANTIATE_TEST_SUITE_P(Collocation, Federation, testing::Values("off", "on"));

TEST_P(Federation, NamesLeadIntoOtherServicesAndBack) {
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

TEST_P(Federation, WhereAnotherServiceIsOutOfReachTheClientIsToldHowFarItCame) {
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

TEST_P(Federation, ServicesThatAreSilentHoldHalfOfTheThreadsAtMost) {
  root_.reset();
  server_.reset();
  server_ =
      std::make_unique<Server>("names", ServiceLimits(), StoreLimits(), std::vector<std::string>{"-ORBThreads", "4"});
  root_ = IDL::traits<NamingContextExt>::narrow(client_->string_to_object(server_->reference()));
  auto silent = *ipc::TcpAcceptor::open(ipc::InetAddress::loopback_v4());
  const std::string port = std::to_string(silent.local_address()->port());
  root_->bind_context(name("there"), IDL::traits<NamingContext>::unchecked_narrow(
                                         client_->string_to_object("corbaloc::127.0.0.1:" + port + "/NameService")));
  root_->bind(name("here"), object("thing"));
  constexpr int kCallers = 8;
  std::atomic<int> refused = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < kCallers; ++i) {
    callers.emplace_back([&] {
      try {
        root_->resolve(name("there/x"));
      } catch (const NamingContext::CannotProceed&) {
        ++refused;
      } catch (const CORBA::SystemException&) {  // no answer at all
      }
    });
  }
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (refused < kCallers - 2 && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  EXPECT_EQ(refused, kCallers - 2);
  if (refused == kCallers - 2) {
    EXPECT_EQ(text(root_->resolve(name("here"))), text(object("thing")));
  }
  silent.close();
  for (auto& each : callers) each.join();
  EXPECT_EQ(refused, kCallers);
}

TEST_P(Federation, AChangeElsewhereThatMayHaveHappenedIsNotOneToGoOnWith) {
  /// Breaks down under every request; what it has done is not known.
  class Broken final : public PortableServer::DynamicImplementation {
   public:
    explicit Broken(CORBA::CompletionStatus completed) : completed_(completed) {}
    void invoke(IDL::traits<CORBA::ServerRequest>::ref_type) override { throw CORBA::INTERNAL(0, completed_); }
    std::string _primary_interface(const std::vector<std::uint8_t>&,
                                   CORBA::object_reference<PortableServer::POA>) override {
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

TEST_P(Federation, ReferencesOfAnotherDatabaseAreNotTakenForOurs) {
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

}  // namespace
}  // namespace corbel::naming
