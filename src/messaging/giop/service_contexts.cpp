// SPDX-License-Identifier: Apache-2.0
#include "messaging/giop/header_reader.hpp"
#include "messaging/giop/header_writer.hpp"

namespace corbel::messaging::giop {

void HeaderWriter::put_context_list(std::span<const ServiceContext> contexts) {
  encoder_.put_count(contexts.size());
  for (const ServiceContext& context : contexts) {
    encoder_.put(context.id);
    encoder_.put_count(context.data.size());
    encoder_.copy_octets(context.data.data(), context.data.size());
  }
  encoder_.align(4);
}

ServiceContextView take_context_list(cdr::Decoder& decoder, base::ConstByteSpan message, std::uint32_t count,
                                     const cdr::Limits& limits) {
  if (count > limits.max_service_contexts) decoder.fail(base::Code::too_large);
  const std::size_t begin = decoder.position();
  for (std::uint32_t i = 0; i < count && decoder.ok(); ++i) {
    decoder.get<std::uint32_t>();
    decoder.get_octet_sequence();
  }
  if (!decoder.ok()) return {};
  return {message.subspan(begin, decoder.position() - begin), count, decoder.format().swapped()};
}

}  // namespace corbel::messaging::giop
