// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/passes/library.hpp"

#include <algorithm>
#include <unordered_map>

namespace corbel::idl::passes {
namespace {

using model::as;

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
    "AbstractBase", "ServiceType", "ServiceOption", "ServiceDetailType", "Security", "ServiceOptionSeq",
    "ServiceDetailData", "ServiceDetail", "ServiceDetailSeq", "ServiceInformation",
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

/// Names in module Messaging: what calls obey. The rest is generated.
constexpr std::string_view kMessagingNames[] = {"RebindMode",
                                                "TRANSPARENT",
                                                "NO_REBIND",
                                                "NO_RECONNECT",
                                                "SyncScope",
                                                "SYNC_NONE",
                                                "SYNC_WITH_TRANSPORT",
                                                "SYNC_WITH_SERVER",
                                                "SYNC_WITH_TARGET",
                                                "REBIND_POLICY_TYPE",
                                                "SYNC_SCOPE_POLICY_TYPE",
                                                "REQUEST_PRIORITY_POLICY_TYPE",
                                                "REPLY_PRIORITY_POLICY_TYPE",
                                                "REQUEST_START_TIME_POLICY_TYPE",
                                                "REQUEST_END_TIME_POLICY_TYPE",
                                                "REPLY_START_TIME_POLICY_TYPE",
                                                "REPLY_END_TIME_POLICY_TYPE",
                                                "RELATIVE_REQ_TIMEOUT_POLICY_TYPE",
                                                "RELATIVE_RT_TIMEOUT_POLICY_TYPE",
                                                "ROUTING_POLICY_TYPE",
                                                "MAX_HOPS_POLICY_TYPE",
                                                "QUEUE_ORDER_POLICY_TYPE",
                                                "RebindPolicy",
                                                "SyncScopePolicy",
                                                "RequestEndTimePolicy",
                                                "ReplyEndTimePolicy",
                                                "RelativeRequestTimeoutPolicy",
                                                "RelativeRoundtripTimeoutPolicy"};

/// Scoped names to parts; a module stands for all that is in it.
const std::unordered_map<std::string, LibraryPart>& known_parts() {
  static const auto kParts = [] {
    std::unordered_map<std::string, LibraryPart> map = {
        {"PortableServer", LibraryPart::portable_server},
        {"DynamicAny", LibraryPart::dynamic_any},
        {"IOP", LibraryPart::iop},
        {"CONV_FRAME", LibraryPart::iop},
        {"Messaging::UserExceptionBase", LibraryPart::asynchronous},
        {"Messaging::ExceptionHolder", LibraryPart::asynchronous},
        {"Messaging::ReplyHandler", LibraryPart::asynchronous},
        {"Messaging::Poller", LibraryPart::polling},
        {"CORBA::Pollable", LibraryPart::polling},
        {"CORBA::DIIPollable", LibraryPart::polling},
        {"CORBA::PollableSet", LibraryPart::polling},
        {"TimeBase", LibraryPart::messaging},
        {"BiDirPolicy", LibraryPart::messaging},
        {"RTCORBA::PriorityMapping", LibraryPart::real_time},
        {"RTCORBA::PriorityTransform", LibraryPart::real_time},
        {"RTCORBA::NetworkPriorityMapping", LibraryPart::real_time},
    };
    for (const auto name : kCorbaNames) map.emplace("CORBA::" + std::string(name), LibraryPart::corba);
    for (const auto name : kCorbaDynamicNames) map.emplace("CORBA::" + std::string(name), LibraryPart::corba_dynamic);
    for (const auto name : kMessagingNames) map.emplace("Messaging::" + std::string(name), LibraryPart::messaging);
    return map;
  }();
  return kParts;
}

/// Makes the interface local if its bases are, which come before it, or if the library's class is.
void make_local(model::Interface& interface) {
  interface.is_local |= library_part(interface) == LibraryPart::corba ||
                        std::any_of(interface.ancestors.begin(), interface.ancestors.end(),
                                    [](const auto* ancestor) { return ancestor->is_local; });
}

}  // namespace

std::optional<LibraryPart> library_part(const model::Declaration& declaration) {
  if (const auto* forward = as<model::Forward>(&declaration)) return library_part(*forward->target);
  if (!declaration.repository_id.starts_with("IDL:omg.org/")) return std::nullopt;
  for (const auto* d = &declaration; d != nullptr; d = d->scope) {
    if (const auto found = known_parts().find(scoped_name(*d)); found != known_parts().end()) return found->second;
  }
  return std::nullopt;
}

void leave_to_library(model::Model& model) {
  model::for_all(model.contents, [&](const model::Declaration& found) {
    auto& declaration = const_cast<model::Declaration&>(found);  // all were made by the model, none of them const
    if (as<model::Interface>(&declaration) != nullptr) make_local(static_cast<model::Interface&>(declaration));
    if (as<model::Module>(&declaration) == nullptr && library_part(declaration)) declaration.in_main_file = false;
  });
}

}  // namespace corbel::idl::passes
