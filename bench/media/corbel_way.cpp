// SPDX-License-Identifier: Apache-2.0
#include "media/corbel_way.hpp"

#include <corbel/messaging/frames/arrival.hpp>
#include <corbel/orb/statistics.hpp>

#include <memory>
#include <thread>

#include "studio.hpp"

namespace media {
namespace {

class CorbelWay final : public Way {
 public:
  explicit CorbelWay(const std::string& reference)
      : orb_(make_orb("sender to " + reference, {"-ORBMulticastInterface", "lo", "-ORBSendBuffer", "4194304"})),
        screen_(IDL::traits<Studio::Screen>::unchecked_narrow(orb_->string_to_object(reference))) {}

  ~CorbelWay() override {
    screen_ = nullptr;
    orb_->destroy();
  }
  CorbelWay(const CorbelWay&) = delete;
  CorbelWay& operator=(const CorbelWay&) = delete;

  void picture(std::uint32_t number, const Octets& octets, std::chrono::steady_clock::time_point moment) override {
    const corbel::messaging::frames::Captured captured(moment);
    screen_->picture(number, octets);
  }
  void sound(std::uint32_t number, const Octets& octets, std::chrono::steady_clock::time_point moment) override {
    const corbel::messaging::frames::Captured captured(moment);
    screen_->sound(number, octets);
  }
  std::string reported() override {
    std::this_thread::sleep_for(std::chrono::milliseconds(250));  // then it may ask again
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
    while (std::chrono::steady_clock::now() < until) {
      for (const auto& conversation : corbel::orb::conversations(*orb_)) {
        if (conversation.figure("peer_received") != conversation.figure("sent")) continue;
        return "received " + std::to_string(conversation.figure("peer_received")) + ", lost " +
               std::to_string(conversation.figure("peer_lost")) + ", round trip at most " +
               std::to_string(conversation.figure("round_trip_us")) + " us";
      }
    }
    return {};
  }

 private:
  Orb orb_;
  IDL::traits<Studio::Screen>::ref_type screen_;
};

}  // namespace

Orb make_orb(const std::string& id, std::vector<std::string> options) {
  options.insert(options.begin(), "corbel-demo-media");
  std::vector<char*> pointers;
  for (std::string& option : options) pointers.push_back(option.data());
  int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  return CORBA::ORB_init(count, pointers.data(), id);
}

std::unique_ptr<Way> make_corbel_way(const std::string& reference) {
  return std::make_unique<CorbelWay>(reference);
}

}  // namespace media
