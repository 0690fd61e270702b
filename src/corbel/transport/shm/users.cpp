// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/shm/users.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <string>

namespace corbel::transport::shm {
namespace {

base::Result<std::uint32_t> user_of(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem == std::errc() && end == text.data() + text.size()) return number;
  std::array<char, 16384> room;
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwnam_r(std::string(text).c_str(), &entry, room.data(), room.size(), &found) != 0 || found == nullptr)
    return base::error(base::Stage::configure, base::Code::bad_argument);
  return static_cast<std::uint32_t>(found->pw_uid);
}

/// The number that stands for every user without one in this process's user name space; none if all have one.
std::optional<std::uint32_t> unmapped_user() {
  constexpr std::uint64_t kAll = 0xffffffff;
  std::ifstream map("/proc/self/uid_map");
  std::uint64_t mapped = 0;
  for (std::uint64_t inside = 0, outside = 0, count = 0; map >> inside >> outside >> count;) mapped += count;
  if (mapped >= kAll) return std::nullopt;
  std::uint32_t number = 65534;
  std::ifstream("/proc/sys/kernel/overflowuid") >> number;
  return number;
}

}  // namespace

base::Result<Users> Users::parse(std::string_view text) {
  Users users;
  users.anybody_ = text == "*";
  users.unmapped_ = unmapped_user();
  while (!text.empty() && !users.anybody_) {
    const std::string_view name = text.substr(0, text.find(','));
    CORBEL_TRY(const std::uint32_t user, user_of(name));
    users.others_.push_back(user);
    text.remove_prefix(std::min(text.size(), name.size() + 1));
  }
  return users;
}

bool Users::permit(std::uint32_t user) const noexcept {
  if (anybody_) return true;
  if (user == unmapped_) return false;
  return user == ::geteuid() || std::find(others_.begin(), others_.end(), user) != others_.end();
}

}  // namespace corbel::transport::shm
