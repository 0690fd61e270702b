// SPDX-License-Identifier: Apache-2.0
#include "corbel/bridge/passage.hpp"

#include "corbel/dynamic/transcode.hpp"

namespace corbel::bridge {
namespace {

/// True if what is written in the one format reads the same in the other.
bool agree(const cdr::Format& from, const cdr::Format& to) noexcept {
  if (from.little_endian != to.little_endian || from.char_set != to.char_set) return false;
  // Wide characters have another form in each version (CORBA 3.3 part 2, 9.3.1.6 and 9.3.2.7), and nothing else has.
  const bool may_be_wide = from.wchar_set != cdr::CodeSet::none && to.wchar_set != cdr::CodeSet::none;
  return from.giop_minor == to.giop_minor || !may_be_wide;
}

}  // namespace

bool Passage::goes_as_it_is(const cdr::Encoder& out) noexcept {
  // In GIOP 1.1 each fragment has an alignment of its own.
  if (body_.is_joined() || !agree(body_.format(), out.format())) return false;
  const std::size_t shift = (body_.position() - out.position()) & 7;
  wants_shift_ = shift == 4 && !has_types_;
  return shift == 0;
}

void Passage::write(cdr::Encoder& out) {
  wants_shift_ = false;
  if (is_reference_) {
    cdr::Decoder in = body_;
    return pass_reference(in, out);
  }
  if (by_types_) return write_by_types(out);
  const std::size_t size = body_.remaining();
  if (size == 0) return;
  if (goes_as_it_is(out)) {
    cdr::Decoder in = body_;
    const base::ConstByteSpan octets = in.take_octets(size);
    out.put_octets(octets.data(), octets.size());
    return out.put_octets(body_.rest().data(), body_.rest().size());
  }
  if (!has_types_) return out.fail(base::Code::unsupported);
  by_types_ = true;
  write_by_types(out);
}

void Passage::write_by_types(cdr::Encoder& out) {
  cdr::Decoder in = body_;
  const auto references = [this](cdr::Decoder& from, cdr::Encoder& to) { pass_reference(from, to); };
  for (const auto& type : types_) dynamic::pass_on(*type, in, out, references);
  if (!in.ok()) out.fail(in.error().code);
}

void Passage::pass_reference(cdr::Decoder& in, cdr::Encoder& out) {
  ior::Ior ior;
  ior::decode(in, ior);
  if (!in.ok()) return out.fail(in.error().code);
  const auto other = proxies_.replace(ior);
  if (!other) return out.fail(other.error().code);
  ior::encode(out, *other);
}

}  // namespace corbel::bridge
