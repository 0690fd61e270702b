// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "corbel/dynamic/codec_factory.hpp"
#include "corbel/interceptors/iop_numbers.hpp"
#include "corbel/mapping/corba_types.hpp"

/// Octets with a number that says what they are: service contexts, tagged profiles and components (CORBA 3.3 part 2,
/// 7.6.2, 7.7). As corbel-idl maps IOP.idl; do not include both.
namespace IOP {

using ProfileData = CORBA::OctetSeq;
using ComponentData = CORBA::OctetSeq;

#define CORBEL_TAGGED_OCTETS(NAME, ID, TAG, DATA)                                          \
  class NAME {                                                                             \
   public:                                                                                 \
    NAME() = default;                                                                      \
    explicit NAME(ID TAG, CORBA::OctetSeq DATA) : _##TAG(TAG), _##DATA(std::move(DATA)) {} \
    void TAG(ID value) { _##TAG = value; }                                                 \
    ID TAG() const { return _##TAG; }                                                      \
    ID& TAG() { return _##TAG; }                                                           \
    void DATA(const CORBA::OctetSeq& value) { _##DATA = value; }                           \
    void DATA(CORBA::OctetSeq&& value) { _##DATA = std::move(value); }                     \
    const CORBA::OctetSeq& DATA() const { return _##DATA; }                                \
    CORBA::OctetSeq& DATA() { return _##DATA; }                                            \
    void swap(NAME& other) { std::swap(*this, other); }                                    \
    friend void swap(NAME& a, NAME& b) { a.swap(b); }                                      \
    friend bool operator==(const NAME&, const NAME&) = default;                            \
                                                                                           \
   private:                                                                                \
    ID _##TAG{};                                                                           \
    CORBA::OctetSeq _##DATA;                                                               \
  };
CORBEL_TAGGED_OCTETS(ServiceContext, ServiceId, context_id, context_data)
CORBEL_TAGGED_OCTETS(TaggedProfile, ProfileId, tag, profile_data)
CORBEL_TAGGED_OCTETS(TaggedComponent, ComponentId, tag, component_data)
#undef CORBEL_TAGGED_OCTETS

using ServiceContextList = std::vector<ServiceContext>;
using TaggedProfileSeq = std::vector<TaggedProfile>;
using TaggedComponentSeq = std::vector<TaggedComponent>;

}  // namespace IOP

/// Parameters, exceptions and contexts as lists, for interceptors. As corbel-idl maps Dynamic.idl; do not include both.
namespace Dynamic {

class Parameter {
 public:
  Parameter() = default;
  explicit Parameter(CORBA::Any argument, CORBA::ParameterMode mode) : _argument(std::move(argument)), _mode(mode) {}
  void argument(const CORBA::Any& value) { _argument = value; }
  void argument(CORBA::Any&& value) { _argument = std::move(value); }
  const CORBA::Any& argument() const { return _argument; }
  CORBA::Any& argument() { return _argument; }
  void mode(CORBA::ParameterMode value) { _mode = value; }
  CORBA::ParameterMode mode() const { return _mode; }
  CORBA::ParameterMode& mode() { return _mode; }

 private:
  CORBA::Any _argument;
  CORBA::ParameterMode _mode{};
};

using ParameterList = std::vector<Parameter>;
using ContextList = std::vector<std::string>;
using ExceptionList = std::vector<CORBA::typecode_reference>;
using RequestContext = std::vector<std::string>;

}  // namespace Dynamic
