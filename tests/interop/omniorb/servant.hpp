// SPDX-License-Identifier: Apache-2.0
// The servants of the omniORB server: interop.idl's contract in the classic IDL-to-C++ mapping.
#pragma once

#include <atomic>
#include <string>

#include "interop.hh"
#include "twist.hpp"

namespace interop {

/// An object with a name; made and destroyed on request.
class NodeServant : public virtual POA_Interop::Node, public virtual PortableServer::RefCountServantBase {
 public:
  explicit NodeServant(std::string name) : name_(std::move(name)) {}
  char* name() override { return CORBA::string_dup(name_.c_str()); }
  void ping() override {}

 private:
  std::string name_;
};

/// The contract of echo_T, for values, for heap values and for texts.
template <class T>
T echoed(const T& a, T& b, T& c) {
  c = b;
  twist(c);
  b = a;
  return a;
}
template <class T, class Out>
T* echoed_new(const T& a, T& b, Out c) {
  T* out = new T(b);
  twist(*out);
  c = out;
  b = a;
  return new T(a);
}
inline void free_text(char* text) {
  CORBA::string_free(text);
}
inline void free_text(CORBA::WChar* text) {
  CORBA::wstring_free(text);
}
inline char* copy_text(const char* text) {
  return CORBA::string_dup(text);
}
inline CORBA::WChar* copy_text(const CORBA::WChar* text) {
  return CORBA::wstring_dup(text);
}
template <class Char, class Out>
Char* echoed_text(const Char* a, Char*& b, Out c) {
  c = twisted_text(b);
  free_text(b);
  b = copy_text(a);
  return copy_text(a);
}

// clang-format off
#define ECHO_SCALAR(T, op) T op(T a, T& b, T& c) override { return echoed<T>(a, b, c); }
#define ECHO_FIXED(T, op) T op(const T& a, T& b, T& c) override { return echoed<T>(a, b, c); }
#define ECHO_VARIABLE(T, op) T* op(const T& a, T& b, T##_out c) override { return echoed_new<T>(a, b, c); }
#define ECHO_TEXT(op) \
  char* op(const char* a, char*& b, CORBA::String_out c) override { return echoed_text(a, b, c); }
#define ECHO_WIDE(op) \
  CORBA::WChar* op(const CORBA::WChar* a, CORBA::WChar*& b, CORBA::WString_out c) override { \
    return echoed_text(a, b, c); \
  }
#define ECHO_FIXED_ARRAY(T, op) \
  T##_slice* op(const T a, T b, T c) override { T##_copy(c, b); twist(reinterpret_cast<T&>(*c)); T##_copy(b, a); return T##_dup(a); }
#define ECHO_VARIABLE_ARRAY(T, op) \
  T##_slice* op(const T a, T b, T##_out c) override { \
    T##_slice* out = T##_dup(b); twist(reinterpret_cast<T&>(*out)); c = out; T##_copy(b, a); return T##_dup(a); \
  }
