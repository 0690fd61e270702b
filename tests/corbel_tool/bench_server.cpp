// SPDX-License-Identifier: Apache-2.0
#include <corbel/corbel.hpp>
#include <iostream>

#include "bench_server.hpp"
#include "corbel_reflection.hpp"

namespace {

class Bench final : public virtual CORBA::servant_traits<Test::Bench>::base_type {
 public:
  explicit Bench(IDL::traits<CORBA::ORB>::ref_type orb) : orb_(std::move(orb)) {}

  int32_t count() override { return 42; }
  std::string label() override { return label_; }
  void label(const std::string& value) override { label_ = value; }
  Test::Everything echo(const Test::Everything& value) override { return value; }
  Test::Extended echo_extended(const Test::Extended& value) override { return value; }
  Test::UNumber number(const Test::UNumber& value) override { return value; }
  CORBA::Any echo_any(const CORBA::Any& value) override { return value; }
  IDL::traits<CORBA::Object>::ref_type echo_object(IDL::traits<CORBA::Object>::ref_type value) override {
    return value;
  }
  int32_t divide(int32_t a, int32_t b, int32_t& rest) override {
    if (b == 0) throw Test::Refused("division by nothing", a);
    rest = a % b;
    return a / b;
  }
  void swap(std::string& a, std::string& b) override { std::swap(a, b); }
  void shutdown() override { orb_->shutdown(false); }

 private:
  IDL::traits<CORBA::ORB>::ref_type orb_;
  std::string label_ = "none";
};

}  // namespace

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  auto bench = CORBA::make_reference<Bench>(orb);
  auto reference = bench->_this();
  // A server that is not well, for `corbel doctor`.
  const std::string state = argc > 1 ? argv[1] : "";
  const auto manager = poa->the_POAManager();
  if (state != "holding") manager->activate();
  if (state == "discarding") manager->discard_requests(false);
  if (state == "inactive") manager->deactivate(false, false);
  if (state == "deactivated") poa->deactivate_object(poa->reference_to_id(reference));
  if (state != "silent") corbel::reflection::serve(orb);
  std::cout << orb->object_to_string(reference) << std::endl;
  orb->run();
  orb->destroy();
  return 0;
} catch (const CORBA::Exception& exception) {
  std::cerr << "bench_server: " << exception << '\n';
  return 1;
}
