// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace corbel::connection {

/// The host of a peer's address, "tcp://192.0.2.1" of "tcp://192.0.2.1:4711"; empty if it has no port and is therefore
/// on this machine. Of an IPv6 address the first 64 bits with its zone, "tcp://[2001:db8::]" (ipc::subscriber). An
/// address that is mapped from IPv4 gives the IPv4 host. The same address always gives the same text.
std::string peer_host(std::string_view address);

/// How many connections a process may make that by default limits those that come to it: these leave a share of its
/// descriptors, of which some are for other things.
std::size_t share_for_outgoing() noexcept;

/// How many connections there are from each host, and how many there may be of these and in all. Guarded by the
/// server's mutex.
class Admission {
 public:
  /// 0 for `most`: seven eighths of the descriptors that the process may open, so that some are left for files and
  /// for connections that are made from here. 0 for `most_of_host`: half of those in all.
  Admission(std::uint32_t most, std::uint32_t most_of_host) noexcept : most_(most), most_of_host_(most_of_host) {}

  enum class Verdict : std::uint8_t { welcome, full, host_full };
  /// May another one come from `host` while there are `count` in all?
  Verdict judge(std::string_view host, std::size_t count);
  /// Its text as it is here until the last of them goes.
  std::string_view came(std::string_view host);
  void went(std::string_view host) noexcept;

 private:
  std::size_t most() noexcept;

  const std::uint32_t most_;
  const std::uint32_t most_of_host_;
  std::size_t known_most_ = 0;  // what the system allowed when it was last asked
  std::map<std::string, std::uint32_t, std::less<>> hosts_;
};

}  // namespace corbel::connection
