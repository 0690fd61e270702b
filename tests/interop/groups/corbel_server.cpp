// SPDX-License-Identifier: Apache-2.0
// corbel_server GROUP: a member of the group. Prints its own reference.
#include <unistd.h>

#include <corbel/corbel.hpp>
#include <corbel/orb/groups.hpp>
#include <iostream>
#include <mutex>

#include "groups_server.hpp"
#include "posts.hpp"

namespace {

class Board final : public virtual CORBA::servant_traits<Groups::Board>::base_type {
 public:
  void post(std::uint32_t number, const std::string& text, const Groups::Blob& picture) override {
    const std::lock_guard lock(mutex_);
    told_ += groups::Post{number, text, {picture.begin(), picture.end()}}.line();
  }
  std::string told() override {
    const std::lock_guard lock(mutex_);
    return told_;
  }

 private:
  std::mutex mutex_;
  std::string told_;
};

}  // namespace

int main(int argc, char** argv) try {
  alarm(120);
  if (argc != 2) return 2;
  std::vector<std::string> arguments = {argv[0], "-ORBListenEndpoints", "tcp://127.0.0.1:0"};
  auto orb = CORBA::ORB_init(arguments);
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  auto board = CORBA::make_reference<Board>()->_this();
  corbel::orb::join_group(*orb, orb->string_to_object(argv[1]), board);
  std::cout << orb->object_to_string(board) << std::endl;
  orb->run();  // until it is killed
  return 0;
} catch (const CORBA::Exception& exception) {
  std::cerr << "server: " << exception << '\n';
  return 1;
}
