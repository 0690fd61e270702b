// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/shm/users.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
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

}  // namespace

base::Result<Users> Users::parse(std::string_view text) {
  Users users;
  users.anybody_ = text == "*";
  while (!text.empty() && !users.anybody_) {
    const std::string_view name = text.substr(0, text.find(','));
    CORBEL_TRY(const std::uint32_t user, user_of(name));
    users.others_.push_back(user);
    text.remove_prefix(std::min(text.size(), name.size() + 1));
  }
  return users;
}

bool Users::permit(std::uint32_t user) const noexcept {
  return anybody_ || user == ::geteuid() || std::find(others_.begin(), others_.end(), user) != others_.end();
}

}  // namespace corbel::transport::shm
