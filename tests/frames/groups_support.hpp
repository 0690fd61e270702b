// SPDX-License-Identifier: Apache-2.0
// Groups of cameras, over multicast on this host.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "camera_server.hpp"
#include "corbel/builtins/builtins.hpp"
#include "corbel/corbel.hpp"
#include "corbel/ipc/datagram.hpp"
#include "corbel/orb/groups.hpp"
#include "support/free_port.hpp"

class GroupMember : public virtual CORBA::servant_traits<Studio::Camera>::base_type {
 public:
  void push(std::uint32_t number, const Studio::Picture& picture) override {
    const std::lock_guard lock(mutex_);
    octets_ += picture.size();
    last_ = number;
    ++pushed_;
    changed_.notify_all();
  }
  void caption(const std::string& text) override {
    const std::lock_guard lock(mutex_);
    caption_ = text;
    changed_.notify_all();
  }
  std::uint32_t pushed() override {
    const std::lock_guard lock(mutex_);
    return pushed_;
  }
  bool await(std::uint32_t count, std::chrono::milliseconds patience = std::chrono::seconds(30)) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [&] { return pushed_ >= count; });
  }
  bool await(const std::string& caption) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30), [&] { return caption_ == caption; });
  }
  std::string last_caption() {
    const std::lock_guard lock(mutex_);
    return caption_;
  }
  std::size_t octets() {
    const std::lock_guard lock(mutex_);
    return octets_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint32_t pushed_ = 0;
  std::uint32_t last_ = 0;
  std::size_t octets_ = 0;
  std::string caption_;
};

class GroupCalls : public testing::Test {
 protected:
  using Orb = IDL::traits<CORBA::ORB>::ref_type;
  using Camera = IDL::traits<Studio::Camera>::ref_type;
  using Member = CORBA::servant_reference<GroupMember>;

  Orb make_orb(const std::string& id, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"-ORBMulticastInterface", "lo", "-ORBListenEndpoints", "tcp://127.0.0.1:0"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    orbs_.push_back(corbel::orb::init(arguments, id, corbel::builtins::components()));
    return orbs_.back();
  }
  /// A server with so many members of the group.
  std::vector<Member> serve(const Orb& orb, std::size_t count) {
    auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    poa->the_POAManager()->activate();
    std::vector<Member> members;
    for (std::size_t i = 0; i < count; ++i) {
      members.push_back(CORBA::make_reference<GroupMember>());
      const auto id = poa->activate_object(members.back());
      corbel::orb::join_group(*orb, orb->string_to_object(url_), poa->id_to_reference(id));
    }
    return members;
  }
  Camera group(const Orb& client) const {
    return IDL::traits<Studio::Camera>::unchecked_narrow(client->string_to_object(url_));
  }
  /// A port that nothing else on this host uses.
  static std::uint16_t free_port() {
    for (;;) {
      const std::uint16_t port = corbel::test::free_port();
      if (corbel::ipc::UdpSocket::open(corbel::ipc::InetAddress::any_v4(port))) return port;
    }
  }
  void TearDown() override {
    for (const Orb& orb : orbs_) orb->destroy();
  }

  const std::string url_ = "corbaloc:miop:1.0@1.0-CorbelTest-7/239.255.77.11:" + std::to_string(free_port());
  std::vector<Orb> orbs_;
};
