// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/regular_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "corbel/ipc/handle.hpp"

namespace corbel::ipc {

FileText read_regular_file(const std::string& path, std::size_t most) {
  std::error_code none;
  const auto status = std::filesystem::status(path, none);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) return {{}, "is no regular file"};
  const auto refused = [](const char* what, int error) {
    return FileText{{}, std::string(what).append(" (").append(std::strerror(error)).append(")")};
  };
  const Handle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (const int error = errno; !file) return refused("cannot be opened", error);
  constexpr std::size_t kPiece = 65536;
  std::string text;
  for (std::size_t size = 0;;) {
    text.resize(std::min(most, size + kPiece));
    const ssize_t got = ::read(file.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return refused("cannot be read", errno);
    size += static_cast<std::size_t>(got);
    if (got > 0 && size < most) continue;
    text.resize(size);
    return {std::move(text), {}};
  }
}

}  // namespace corbel::ipc
