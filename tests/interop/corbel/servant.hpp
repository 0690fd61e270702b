// SPDX-License-Identifier: Apache-2.0
// The servants of the Corbel server: interop.idl's contract in the IDL-to-C++11 mapping.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "corbel/orb/orb.hpp"
#include "corbel/poa/poa.hpp"
#include "interop_server.hpp"
#include "twist.hpp"

namespace interop {

using NodeRef = IDL::traits<Interop::Node>::ref_type;
using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
using CallbackRef = IDL::traits<Interop::Callback>::ref_type;
using PoaRef = IDL::traits<PortableServer::POA>::ref_type;
using OrbRef = IDL::traits<CORBA::ORB>::ref_type;

/// An object with a name; made and destroyed on request.
class NodeServant : public virtual CORBA::servant_traits<Interop::Node>::base_type {
 public:
  explicit NodeServant(std::string name) : name_(std::move(name)) {}
  std::string name() override { return name_; }
  void ping() override {}

 private:
  std::string name_;
};

/// The contract of echo_T.
template <class T>
T echoed(const T& a, T& b, T& c) {
  c = b;
  twist(c);
  b = a;
  return a;
}

// clang-format off
#define ECHO(T, op) \
  T op(IDL::traits<T>::in_type a, T& b, T& c) override { return echoed<T>(a, b, c); }
#define ATTRIBUTE(T, name) \
  T name() override { return name##_; } \
  void name(IDL::traits<T>::in_type v) override { name##_ = v; } \
  T name##_{};
// clang-format on

/// The whole of interop.idl on one object. Attributes are not synchronised: the suite has one writer.
class SuiteServant : public virtual CORBA::servant_traits<Interop::Whole::Suite>::base_type {
 public:
  SuiteServant(OrbRef orb, PoaRef poa, PoaRef forwarding_poa);

  std::string name() override { return "suite"; }
  void ping() override {}

  ECHO(bool, echo_boolean)
  ECHO(char, echo_char)
  ECHO(std::uint8_t, echo_octet)
  ECHO(std::int16_t, echo_short)
  ECHO(std::uint16_t, echo_ushort)
  ECHO(std::int32_t, echo_long)
  ECHO(std::uint32_t, echo_ulong)
  ECHO(std::int64_t, echo_longlong)
  ECHO(std::uint64_t, echo_ulonglong)
  ECHO(float, echo_float)
  ECHO(double, echo_double)
  ECHO(wchar_t, echo_wchar)
  ECHO(Interop::Colour, echo_enum)
  ECHO(std::string, echo_string)
  ECHO(std::wstring, echo_wstring)
  ECHO(Interop::ShortText, echo_bounded_string)
  ECHO(Interop::ShortWide, echo_bounded_wstring)
  ECHO(Interop::Title, echo_alias)
  std::string mixed(std::uint8_t a, double b, char c, std::int64_t d, bool e, std::int16_t f, const std::string& g,
                    std::int32_t h) override;
  std::string constants() override;
  ATTRIBUTE(std::int32_t, level)
  ATTRIBUTE(std::string, label)
  ATTRIBUTE(Interop::BinStruct, bin)
  ATTRIBUTE(Interop::LongSeq, values)
  ATTRIBUTE(Interop::Colour, shade)
  ATTRIBUTE(bool, flag)
  double ratio() override { return 0.125; }

  ECHO(Interop::BoolSeq, echo_bool_seq)
  ECHO(Interop::CharSeq, echo_char_seq)
  ECHO(Interop::OctetSeq, echo_octet_seq)
  ECHO(Interop::ShortSeq, echo_short_seq)
  ECHO(Interop::UShortSeq, echo_ushort_seq)
  ECHO(Interop::LongSeq, echo_long_seq)
  ECHO(Interop::ULongSeq, echo_ulong_seq)
  ECHO(Interop::LongLongSeq, echo_longlong_seq)
  ECHO(Interop::ULongLongSeq, echo_ulonglong_seq)
  ECHO(Interop::FloatSeq, echo_float_seq)
  ECHO(Interop::DoubleSeq, echo_double_seq)
  ECHO(Interop::WCharSeq, echo_wchar_seq)
  ECHO(Interop::StringSeq, echo_string_seq)
  ECHO(Interop::WStringSeq, echo_wstring_seq)
  ECHO(Interop::ColourSeq, echo_enum_seq)
  ECHO(Interop::LongSeqSeq, echo_seq_seq)
  ECHO(Interop::BoundedSeq, echo_bounded_seq)
  ECHO(Interop::BoundedTextSeq, echo_bounded_text_seq)
  ECHO(Interop::BinSeq, echo_bin_seq)
  ECHO(Interop::RecordSeq, echo_record_seq)
  ECHO(Interop::TreeSeq, echo_tree_seq)
  ECHO(Interop::GridSeq, echo_grid_seq)
  Interop::OctetSeq twist_octets(const Interop::OctetSeq& a) override;
  Interop::StringSeq twist_strings(const Interop::StringSeq& a) override;
  Interop::BinSeq twist_bins(const Interop::BinSeq& a) override;
  std::string twist_text(const std::string& a) override;
  std::uint64_t sum_octets(const Interop::OctetSeq& a) override;
  Interop::OctetSeq make_octets(std::uint32_t count) override;

  ECHO(Interop::BinStruct, echo_bin)
  ECHO(Interop::Scalars, echo_scalars)
  ECHO(Interop::Wides, echo_wides)
  ECHO(Interop::Record, echo_record)
  ECHO(Interop::Nested, echo_nested)
  ECHO(Interop::Empties, echo_empties)
  ECHO(Interop::Tree, echo_tree)
  ECHO(Interop::Arrays, echo_arrays)
  ECHO(Interop::Grid, echo_grid)
  ECHO(Interop::Digest, echo_digest)
  ECHO(Interop::BinArray, echo_bin_array)
  ECHO(Interop::Names, echo_names)
  ECHO(Interop::SeqArray, echo_seq_array)
  ECHO(Interop::RecordArray, echo_record_array)
  ECHO(Interop::LongUnion, echo_long_union)
  ECHO(Interop::EnumUnion, echo_enum_union)
  ECHO(Interop::BoolUnion, echo_bool_union)
  ECHO(Interop::CharUnion, echo_char_union)
  ECHO(Interop::ShortUnion, echo_short_union)
  ECHO(Interop::WideUnion, echo_wide_union)
  ECHO(Interop::LongUnionSeq, echo_union_seq)
  ECHO(Interop::Words, echo_words)
  std::int32_t _cxx_delete(std::int32_t a, std::int32_t b) override { return a * 10 + b; }
  std::int32_t module() override { return 77; }
  ATTRIBUTE(std::int32_t, _cxx_template)

  std::int32_t raise_user(std::int32_t which, std::string& note) override;
  void raise_unlisted() override { throw Interop::Unlisted(5); }
  void raise_foreign() override;
  void raise_system(const std::string& name, std::uint32_t minor, std::uint32_t completed) override;
  void oversized(std::int32_t count, Interop::BoundedSeq& c) override;

  NodeRef echo_node(NodeRef a, NodeRef& b, NodeRef& c) override { return echoed<NodeRef>(a, b, c); }
  ObjectRef echo_object(ObjectRef a, ObjectRef& b, ObjectRef& c) override { return echoed<ObjectRef>(a, b, c); }
  ECHO(Interop::NodeSeq, echo_node_seq)
  ECHO(Interop::Link, echo_link)
  NodeRef self() override { return _this(); }
  NodeRef make_node(const std::string& name) override;
  void destroy_node(NodeRef which) override;
  NodeRef forwarded() override;
  std::string name_of(NodeRef which) override { return which ? which->name() : "nil"; }
  std::string call_back(CallbackRef target, const std::string& text, std::int32_t depth) override;
  void poke_back(CallbackRef target, std::int32_t times) override;
  NodeRef favourite() override { return favourite_; }
  void favourite(NodeRef v) override { favourite_ = v; }

  void fire(std::int32_t amount) override { fired_ += amount; }
  void fire_text(const std::string& text, const Interop::OctetSeq& data) override;
  std::int64_t fired() override { return fired_; }
  void shutdown() override { orb_->shutdown(false); }

 private:
  OrbRef orb_;
  PoaRef poa_;
  PoaRef forwarding_poa_;
  NodeRef favourite_;
  std::atomic<std::int64_t> fired_{0};
};

#undef ECHO
#undef ATTRIBUTE

}  // namespace interop
