// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "corbel/bridge/proxies.hpp"
#include "corbel/cdr/decoder.hpp"
#include "corbel/cdr/encoder.hpp"
#include "corbel/dynamic/type_code.hpp"

namespace corbel::bridge {

/// The body of one message on its way from the message that came to the one that leaves. Used as a BodyWriter: may be
/// asked again, after it has said why not. Refers to the message that came.
class Passage {
 public:
  using Types = std::span<const CORBA::typecode_reference>;

  Passage(const cdr::Decoder& body, Proxies& proxies) noexcept : body_(body), proxies_(proxies) {}

  /// How the body is read if it cannot go octet for octet, or (`always`) must not.
  void set_types(Types types, bool always) noexcept {
    types_ = types;
    has_types_ = true;
    by_types_ = always;
  }
  /// The body is one reference, and what leaves is another.
  void set_reference() noexcept { is_reference_ = true; }

  /// False if the octets cannot be those of the message, because of its byte order: a message in the other one may do.
  bool wants_other_order() const noexcept {
    return body_.format().swapped() && !by_types_ && !is_reference_ && body_.remaining() != 0;
  }
  /// Writes it where the encoder stands; fails there with unsupported if the octets cannot be passed on and types are
  /// not known.
  void write(cdr::Encoder& out);
  /// True if write() failed because the octets would have to lie four octets further on.
  bool wants_shift() const noexcept { return wants_shift_; }
  bool went_by_types() const noexcept { return by_types_; }

 private:
  bool goes_as_it_is(const cdr::Encoder& out) noexcept;
  void write_by_types(cdr::Encoder& out);
  void pass_reference(cdr::Decoder& in, cdr::Encoder& out);

  const cdr::Decoder& body_;
  Proxies& proxies_;
  Types types_;
  bool has_types_ = false;
  bool by_types_ = false;
  bool is_reference_ = false;
  bool wants_shift_ = false;
};

}  // namespace corbel::bridge
