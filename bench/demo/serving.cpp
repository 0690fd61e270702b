// SPDX-License-Identifier: Apache-2.0
#include "demo/serving.hpp"

#include <corbel/builtins/builtins.hpp>
#include <corbel/messaging/protocol.hpp>
#include <corbel/poa/poa.hpp>
#include <corbel/transport/transport.hpp>

#include <algorithm>
#include <csignal>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>

#include "demo/stored_image.hpp"
#include "image_server.hpp"

namespace demo {
namespace {

constexpr Imaging::Extent kLargestImage = 4ULL << 30;

SpareBlocks g_spare_blocks;

/// The images are in memory.
class ImageServant : public CORBA::servant_traits<Imaging::ImageServer>::base_type {
 public:
  void create(const std::string& name, Imaging::Extent length) override {
    if (length > kLargestImage) throw Imaging::OutOfRange(name, kLargestImage);
    const std::lock_guard lock(mutex_);
    const auto [place, made] = images_.try_emplace(name, length);
    if (made) return;
    g_spare_blocks.add(place->second.take_blocks());
    place->second = StoredImage(length);
  }
  void put(const std::string& name, Imaging::Extent offset, std::shared_ptr<const Imaging::Octets> data) override {
    g_spare_blocks.drop_one();
    const std::lock_guard lock(mutex_);
    range(name, offset, data->size()).put(offset, std::move(data));
  }
  void get(const std::string& name, Imaging::Extent offset, std::uint32_t length,
           std::shared_ptr<const Imaging::Octets>& data) override {
    const std::lock_guard lock(mutex_);
    data = range(name, offset, length).get(offset, length);
  }
  std::string digest(const std::string& name) override {
    const std::lock_guard lock(mutex_);
    return range(name, 0, 0).digest();
  }
  void remove(const std::string& name) override {
    const std::lock_guard lock(mutex_);
    g_spare_blocks.add(range(name, 0, 0).take_blocks());
    images_.erase(name);
  }
  void ping() override {}

 private:
  /// The image, which has `length` octets from `offset` on.
  StoredImage& range(const std::string& name, Imaging::Extent offset, Imaging::Extent length) {
    const auto found = images_.find(name);
    if (found == images_.end()) throw Imaging::NoSuchImage(name);
    const Imaging::Extent size = found->second.size();
    if (offset > size || length > size - offset) throw Imaging::OutOfRange(name, size);
    return found->second;
  }

  std::mutex mutex_;
  std::map<std::string, StoredImage> images_;
};

bool go_together(const corbel::messaging::Requirements& needs, const corbel::transport::Traits& gives) {
  return (!needs.ordered || gives.ordered) && (!needs.reliable || gives.reliable) &&
         (!needs.whole_messages || !gives.byte_stream);
}

/// Where to listen so that no other machine can reach us.
std::string private_address(const std::string& transport) {
  const bool has_ports = transport == "tcp" || transport == "tls";
  return transport + (has_ports ? "://127.0.0.1:0" : "://");
}

}  // namespace

std::vector<Combination> combinations(const corbel::orb::Components& components) {
  std::vector<Combination> all;
  for (const auto& transport : components.transports) {
    if (transport->traits().largest_message != 0) continue;  // a block would have to fit into one message
    for (const auto& protocol : components.protocols) {
      if (!protocol->offers().two_way || !go_together(protocol->requirements(), transport->traits())) continue;
      const std::string scheme(transport->scheme());
      all.push_back({std::string(protocol->name()), scheme, scheme == "inproc"});
    }
  }
  const auto rank = [](const Combination& c) {
    return c.transport == "tcp" ? 0 : c.transport == "tls" ? 1 : c.transport == "unix" ? 2 : 3;
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const Combination& a, const Combination& b) { return rank(a) < rank(b); });
  return all;
}

IDL::traits<CORBA::ORB>::ref_type make_orb(const corbel::orb::Components& components, const std::string& id,
                                           std::vector<std::string> options) {
  options.insert(options.begin(), "corbel-demo");
  std::vector<char*> pointers;
  for (std::string& option : options) pointers.push_back(option.data());
  int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  return CORBA::ORB_init(count, pointers.data(), id, components);
}

ImageServing::ImageServing(const corbel::orb::Components& components, const Combination& combination)
    : orb_(make_orb(components, "server " + combination.protocol + "+" + combination.transport,
                    {"-ORBListenEndpoints", combination.protocol + "+" + private_address(combination.transport)})) {
  const auto poa = IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
  const auto id = poa->activate_object(CORBA::make_reference<ImageServant>());
  poa->the_POAManager()->activate();
  reference_ = orb_->object_to_string(poa->id_to_reference(id));
  thread_ = std::thread([orb = orb_] { orb->run(); });
}

ImageServing::~ImageServing() {
  orb_->shutdown(false);
  thread_.join();
  orb_->destroy();
}

void await_end_of_input() {
  std::signal(SIGINT, SIG_IGN);
  while (std::cin.get() != std::char_traits<char>::eof()) {
  }
}

int image_server_main() {
  const auto components = corbel::builtins::components();
  std::vector<std::unique_ptr<ImageServing>> serving;
  for (const Combination& combination : combinations(components)) {
    if (combination.in_process) continue;
    serving.push_back(std::make_unique<ImageServing>(components, combination));
    std::cout << combination.protocol << ' ' << combination.transport << ' ' << serving.back()->reference() << '\n';
  }
  std::cout << "ready" << std::endl;
  await_end_of_input();
  return 0;
}

}  // namespace demo
