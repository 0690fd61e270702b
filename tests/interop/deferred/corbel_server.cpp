// SPDX-License-Identifier: Apache-2.0
// The server: no operation is answered by its own thread but those that answer others.
#include <unistd.h>

#include <corbel/corbel.hpp>
#include <iostream>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "deferred_server.hpp"

namespace {

class Desk : public virtual CORBA::amh_traits<Later::Desk>::base_type {
 public:
  using Answer = CORBA::amh_traits<Later::Desk>::response_handler_ref_type;

  explicit Desk(IDL::traits<CORBA::ORB>::ref_type orb) : orb_(orb) {}

  void title(Answer answer) override {
    std::thread([answer = std::move(answer), title = title_] { answer->get_title(title); }).detach();
  }
  void title(Answer answer, std::string title) override {
    title_ = std::move(title);
    std::thread([answer = std::move(answer)] { answer->set_title(); }).detach();
  }
  void held(Answer answer, std::string question) override {
    const std::lock_guard lock(mutex_);
    held_.emplace_back(std::move(answer), std::move(question));
  }
  void release(Answer answer) override {
    std::vector<std::pair<Answer, std::string>> all;
    {
      const std::lock_guard lock(mutex_);
      std::swap(all, held_);
    }
    for (const auto& [one, question] : all) one->held(question + "!");
    answer->release();
  }
  void waiting(Answer answer) override {
    const std::lock_guard lock(mutex_);
    answer->waiting(static_cast<std::int32_t>(held_.size()));
  }
  void split(Answer answer, std::string text, char at, std::string tail) override {
    std::thread([answer = std::move(answer), text = std::move(text), tail = std::move(tail), at] {
      const auto place = text.find(at);
      if (place == std::string::npos) return answer->split_excep(Later::Refused("no such character"));
      answer->split(static_cast<std::int32_t>(place), text.substr(0, place), tail + text.substr(place + 1));
    }).detach();
  }
  void fail(Answer answer) override { answer->fail_excep(CORBA::NO_PERMISSION(7, CORBA::COMPLETED_YES)); }
  void drop(Answer) override {}
  void shutdown() override { orb_->shutdown(false); }

 private:
  IDL::traits<CORBA::ORB>::ref_type orb_;
  std::string title_;
  std::mutex mutex_;
  std::vector<std::pair<Answer, std::string>> held_;
};

}  // namespace

int main(int argc, char** argv) try {
  alarm(120);
  std::vector<std::string> arguments = {argv[0], "-ORBListenEndpoints", "tcp://127.0.0.1:0", "-ORBThreads", "4"};
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::string(argv[i]) == "--giop") arguments.insert(arguments.end(), {"-ORBGiopVersion", argv[i + 1]});
  }
  auto orb = CORBA::ORB_init(arguments);
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  auto desk = CORBA::make_reference<Desk>(orb);
  auto reference = desk->_this();
  poa->the_POAManager()->activate();
  std::cout << orb->object_to_string(reference) << std::endl;
  try {
    orb->run();
  } catch (const CORBA::BAD_INV_ORDER&) {  // the client was through before
  }
  orb->destroy();
  return 0;
} catch (const CORBA::Exception& exception) {
  std::cerr << "server: " << exception << '\n';
  return 1;
}
