// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "corbel/dynamic/codec_factory.hpp"
#include "corbel/dynamic/iop_numbers.hpp"

/// Modules IOP and CONV_FRAME: references, and octets with a number that says what they are: service contexts, tagged
/// profiles and components (CORBA 3.3 part 2, 7.6.2, 7.7); code sets (7.10.2). What IDL uses of them besides is in
/// corbel/dynamic/iop_types.hpp.
namespace CONV_FRAME {
using CodeSetIdSeq = std::vector<CodeSetId>;
class CodeSetComponent;
}  // namespace CONV_FRAME

namespace IOP {

class TaggedProfile;
class TaggedComponent;
class ServiceContext;

using ProfileData = CORBA::OctetSeq;
using ComponentData = CORBA::OctetSeq;
using ObjectKey = CORBA::OctetSeq;
using TaggedProfileSeq = std::vector<TaggedProfile>;
using TaggedComponentSeq = std::vector<TaggedComponent>;
using MultipleComponentProfile = std::vector<TaggedComponent>;
using ServiceContextList = std::vector<ServiceContext>;

}  // namespace IOP

/// The structs of IOP.idl but for those of Codecs: each has two members. Module, name; type and name of each member.
#define CORBEL_IOP_STRUCTS(X)                                                                                  \
  X(CONV_FRAME, CodeSetComponent, CONV_FRAME::CodeSetId, native_code_set, CONV_FRAME::CodeSetIdSeq,            \
    conversion_code_sets)                                                                                      \
  X(CONV_FRAME, CodeSetComponentInfo, CONV_FRAME::CodeSetComponent, ForCharData, CONV_FRAME::CodeSetComponent, \
    ForWcharData)                                                                                              \
  X(CONV_FRAME, CodeSetContext, CONV_FRAME::CodeSetId, char_data, CONV_FRAME::CodeSetId, wchar_data)           \
  X(IOP, TaggedProfile, IOP::ProfileId, tag, IOP::ProfileData, profile_data)                                   \
  X(IOP, IOR, std::string, type_id, IOP::TaggedProfileSeq, profiles)                                           \
  X(IOP, TaggedComponent, IOP::ComponentId, tag, IOP::ComponentData, component_data)                           \
  X(IOP, ServiceContext, IOP::ServiceId, context_id, CORBA::OctetSeq, context_data)

#define CORBEL_IOP_STRUCT(MODULE, NAME, A, FIRST, B, SECOND)                                       \
  namespace MODULE {                                                                               \
  class NAME {                                                                                     \
   public:                                                                                         \
    NAME() = default;                                                                              \
    explicit NAME(A FIRST, B SECOND) : _##FIRST(std::move(FIRST)), _##SECOND(std::move(SECOND)) {} \
    void FIRST(A value) { _##FIRST = std::move(value); }                                           \
    const A& FIRST() const { return _##FIRST; }                                                    \
    A& FIRST() { return _##FIRST; }                                                                \
    void SECOND(B value) { _##SECOND = std::move(value); }                                         \
    const B& SECOND() const { return _##SECOND; }                                                  \
    B& SECOND() { return _##SECOND; }                                                              \
    void swap(NAME& other) { std::swap(*this, other); }                                            \
    friend void swap(NAME& a, NAME& b) { a.swap(b); }                                              \
    friend bool operator==(const NAME&, const NAME&) = default;                                    \
                                                                                                   \
   private:                                                                                        \
    A _##FIRST{};                                                                                  \
    B _##SECOND{};                                                                                 \
  };                                                                                               \
  }
CORBEL_IOP_STRUCTS(CORBEL_IOP_STRUCT)
#undef CORBEL_IOP_STRUCT
