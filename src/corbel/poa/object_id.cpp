// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "corbel/corba/minor_codes.hpp"
#include "corbel/poa/poa.hpp"

namespace PortableServer {
namespace {

[[noreturn]] void refuse() {
  throw CORBA::BAD_PARAM(corbel::corba::minor::kBadObjectId, CORBA::CompletionStatus::COMPLETED_NO,
                         "the object id is no text");
}

void append_utf8(ObjectId& id, char32_t c) {
  if (c < 0x80) {
    id.push_back(static_cast<std::uint8_t>(c));
    return;
  }
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  constexpr std::uint8_t kLead[] = {0, 0xc0, 0xe0, 0xf0};
  id.push_back(static_cast<std::uint8_t>(kLead[more] | c >> 6 * more));
  for (int i = more - 1; i >= 0; --i) id.push_back(static_cast<std::uint8_t>(0x80 | (c >> 6 * i & 0x3f)));
}

/// Reads one character at `at` and advances; throws on anything that append_utf8() does not write.
char32_t take_utf8(const ObjectId& id, std::size_t& at) {
  const std::uint8_t lead = id[at++];
  if (lead < 0x80) return lead;
  const int more = (lead & 0xe0) == 0xc0 ? 1 : (lead & 0xf0) == 0xe0 ? 2 : (lead & 0xf8) == 0xf0 ? 3 : 0;
  if (more == 0 || id.size() - at < static_cast<std::size_t>(more)) refuse();
  char32_t c = lead & (0x3f >> more);
  for (int i = 0; i < more; ++i, ++at) {
    if ((id[at] & 0xc0) != 0x80) refuse();
    c = c << 6 | (id[at] & 0x3f);
  }
  return c;
}

}  // namespace

ObjectId string_to_ObjectId(const std::string& text) {
  return {text.begin(), text.end()};
}

std::string ObjectId_to_string(const ObjectId& id) {
  if (std::find(id.begin(), id.end(), 0) != id.end()) refuse();
  return {id.begin(), id.end()};
}

ObjectId wstring_to_ObjectId(const std::wstring& text) {
  ObjectId id;
  for (const wchar_t c : text) append_utf8(id, static_cast<char32_t>(c) & 0x1fffff);
  return id;
}

std::wstring ObjectId_to_wstring(const ObjectId& id) {
  std::wstring text;
  for (std::size_t at = 0; at < id.size();) {
    const char32_t c = take_utf8(id, at);
    if (c == 0) refuse();
    text += static_cast<wchar_t>(c);
  }
  return text;
}

}  // namespace PortableServer
