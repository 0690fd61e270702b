// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/giop/header_reader.hpp"
#include "corbel/messaging/giop/header_writer.hpp"

// Service context lists (CORBA 3.3 part 2, 9.7).
namespace corbel::messaging::giop {

[[gnu::noinline]] void HeaderWriter::put_context_list(cdr::Encoder& encoder, std::span<const ServiceContext> contexts) {
  encoder.put_count(contexts.size());
  for (const ServiceContext& context : contexts) {
    encoder.put(context.id);
    encoder.put_count(context.data.size());
    encoder.copy_octets(context.data.data(), context.data.size());
  }
}

[[gnu::noinline]] HeaderReader HeaderReader::after_contexts(HeaderReader reader, std::uint32_t count,
                                                            const cdr::Limits& limits) noexcept {
  constexpr std::size_t kLeastContext = 8;
  if (count > limits.max_service_contexts) reader.fail_beyond(count, kLeastContext);
  for (std::uint32_t i = 0; i < count && reader.ok(); ++i) {
    reader.get();
    reader.get_octets();
  }
  return reader;
}

}  // namespace corbel::messaging::giop
