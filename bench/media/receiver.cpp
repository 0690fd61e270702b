// SPDX-License-Identifier: Apache-2.0
// The process that is shown frames: one servant for all of Corbel's ways, sockets for the others.
#include <corbel/messaging/frames/arrival.hpp>
#include <corbel/orb/groups.hpp>

#include <csignal>
#include <iostream>
#include <memory>

#include "common/temporary.hpp"
#include "media/corbel_way.hpp"
#include "studio_server.hpp"

namespace media {
namespace {

constexpr char kQueue[] = "4194304";

class Screen : public virtual CORBA::servant_traits<Studio::Screen>::base_type {
 public:
  explicit Screen(Sight& sight) : sight_(sight) {}
  void picture(std::uint32_t number, const Studio::Octets& content) override {
    sight_.picture(number, content, captured());
  }
  void sound(std::uint32_t number, const Studio::Octets& content) override {
    sight_.sound(number, content, captured());
  }

 private:
  static std::optional<Wall> captured() {
    const auto* arrival = corbel::messaging::frames::last_arrival();
    return arrival != nullptr ? arrival->captured : std::nullopt;
  }
  Sight& sight_;
};

class Desk : public virtual CORBA::servant_traits<Studio::Desk>::base_type {
 public:
  explicit Desk(Sight& sight) : sight_(sight) {}
  void begin() override { sight_.begin(); }
  std::uint64_t arrived() override { return sight_.arrived(); }
  Studio::Seen end() override {
    const Sight::Seen seen = sight_.end();
    return Studio::Seen(seen.pictures, seen.sounds, seen.octets, seen.wrong, seen.out_of_step, seen.in_step,
                        seen.jitter, seen.cost.processor_us, seen.cost.instructions, seen.cost.copied);
  }

 private:
  Sight& sight_;
};

class Serving {
 public:
  Serving(const std::string& id, std::vector<std::string> options) {
    options.insert(options.end(), {"-ORBReceiveBuffer", kQueue, "-ORBMulticastInterface", "lo"});
    orb_ = make_orb(id, std::move(options));
    poa_ = IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
    poa_->the_POAManager()->activate();
  }
  ~Serving() { orb_->destroy(); }
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;

  const Orb& orb() const { return orb_; }
  IDL::traits<CORBA::Object>::ref_type add(IDL::traits<PortableServer::Servant>::ref_type servant) {
    return poa_->id_to_reference(poa_->activate_object(std::move(servant)));
  }

 private:
  Orb orb_;
  IDL::traits<PortableServer::POA>::ref_type poa_;
};

}  // namespace

int receiver_main(const std::string& file) {
  start_meters();
  const Content content(file);
  Sight sight(content);
  const bench::TemporaryFolder folder;
  std::vector<std::unique_ptr<Serving>> all;
  for (const std::string transport : {"shm", "unix", "udp"}) {
    const std::string address = transport + "://" + (transport == "udp" ? "127.0.0.1:0" : "");
    all.push_back(
        std::make_unique<Serving>(transport, std::vector<std::string>{"-ORBListenEndpoints", "frames+" + address}));
    const auto screen = all.back()->add(CORBA::make_reference<Screen>(sight));
    std::cout << transport << ' ' << all.back()->orb()->object_to_string(screen) << '\n';
  }
  const auto plain = receive_plainly(sight, folder.path());
  all.push_back(std::make_unique<Serving>("desk", std::vector<std::string>{"-ORBListenEndpoints", "unix://"}));
  Serving& desk = *all.back();
  // The group's port is that of the plain one and one more: not used by others, as likely as not.
  const int port = std::stoi(plain.back().substr(plain.back().find(' ') + 1)) % 60'000 + 1'024;
  const auto group =
      corbel::orb::group_over(*desk.orb(), desk.orb()->string_to_object(group_url(std::to_string(port))), "frames");
  corbel::orb::join_group(*desk.orb(), group, desk.add(CORBA::make_reference<Screen>(sight)));
  std::cout << "multicast " << desk.orb()->object_to_string(group) << '\n';
  std::cout << "desk " << desk.orb()->object_to_string(desk.add(CORBA::make_reference<Desk>(sight))) << '\n';
  for (const std::string& line : plain) std::cout << "plain " << line << '\n';
  std::cout << "ready" << std::endl;
  std::signal(SIGINT, SIG_IGN);
  while (std::cin.get() != std::char_traits<char>::eof()) {
  }
  return 0;
}

}  // namespace media