#define ATTRIBUTE_SCALAR(T, name, start) \
  T name() override { return name##_; } \
  void name(T v) override { name##_ = v; } \
  T name##_ = start;
// clang-format on

/// The whole of interop.idl on one object.
class SuiteServant : public virtual POA_Interop::Whole::Suite, public virtual PortableServer::RefCountServantBase {
 public:
  SuiteServant(CORBA::ORB_ptr orb, PortableServer::POA_ptr poa, PortableServer::POA_ptr forwarding_poa);

  char* name() override;
  void ping() override {}

  ECHO_SCALAR(CORBA::Boolean, echo_boolean)
  ECHO_SCALAR(CORBA::Char, echo_char)
  ECHO_SCALAR(CORBA::Octet, echo_octet)
  ECHO_SCALAR(CORBA::Short, echo_short)
  ECHO_SCALAR(CORBA::UShort, echo_ushort)
  ECHO_SCALAR(CORBA::Long, echo_long)
  ECHO_SCALAR(CORBA::ULong, echo_ulong)
  ECHO_SCALAR(CORBA::LongLong, echo_longlong)
  ECHO_SCALAR(CORBA::ULongLong, echo_ulonglong)
  ECHO_SCALAR(CORBA::Float, echo_float)
  ECHO_SCALAR(CORBA::Double, echo_double)
  ECHO_SCALAR(CORBA::WChar, echo_wchar)
  ECHO_SCALAR(Interop::Colour, echo_enum)
  ECHO_TEXT(echo_string)
  ECHO_TEXT(echo_bounded_string)
  ECHO_TEXT(echo_alias)
  ECHO_WIDE(echo_wstring)
  ECHO_WIDE(echo_bounded_wstring)
  char* mixed(CORBA::Octet a, CORBA::Double b, CORBA::Char c, CORBA::LongLong d, CORBA::Boolean e, CORBA::Short f,
              const char* g, CORBA::Long h) override;
  char* constants() override;
  ATTRIBUTE_SCALAR(CORBA::Long, level, 0)
  ATTRIBUTE_SCALAR(CORBA::Boolean, flag, false)
  ATTRIBUTE_SCALAR(Interop::Colour, shade, Interop::red)
  char* label() override { return CORBA::string_dup(label_.c_str()); }
  void label(const char* v) override { label_ = v; }
  Interop::BinStruct bin() override { return bin_; }
  void bin(const Interop::BinStruct& v) override { bin_ = v; }
  Interop::LongSeq* values() override { return new Interop::LongSeq(values_); }
  void values(const Interop::LongSeq& v) override { values_ = v; }
  CORBA::Double ratio() override { return 0.125; }

  ECHO_VARIABLE(Interop::BoolSeq, echo_bool_seq)
  ECHO_VARIABLE(Interop::CharSeq, echo_char_seq)
  ECHO_VARIABLE(Interop::OctetSeq, echo_octet_seq)
  ECHO_VARIABLE(Interop::ShortSeq, echo_short_seq)
  ECHO_VARIABLE(Interop::UShortSeq, echo_ushort_seq)
  ECHO_VARIABLE(Interop::LongSeq, echo_long_seq)
  ECHO_VARIABLE(Interop::ULongSeq, echo_ulong_seq)
  ECHO_VARIABLE(Interop::LongLongSeq, echo_longlong_seq)
  ECHO_VARIABLE(Interop::ULongLongSeq, echo_ulonglong_seq)
  ECHO_VARIABLE(Interop::FloatSeq, echo_float_seq)
  ECHO_VARIABLE(Interop::DoubleSeq, echo_double_seq)
  ECHO_VARIABLE(Interop::WCharSeq, echo_wchar_seq)
  ECHO_VARIABLE(Interop::StringSeq, echo_string_seq)
  ECHO_VARIABLE(Interop::WStringSeq, echo_wstring_seq)
  ECHO_VARIABLE(Interop::ColourSeq, echo_enum_seq)
  ECHO_VARIABLE(Interop::LongSeqSeq, echo_seq_seq)
  ECHO_VARIABLE(Interop::BoundedSeq, echo_bounded_seq)
  ECHO_VARIABLE(Interop::BoundedTextSeq, echo_bounded_text_seq)
  ECHO_VARIABLE(Interop::BinSeq, echo_bin_seq)
  ECHO_VARIABLE(Interop::RecordSeq, echo_record_seq)
  ECHO_VARIABLE(Interop::TreeSeq, echo_tree_seq)
  ECHO_VARIABLE(Interop::GridSeq, echo_grid_seq)
  Interop::OctetSeq* twist_octets(const Interop::OctetSeq& a) override;
  Interop::StringSeq* twist_strings(const Interop::StringSeq& a) override;
  Interop::BinSeq* twist_bins(const Interop::BinSeq& a) override;
  char* twist_text(const char* a) override;
  CORBA::ULongLong sum_octets(const Interop::OctetSeq& a) override;
  Interop::OctetSeq* make_octets(CORBA::ULong count) override;

  ECHO_FIXED(Interop::BinStruct, echo_bin)
  ECHO_FIXED(Interop::Scalars, echo_scalars)
  ECHO_VARIABLE(Interop::Wides, echo_wides)
  ECHO_VARIABLE(Interop::Record, echo_record)
  ECHO_VARIABLE(Interop::Nested, echo_nested)
  ECHO_VARIABLE(Interop::Empties, echo_empties)
  ECHO_VARIABLE(Interop::Tree, echo_tree)
  ECHO_VARIABLE(Interop::Arrays, echo_arrays)
  ECHO_FIXED_ARRAY(Interop::Grid, echo_grid)
  ECHO_FIXED_ARRAY(Interop::Digest, echo_digest)
  ECHO_FIXED_ARRAY(Interop::BinArray, echo_bin_array)
  ECHO_VARIABLE_ARRAY(Interop::Names, echo_names)
  ECHO_VARIABLE_ARRAY(Interop::SeqArray, echo_seq_array)
  ECHO_VARIABLE_ARRAY(Interop::RecordArray, echo_record_array)
  ECHO_VARIABLE(Interop::LongUnion, echo_long_union)
  ECHO_VARIABLE(Interop::EnumUnion, echo_enum_union)
  ECHO_VARIABLE(Interop::BoolUnion, echo_bool_union)
  ECHO_FIXED(Interop::CharUnion, echo_char_union)
  ECHO_VARIABLE(Interop::ShortUnion, echo_short_union)
  ECHO_VARIABLE(Interop::WideUnion, echo_wide_union)
  ECHO_VARIABLE(Interop::LongUnionSeq, echo_union_seq)
  ECHO_VARIABLE(Interop::Words, echo_words)
  CORBA::Long _cxx_delete(CORBA::Long a, CORBA::Long b) override { return a * 10 + b; }
  CORBA::Long module() override { return 77; }
  ATTRIBUTE_SCALAR(CORBA::Long, _cxx_template, 0)

  CORBA::Long raise_user(CORBA::Long which, CORBA::String_out note) override;
  void raise_unlisted() override;
  void raise_foreign() override;
  void raise_system(const char* name, CORBA::ULong minor, CORBA::ULong completed) override;
  void oversized(CORBA::Long count, Interop::BoundedSeq_out c) override;

  Interop::Node_ptr echo_node(Interop::Node_ptr a, Interop::Node_ptr& b, Interop::Node_out c) override;
  CORBA::Object_ptr echo_object(CORBA::Object_ptr a, CORBA::Object_ptr& b, CORBA::Object_out c) override;
  Interop::NodeSeq* echo_node_seq(const Interop::NodeSeq& a, Interop::NodeSeq& b, Interop::NodeSeq_out c) override;
  Interop::Link* echo_link(const Interop::Link& a, Interop::Link& b, Interop::Link_out c) override;
  Interop::Node_ptr self() override { return _this(); }
  Interop::Node_ptr make_node(const char* name) override;
  void destroy_node(Interop::Node_ptr which) override;
  Interop::Node_ptr forwarded() override;
  char* name_of(Interop::Node_ptr which) override;
  char* call_back(Interop::Callback_ptr target, const char* text, CORBA::Long depth) override;
  void poke_back(Interop::Callback_ptr target, CORBA::Long times) override;
  Interop::Node_ptr favourite() override { return Interop::Node::_duplicate(favourite_); }
  void favourite(Interop::Node_ptr v) override { favourite_ = Interop::Node::_duplicate(v); }

  void fire(CORBA::Long amount) override { fired_ += amount; }
  void fire_text(const char* text, const Interop::OctetSeq& data) override;
  CORBA::LongLong fired() override { return fired_; }
  void shutdown() override { orb_->shutdown(false); }

 private:
  CORBA::ORB_var orb_;
  PortableServer::POA_var poa_;
  PortableServer::POA_var forwarding_poa_;
  std::string label_;
  Interop::BinStruct bin_{};
  Interop::LongSeq values_;
  Interop::Node_var favourite_;
  std::atomic<CORBA::LongLong> fired_{0};
};

}  // namespace interop
