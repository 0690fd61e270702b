// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/unix_address.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

#include "corbel/base/bytes.hpp"

namespace corbel::ipc {
namespace {

constexpr socklen_t kNameOffset = offsetof(sockaddr_un, sun_path);

}  // namespace

UnixAddress::UnixAddress() noexcept : storage_{}, size_(kNameOffset) {
  storage_.sun_family = AF_UNIX;
}

base::Result<UnixAddress> UnixAddress::path(std::string_view path) noexcept {
  if (path.empty() || path.find('\0') != std::string_view::npos) {
    return base::error(base::Stage::resolve, base::Code::bad_argument);
  }
  if (path.size() > kMaxLength) return base::error(base::Stage::resolve, base::Code::too_large);
  UnixAddress result;
  path.copy(result.storage_.sun_path, path.size());
  result.size_ = static_cast<socklen_t>(kNameOffset + path.size() + 1);
  return result;
}

base::Result<UnixAddress> UnixAddress::abstract(std::string_view name) noexcept {
  if (name.empty()) return base::error(base::Stage::resolve, base::Code::bad_argument);
  if (name.size() > kMaxLength) return base::error(base::Stage::resolve, base::Code::too_large);
  UnixAddress result;
  name.copy(result.storage_.sun_path + 1, name.size());
  result.size_ = static_cast<socklen_t>(kNameOffset + 1 + name.size());
  return result;
}

UnixAddress UnixAddress::from_native(const sockaddr* address, socklen_t size) noexcept {
  UnixAddress result;
  if (address->sa_family != AF_UNIX || size <= kNameOffset) return result;
  // A path may come back without its terminating NUL, and up to one octet longer than the structure.
  const auto* text = reinterpret_cast<const char*>(address) + kNameOffset;
  const std::string_view raw(text, std::min<std::size_t>(size, sizeof(sockaddr_un)) - kNameOffset);
  auto named = raw.front() == '\0' ? abstract(raw.substr(1)) : UnixAddress::path(raw.substr(0, raw.find('\0')));
  return named ? *named : result;
}

bool UnixAddress::is_unnamed() const noexcept {
  return size_ == kNameOffset;
}
bool UnixAddress::is_abstract() const noexcept {
  return !is_unnamed() && storage_.sun_path[0] == '\0';
}

std::string_view UnixAddress::name() const noexcept {
  if (is_unnamed()) return {};
  const char* first = is_abstract() ? storage_.sun_path + 1 : storage_.sun_path;
  return {first, size_ - kNameOffset - 1};
}

std::string UnixAddress::to_string() const {
  if (!is_abstract()) return std::string(name());
  std::string text = "@";
  for (const char c : name()) {
    if (c > ' ' && c < '\x7f' && c != '\\') {
      text += c;
    } else {
      text += "\\x" + base::to_hex(base::as_bytes({&c, 1}));
    }
  }
  return text;
}

bool operator==(const UnixAddress& a, const UnixAddress& b) noexcept {
  return a.is_abstract() == b.is_abstract() && a.name() == b.name();
}

std::size_t UnixAddress::hash() const noexcept {
  return std::hash<std::string_view>()(name());
}

}  // namespace corbel::ipc
