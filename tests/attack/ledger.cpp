// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <iostream>
#include <mutex>
#include <thread>

#include "attack_server.hpp"
#include "program.hpp"

namespace attack {
namespace {

using ObjectRef = IDL::traits<CORBA::Object>::ref_type;

/// Where every execution is noted before it is answered. One write each, so that a kill leaves whole lines.
class Journal {
 public:
  Journal(const char* path, std::string name)
      : file_(open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)), name_(std::move(name)) {
    if (file_ < 0) throw CORBA::INITIALIZE();
  }
  void enter(std::uint64_t id) const {
    const std::string line = std::to_string(id) + " " + name_ + "\n";
    if (write(file_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) throw CORBA::PERSIST_STORE();
    // Some take a while, so that the end of a server finds requests that are running.
    if (id % 7 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(id % 5));
  }

 private:
  int file_;
  std::string name_;
};

class Ledger : public virtual CORBA::servant_traits<Attack::Ledger>::base_type {
 public:
  explicit Ledger(const Journal& journal) : journal_(journal) {}
  std::uint64_t enter(std::uint64_t id) override {
    journal_.enter(id);
    return id;
  }
  void note(std::uint64_t id) override { journal_.enter(id); }

 private:
  const Journal& journal_;
};

/// Serves an object that moves: here, elsewhere (it forwards), or gone without a word.
class Mover final : public PortableServer::ServantLocator {
 public:
  explicit Mover(CORBA::servant_reference<Ledger> servant) : servant_(std::move(servant)) {}
  CORBA::servant_reference<PortableServer::Servant> preinvoke(const PortableServer::ObjectId&,
                                                              IDL::traits<PortableServer::POA>::ref_type,
                                                              const std::string&, Cookie&) override {
    const std::lock_guard lock(mutex_);
    if (gone_) throw CORBA::OBJECT_NOT_EXIST();
    if (elsewhere_) throw PortableServer::ForwardRequest(elsewhere_);
    return servant_;
  }
  void postinvoke(const PortableServer::ObjectId&, IDL::traits<PortableServer::POA>::ref_type, const std::string&,
                  Cookie, CORBA::servant_reference<PortableServer::Servant>) override {}
  void set(ObjectRef elsewhere, bool gone) {
    const std::lock_guard lock(mutex_);
    elsewhere_ = std::move(elsewhere);
    gone_ = gone;
  }

 private:
  CORBA::servant_reference<Ledger> servant_;
  std::mutex mutex_;
  ObjectRef elsewhere_;
  bool gone_ = false;
};

IDL::traits<PortableServer::POA>::ref_type make_adapter(const IDL::traits<PortableServer::POA>::ref_type& root,
                                                        const char* name, bool moving) {
  std::vector<IDL::traits<CORBA::Policy>::ref_type> policies = {
      root->create_lifespan_policy(PortableServer::LifespanPolicyValue::PERSISTENT),
      root->create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::USER_ID)};
  if (moving) {
    policies.push_back(root->create_servant_retention_policy(PortableServer::ServantRetentionPolicyValue::NON_RETAIN));
    policies.push_back(
        root->create_request_processing_policy(PortableServer::RequestProcessingPolicyValue::USE_SERVANT_MANAGER));
  }
  return root->create_POA(name, root->the_POAManager(), policies);
}

}  // namespace

int ledger(int argc, char** argv) {
  block_signals();
  auto orb = CORBA::ORB_init(argc, argv, "ledger");
  if (argc < 3) return 2;
  const Journal journal(argv[2], argv[1]);
  auto servant = CORBA::make_reference<Ledger>(journal);
  auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  auto homes = make_adapter(root, "homes", false);
  auto movers = make_adapter(root, "movers", true);
  const auto home_id = PortableServer::string_to_ObjectId("home");
  homes->activate_object_with_id(home_id, servant);
  auto mover = CORBA::make_reference<Mover>(servant);
  movers->set_servant_manager(mover);
  auto home = homes->id_to_reference(home_id);
  orb->register_initial_reference("Ledger", home);
  const auto moving = movers->create_reference_with_id(PortableServer::string_to_ObjectId("mover"),
                                                       std::string(Attack::Ledger::_interface_id));
  // From here on it is served; where the mover is has to be known before.
  std::cout << "KNOWN " << orb->object_to_string(home) << ' ' << orb->object_to_string(moving) << std::endl;
  std::thread commands([&] {
    for (std::string word, reference; std::cin >> word;) {
      if (word == "forward" && std::cin >> reference) mover->set(orb->string_to_object(reference), false);
      if (word == "gone") mover->set(nullptr, true);
      if (word == "stay") mover->set(nullptr, false);
      if (word == "serve") root->the_POAManager()->activate();
      std::cout << "DONE" << std::endl;
    }
  });
  run_until_signal(orb);
  std::cout << "ENDED" << std::endl;
  _exit(0);  // the commands' thread may still be reading
}

}  // namespace attack
