// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <iostream>
#include <thread>

#include "attack_any.hpp"
#include "attack_server.hpp"
#include "program.hpp"

namespace attack {
namespace {

class Gauge : public virtual CORBA::servant_traits<Attack::Gauge>::base_type {
 public:
  std::int32_t read() override { return 7; }
};

class Notes : public virtual CORBA::servant_traits<Attack::Notes>::base_type {
 public:
  std::string read() override { return std::string(100, 'n'); }
};

class Target : public virtual CORBA::servant_traits<Attack::Target>::base_type {
 public:
  void ping() override {}
  void slow(std::uint32_t milliseconds) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(std::min(milliseconds, 1000U)));
  }
  Attack::Octets give(std::uint32_t size) override { return Attack::Octets(std::min(size, 1U << 24)); }
  Attack::Octets keep(const Attack::Octets& data) override { return data; }
  void take_any(const CORBA::Any& value) override {
    Attack::Node node;
    (void)(value >>= node);
    std::string text;
    (void)(value >>= text);
    (void)value.type()->equivalent(value.type());
  }
  void take_link(IDL::traits<Attack::Link>::ref_type value) override { sum_ += value ? value->number() : 0; }
  void ask(IDL::traits<Attack::Gauge>::ref_type whom) override { sum_ += whom ? whom->read() : 0; }
  IDL::traits<Attack::Gauge>::ref_type a_gauge() override { return gauge_->_this(); }
  IDL::traits<Attack::Notes>::ref_type some_notes() override { return notes_->_this(); }

 private:
  std::atomic<std::int64_t> sum_{0};
  CORBA::servant_reference<Gauge> gauge_ = CORBA::make_reference<Gauge>();
  CORBA::servant_reference<Notes> notes_ = CORBA::make_reference<Notes>();
};

class Link : public virtual IDL::traits<Attack::Link>::base_type {};

}  // namespace

int serve(int argc, char** argv) {
  block_signals();
  auto orb = CORBA::ORB_init(argc, argv, "target");
  auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  auto target = CORBA::make_reference<Target>();
  auto reference = target->_this();
  root->the_POAManager()->activate();
  std::cout << "READY " << orb->object_to_string(reference) << ' ' << orb->object_to_string(reference->some_notes())
            << ' ' << orb->object_to_string(reference->a_gauge()) << std::endl;
  run_until_signal(orb);
  return 0;
}

}  // namespace attack
