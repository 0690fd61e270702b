// SPDX-License-Identifier: Apache-2.0
#include <corbel/corbel.hpp>

#include <iostream>
#include <mutex>
#include <utility>
#include <vector>

#include "bell_server.hpp"

// A servant that answers later: operations return without an answer, which the handler gives.
class Bell : public virtual CORBA::amh_traits<Tower::Bell>::base_type {
 public:
  using Answer = CORBA::amh_traits<Tower::Bell>::response_handler_ref_type;

  explicit Bell(IDL::traits<CORBA::ORB>::ref_type orb) : orb_(orb) {}

  // Each caller waits, and none of them has a thread.
  void wait(Answer answer) override {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(answer));
  }

  void waiting(Answer answer) override {
    std::int32_t count = 0;
    {
      const std::lock_guard lock(mutex_);
      // Clients that have gone, or given up, are of no interest.
      for (const Answer& one : waiting_) count += one->_is_awaited() ? 1 : 0;
    }
    answer->get_waiting(count);
  }

  // Answers all of them, here on the thread of this request; any other would do.
  void ring(Answer answer, std::string reason) override {
    for (const Answer& one : take_all()) one->wait(reason);
    answer->ring();
  }

  void close() override {
    for (const Answer& one : take_all()) one->wait_excep(Tower::Silent());
    orb_->shutdown(false);
  }

 private:
  std::vector<Answer> take_all() {
    const std::lock_guard lock(mutex_);
    return std::exchange(waiting_, {});
  }

  IDL::traits<CORBA::ORB>::ref_type orb_;
  std::mutex mutex_;
  std::vector<Answer> waiting_;
};

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  auto bell = CORBA::make_reference<Bell>(orb);
  auto reference = bell->_this();
  poa->the_POAManager()->activate();

  std::cout << orb->object_to_string(reference) << std::endl;
  orb->run();
  orb->destroy();
  return 0;
} catch (const CORBA::Exception& exception) {
  std::cerr << "server: " << exception << '\n';
  return 1;
}
