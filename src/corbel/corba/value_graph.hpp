// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "corbel/cdr/value_stream.hpp"
#include "corbel/cdr/value_tables.hpp"
#include "corbel/corba/value.hpp"

namespace corbel::corba {

/// The objects made of a message's values, and which refers to which. It lives as long as the message is read: on a
/// server until the operation has run and its arguments are gone. Values that form circles would keep each other alive
/// for ever. If nothing outside refers to a message with circles any more, its values are emptied, which frees them.
///
/// A circle is taken apart only if nothing was changed in it: each value is referred to by just those that the message
/// said. An application that keeps a value of the message keeps all that it leads to, and breaks the circles in it
/// itself.
class ValueGraph final : public cdr::Attachment {
 public:
  using ValuePtr = base::SharedPtr<CORBA::ValueBase>;
  static ValueGraph& of(cdr::ValueReader& reader);
  ~ValueGraph() override;

  /// The value at this position, null if there is none; a reference to it goes to the value whose state is being read.
  ValuePtr find(std::size_t position);
  /// A new value, whose state is read until the State ends.
  class State {
   public:
    State(ValueGraph& graph, std::size_t position, ValuePtr value);
    /// Without success the value has not been given out.
    ~State();
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    /// The value's state has been read; a reference to it goes to the value around it.
    void succeed();

   private:
    ValueGraph& graph_;
    const std::uint32_t index_;
    const std::uint32_t outer_;
    bool succeeded_ = false;
  };

 private:
  static constexpr std::uint32_t kNone = ~0U;
  struct Made {
    ValuePtr value;
    std::uint32_t referred = 0;  // how often, by values of the message
    bool open = true;            // its state is being read
    bool kept = false;           // by something outside, or by a value that is
  };
  struct Edge {
    std::uint32_t from;
    std::uint32_t to;
  };

  void refer_to(std::uint32_t index);
  void mark_kept();
  bool is_unchanged() const;
  void break_circles() noexcept;

  std::vector<Made> made_;
  cdr::ByPosition<std::uint32_t> by_position_;
  std::vector<Edge> edges_;
  std::uint32_t current_ = kNone;
  bool circular_ = false;
  bool failed_ = false;
};

/// decode_value() of corba/value.hpp, from where the header, that of a value, has been read.
base::SharedPtr<CORBA::ValueBase> decode_value(cdr::Decoder& decoder, const cdr::ValueHeader& header,
                                               const ValueType& formal);

/// While an encoder is traced, values written to it are only noted: encode_value() asks before it does anything else.
bool is_traced(cdr::Encoder& encoder, const CORBA::ValueBase* value);

}  // namespace corbel::corba
