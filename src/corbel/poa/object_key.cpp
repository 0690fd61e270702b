// SPDX-License-Identifier: Apache-2.0
#include "corbel/poa/object_key.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "corbel/cdr/encoder.hpp"

namespace corbel::poa {
namespace {

constexpr std::size_t kHeader = 4;
constexpr base::Octet kFormat = 1;
constexpr base::Octet kPersistent = 1;

template <class T>
T read(const base::Octet* at) noexcept {
  T value;
  std::memcpy(&value, at, sizeof value);
  return std::endian::native == std::endian::little ? value : cdr::byte_swap(value);
}

template <class T>
void append(base::Bytes& key, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) key.push_back(static_cast<base::Octet>(value >> 8 * i));
}

}  // namespace

bool parse_key(base::ConstByteSpan octets, ObjectKey& key) noexcept {
  if (octets.size() < kHeader + 2 || octets[0] != 'C' || octets[1] != 'B' || octets[2] != kFormat) return false;
  if (octets[3] == 0) {
    if (octets.size() < kTransientPrefix) return false;
    key.persistent = false;
    key.run = read<std::uint64_t>(octets.data() + kHeader);
    key.slot = read<std::uint32_t>(octets.data() + kHeader + 8);
    key.generation = read<std::uint32_t>(octets.data() + kHeader + 12);
    key.id = octets.subspan(kTransientPrefix);
    return true;
  }
  if (octets[3] != kPersistent) return false;
  const std::size_t length = read<std::uint16_t>(octets.data() + kHeader);
  if (octets.size() < kHeader + 2 + length) return false;
  key.persistent = true;
  key.path = base::as_text(octets.subspan(kHeader + 2, length));
  key.id = octets.subspan(kHeader + 2 + length);
  return true;
}

base::Bytes make_key(const ObjectKey& key) {
  base::Bytes octets{'C', 'B', kFormat, key.persistent ? kPersistent : base::Octet{0}};
  if (key.persistent) {
    append(octets, static_cast<std::uint16_t>(key.path.size()));
    const auto path = base::as_bytes(key.path);
    octets.insert(octets.end(), path.begin(), path.end());
  } else {
    append(octets, key.run);
    append(octets, key.slot);
    append(octets, key.generation);
  }
  octets.insert(octets.end(), key.id.begin(), key.id.end());
  return octets;
}

std::string path_below(const std::string& parent_path, std::string_view name) {
  return parent_path.empty() ? std::string(name) : (parent_path + kPathSeparator).append(name);
}

std::vector<std::string> names_of(std::string_view path) {
  std::vector<std::string> names;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find(kPathSeparator), path.size());
    names.emplace_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return names;
}

}  // namespace corbel::poa
