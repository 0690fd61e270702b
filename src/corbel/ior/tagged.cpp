// SPDX-License-Identifier: Apache-2.0
#include "corbel/ior/tagged.hpp"

namespace corbel::ior {

void put_tagged(cdr::Encoder& encoder, const std::vector<Tagged>& list) {
  encoder.put_count(list.size());
  for (const Tagged& tagged : list) {
    encoder.put(tagged.tag);
    encoder.put_count(tagged.data.size());
    encoder.copy_octets(tagged.data.data(), tagged.data.size());
  }
}

void get_tagged(cdr::Decoder& decoder, std::vector<Tagged>& list, std::uint32_t limit, base::Code beyond) {
  list.clear();
  const std::size_t count = decoder.take_count(8, sizeof(Tagged));
  if (count > limit) return decoder.fail(beyond);
  list.reserve(count);
  for (std::size_t i = 0; i < count && decoder.ok(); ++i) {
    const auto tag = decoder.get<std::uint32_t>();
    const base::ConstByteSpan data = decoder.get_octet_sequence();
    list.push_back({tag, base::Bytes(data.begin(), data.end())});
  }
  if (!decoder.ok()) list.clear();
}

}  // namespace corbel::ior
