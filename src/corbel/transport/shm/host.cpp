// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/shm/host.hpp"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "corbel/transport/endpoint_text.hpp"

namespace corbel::transport::shm {

std::string host_identity() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  std::error_code problem;
  const std::string network = std::filesystem::read_symlink("/proc/self/ns/net", problem).string();  // "net:[NUMBER]"
  const std::size_t begin = network.find('[');
  const std::size_t end = network.find(']');
  const bool plain = !boot.empty() && boot.find_first_not_of("0123456789abcdef-") == std::string::npos;
  if (problem || !plain || begin == std::string::npos || end == std::string::npos) return machine_name();
  return boot + '.' + network.substr(begin + 1, end - begin - 1);
}

}  // namespace corbel::transport::shm
