// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/shm/ring_wish.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>

#include "corbel/transport/connection_options.hpp"

namespace corbel::transport::shm {
namespace {

constexpr std::string_view kBegin = "corbelM1/rings/";

}  // namespace

base::Result<ipc::UnixAddress> name_of_wish(int octets) {
  // Processes of containers that share the name space may have the same number.
  static std::atomic<unsigned> last{0};
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return ipc::UnixAddress::abstract(std::string(kBegin) + std::to_string(octets) + '/' + std::to_string(::getpid()) +
                                    '/' + std::to_string(++last) + '/' + std::to_string(now));
}

int wish_of(const ipc::UnixAddress& name) noexcept {
  if (!name.is_abstract() || !name.name().starts_with(kBegin)) return 0;
  const std::string_view rest = name.name().substr(kBegin.size());
  const std::string_view number = rest.substr(0, rest.find('/'));
  ConnectionOptions wanted;
  return ring_options().front().set(wanted, number) ? wanted.ring : 0;
}

}  // namespace corbel::transport::shm
