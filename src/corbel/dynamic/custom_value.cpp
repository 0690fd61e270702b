// SPDX-License-Identifier: Apache-2.0
#include "corbel/dynamic/custom_value.hpp"

#include <utility>

#include "corbel/corba/value.hpp"
#include "corbel/corba/value_graph.hpp"

namespace corbel::dynamic {
namespace {

/// A value that the message written would otherwise outlive, which knows it by its address.
struct Made final : cdr::Attachment {
  explicit Made(corba::ValueGraph::ValuePtr made) : value(std::move(made)) {}
  const corba::ValueGraph::ValuePtr value;
};

}  // namespace

void copy_custom_value(const cdr::ValueHeader& header, std::string_view id, cdr::Decoder& in, cdr::Encoder& out) {
  const corba::ValueType formal{.id = id, .ids = {}};
  const auto value = corba::decode_value(in, header, formal);
  if (value == nullptr) return;
  cdr::ValueWriter(out).keep(base::make_shared<Made>(value));
  const std::size_t before = out.position();
  corba::encode_value(out, value.get(), {});
  (void)in.charge(out.position() - before);  // several Anys of a message may have a copy each of the same octets
}

bool put_known_object(cdr::Decoder& in, cdr::Encoder& out, std::size_t position) {
  auto& graph = cdr::ValueReader(in).companion();
  if (graph == nullptr) return false;
  const auto value = static_cast<corba::ValueGraph&>(*graph).find(position);
  return value != nullptr && cdr::ValueWriter(out).put_known(value.get());
}

}  // namespace corbel::dynamic
