// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/cpp/library.hpp"

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace corbel::idl::cpp {
namespace {

using model::as;

constexpr std::string_view kCorba = "corbel/mapping/corba_types.hpp";
constexpr std::string_view kCorbaDynamic = "corbel/dynamic/corba_types.hpp";
constexpr std::string_view kPortableServer = "corbel/dynamic/portable_server_types.hpp";
constexpr std::string_view kDynamicAny = "corbel/dynamic/dyn_any_types.hpp";
constexpr std::string_view kCodec = "corbel/dynamic/codec_factory_types.hpp";
constexpr std::string_view kAsynchronous = "corbel/mapping/ami.hpp";
constexpr std::string_view kRealTime = "corbel/mapping/rtcorba_natives.hpp";

/// Names in module CORBA that need neither Anys nor TypeCodes.
constexpr std::string_view kCorbaNames[] = {
    // policies
    "Policy", "PolicyType", "PolicyList", "PolicyTypeSeq", "PolicyErrorCode", "PolicyError", "BAD_POLICY",
    "UNSUPPORTED_POLICY", "BAD_POLICY_TYPE", "BAD_POLICY_VALUE", "UNSUPPORTED_POLICY_VALUE", "SetOverrideType",
    "InvalidPolicies", "SecConstruction", "Current", "PolicyManager", "PolicyCurrent",
    // strings, sequences, enums
    "Identifier", "ScopedName", "RepositoryId", "RepositoryIdSeq", "VersionSpec", "BooleanSeq", "CharSeq", "WCharSeq",
    "OctetSeq", "ShortSeq", "UShortSeq", "LongSeq", "ULongSeq", "LongLongSeq", "ULongLongSeq", "FloatSeq", "DoubleSeq",
    "LongDoubleSeq", "StringSeq", "WStringSeq", "completion_status", "exception_type", "ParameterMode", "BadFixedValue",
    "AbstractBase",
    // system exceptions
    "OMGVMCID", "UNKNOWN", "BAD_PARAM", "NO_MEMORY", "IMP_LIMIT", "COMM_FAILURE", "INV_OBJREF", "NO_PERMISSION",
    "INTERNAL", "MARSHAL", "INITIALIZE", "NO_IMPLEMENT", "BAD_TYPECODE", "BAD_OPERATION", "NO_RESOURCES", "NO_RESPONSE",
    "PERSIST_STORE", "BAD_INV_ORDER", "TRANSIENT", "FREE_MEM", "INV_IDENT", "INV_FLAG", "INTF_REPOS", "BAD_CONTEXT",
    "OBJ_ADAPTER", "DATA_CONVERSION", "OBJECT_NOT_EXIST", "TRANSACTION_REQUIRED", "TRANSACTION_ROLLEDBACK",
    "INVALID_TRANSACTION", "INV_POLICY", "CODESET_INCOMPATIBLE", "REBIND", "TIMEOUT", "TRANSACTION_UNAVAILABLE",
    "TRANSACTION_MODE", "BAD_QOS", "INVALID_ACTIVITY", "ACTIVITY_COMPLETED", "ACTIVITY_REQUIRED", "THREAD_CANCELLED"};

constexpr std::string_view kCorbaDynamicNames[] = {"TCKind",         "Visibility", "PRIVATE_MEMBER", "PUBLIC_MEMBER",
                                                   "ValueModifier",  "VM_NONE",    "VM_CUSTOM",      "VM_ABSTRACT",
                                                   "VM_TRUNCATABLE", "AnySeq"};

/// Scoped names to headers; a module stands for all that is in it.
const std::unordered_map<std::string, std::string_view>& known_headers() {
  static const auto kHeaders = [] {
    std::unordered_map<std::string, std::string_view> map = {
        {"PortableServer", kPortableServer},
        {"DynamicAny", kDynamicAny},
        {"IOP::EncodingFormat", kCodec},
        {"IOP::ENCODING_CDR_ENCAPS", kCodec},
        {"IOP::Encoding", kCodec},
        {"IOP::Codec", kCodec},
        {"IOP::CodecFactory", kCodec},
        {"Messaging::UserExceptionBase", kAsynchronous},
        {"Messaging::ExceptionHolder", kAsynchronous},
        {"Messaging::ReplyHandler", kAsynchronous},
        {"RTCORBA::PriorityMapping", kRealTime},
        {"RTCORBA::PriorityTransform", kRealTime},
        {"RTCORBA::NetworkPriorityMapping", kRealTime},
    };
    for (const auto name : kCorbaNames) map.emplace("CORBA::" + std::string(name), kCorba);
    for (const auto name : kCorbaDynamicNames) map.emplace("CORBA::" + std::string(name), kCorbaDynamic);
    return map;
  }();
  return kHeaders;
}

/// Everything that the declaration itself mentions.
void for_each_mention(const model::Declaration& declaration,
                      const std::function<void(const model::Declaration&)>& visit) {
  const std::function<void(const model::Type&)> with_parts = [&](const model::Type& type) {
    if (type.declaration != nullptr) visit(*type.declaration);
    if (type.element != nullptr) with_parts(*type.element);
    if (type.key != nullptr) with_parts(*type.key);
  };
  const auto all = [&](const auto& list) {
    for (const auto* each : list) visit(*each);
  };
  model::for_each_type(declaration, with_parts);
  if (const auto* interface = as<model::Interface>(&declaration)) all(interface->bases);
  if (const auto* operation = as<model::Operation>(&declaration)) all(operation->raises);
  if (const auto* attribute = as<model::Attribute>(&declaration)) {
    all(attribute->get_raises);
    all(attribute->set_raises);
  }
}

/// If its bases are, which come before it, or the library's class is.
void make_local(model::Interface& interface) {
  interface.is_local |=
      library_header(interface) == kCorba || std::any_of(interface.ancestors.begin(), interface.ancestors.end(),
                                                         [](const auto* ancestor) { return ancestor->is_local; });
}

}  // namespace

std::set<std::string> any_headers(const std::set<std::string>& headers) {
  // The others have TypeCodes and codecs together.
  return headers.contains(std::string(kCorba)) ? std::set{std::string(kCorbaDynamic)} : std::set<std::string>();
}

std::string_view library_header(const model::Declaration& declaration) {
  if (const auto* forward = as<model::Forward>(&declaration)) return library_header(*forward->target);
  if (!declaration.repository_id.starts_with("IDL:omg.org/")) return {};
  for (const auto* d = &declaration; d != nullptr; d = d->scope) {
    if (const auto found = known_headers().find(scoped_name(*d)); found != known_headers().end()) return found->second;
  }
  return {};
}

bool is_library_reference(const model::Declaration& native) {
  const std::string name = scoped_name(native);
  return name == "CORBA::AbstractBase" || name == "PortableServer::Servant";
}

void for_all(const model::Contents& contents, const std::function<void(const model::Declaration&)>& visit) {
  for (const auto* declaration : contents) {
    visit(*declaration);
    if (const auto* inner = model::contents_of(*declaration)) for_all(*inner, visit);
  }
}

std::set<std::string> leave_to_library(model::Model& model) {
  std::set<std::string> included;
  const auto include = [&](const model::Declaration& declaration) {
    if (const auto header = library_header(declaration); !header.empty()) included.emplace(header);
  };
  for_all(model.contents, [&](const model::Declaration& found) {
    auto& declaration = const_cast<model::Declaration&>(found);  // all were made by the model, none of them const
    if (as<model::Interface>(&declaration) != nullptr) make_local(static_cast<model::Interface&>(declaration));
    if (!declaration.in_main_file || as<model::Module>(&declaration) != nullptr) return;
    include(declaration);
    if (!library_header(declaration).empty()) {
      declaration.in_main_file = false;
    } else {
      for_each_mention(declaration, include);
    }
  });
  return included;
}

}  // namespace corbel::idl::cpp
