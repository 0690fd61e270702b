// SPDX-License-Identifier: Apache-2.0
// The archive: teleradiology_server MIB > archive.ior. Its one image, "chest", has so many MiB.
#include <corbel/corbel.hpp>

#include <iostream>

#include "archive_server.hpp"
#include "counter.hpp"

namespace {

using teleradiology::Image;
using teleradiology::Key;

Image scan(std::size_t octets) {
  auto pixels = std::make_shared<std::vector<std::uint8_t>>(octets);
  std::uint32_t state = 1;
  for (std::uint8_t& pixel : *pixels)
    pixel = static_cast<std::uint8_t>((state = state * 1664525U + 1013904223U) >> 24U);
  return pixels;
}

class Archive : public virtual CORBA::servant_traits<Teleradiology::Archive>::base_type {
 public:
  Archive(IDL::traits<CORBA::ORB>::ref_type orb, std::size_t octets) : orb_(std::move(orb)), chest_(scan(octets)) {}

  Teleradiology::Ticket fetch(const std::string& name) override {
    const Image image = find(name);
    const Key key = counter_.issue(image);
    return Teleradiology::Ticket(counter_.address().host(), counter_.address().port(),
                                 Teleradiology::Key(std::vector<std::uint8_t>(key.begin(), key.end())), image->size());
  }
  std::shared_ptr<const Teleradiology::Pixels> image(const std::string& name) override { return find(name); }
  void shutdown() override { orb_->shutdown(false); }

 private:
  const Image& find(const std::string& name) const {
    if (name != "chest") throw Teleradiology::NoSuchImage();
    return chest_;
  }

  IDL::traits<CORBA::ORB>::ref_type orb_;
  Image chest_;
  teleradiology::Counter counter_;
};

}  // namespace

int main(int argc, char* argv[]) try {
  auto orb = CORBA::ORB_init(argc, argv);
  const long mebioctets = argc > 1 ? std::atol(argv[1]) : 10;
  if (mebioctets < 1 || mebioctets > 200) {
    std::cerr << "usage: teleradiology_server [MIB]     from 1 to 200\n";
    return 2;
  }
  auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  auto reference = CORBA::make_reference<Archive>(orb, static_cast<std::size_t>(mebioctets) << 20U)->_this();
  poa->the_POAManager()->activate();
  std::cout << orb->object_to_string(reference) << std::endl;
  orb->run();
  orb->destroy();
  return 0;
} catch (const CORBA::Exception& exception) {
  std::cerr << "server: " << exception << '\n';
  return 1;
}
