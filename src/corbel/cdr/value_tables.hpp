// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "corbel/cdr/decoder.hpp"

namespace corbel::cdr {

/// What a message's values have defined so far, by position.
struct ValueTables final : Attachment {
  /// Those of the message; null if it has had no value yet.
  static ValueTables* of(Decoder& decoder) noexcept { return static_cast<ValueTables*>(decoder.attachment().get()); }

  std::unordered_set<std::size_t> values;
  std::unordered_map<std::size_t, std::string_view> texts;  ///< repository ids and codebases
  std::unordered_map<std::size_t, std::vector<std::string_view>> lists;
  std::unordered_map<std::size_t, std::string_view> singles;  ///< by the value's position: ids not in lists
  std::list<base::Bytes> joined;                              ///< octets gathered from several chunks
  base::SharedPtr<Attachment> companion;
  std::int32_t level = 0;   ///< chunked values around the cursor
  std::int32_t closed = 0;  ///< an end tag has closed this level and those inside it; 0 if none
};

}  // namespace corbel::cdr
