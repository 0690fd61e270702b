// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "corbel/base/error.hpp"
#include "corbel/base/export.hpp"

/// Minor codes of system exceptions that Corbel raises. Part of the API: named, documented (docs/errors.md), never an
/// errno, never reused.
namespace corbel::corba {

/// The OMG's vendor minor code id: CORBA::OMGVMCID.
inline constexpr std::uint32_t kOmgVmcid = 0x4f4d0000;
/// Corbel's vendor minor code id.
inline constexpr std::uint32_t kCorbelVmcid = 0x43420000;

/// Corbel's own minor codes say where and what: five bits of Stage, seven of Code.
constexpr std::uint32_t vendor_minor(base::Stage stage, base::Code code) noexcept {
  return kCorbelVmcid | static_cast<std::uint32_t>(stage) << 7 | static_cast<std::uint32_t>(code);
}

/// The OMG's minor codes that Corbel raises or names (CORBA 3.3 part 1, annex A): exception, number, constant, meaning.
#define CORBEL_OMG_MINORS(X)                                                                      \
  X(UNKNOWN, 1, kUnlistedUserException, "unlisted user exception")                                \
  X(UNKNOWN, 2, kNonStandardSystemException, "non-standard system exception")                     \
  X(UNKNOWN, 3, kInterceptorRaised, "interceptor raised what it must not")                        \
  X(BAD_PARAM, 1, kValueFactory, "value factory could not be registered or found")                \
  X(BAD_PARAM, 7, kUrlBadScheme, "URL: bad scheme")                                               \
  X(BAD_PARAM, 8, kUrlBadAddress, "URL: bad address")                                             \
  X(BAD_PARAM, 9, kUrlBadSpecificPart, "URL: bad scheme-specific part")                           \
  X(BAD_PARAM, 10, kUrlOther, "URL: other")                                                       \
  X(BAD_PARAM, 14, kBadObjectId, "object id was not made by this POA")                            \
  X(BAD_PARAM, 21, kNotAnException, "set_exception with what is no exception")                    \
  X(BAD_PARAM, 23, kWideDataWithoutCodeSet, "no wide code set negotiated")                        \
  X(BAD_PARAM, 25, kEnumOutOfRange, "enumerator out of range")                                    \
  X(BAD_PARAM, 26, kNoServiceContext, "no service context with this id")                          \
  X(BAD_PARAM, 27, kNilInitialReference, "register_initial_reference with nil")                   \
  X(BAD_PARAM, 28, kNoComponent, "no tagged component with this id")                              \
  X(BAD_PARAM, 29, kNoSuchProfile, "no profile of this kind")                                     \
  X(BAD_PARAM, 30, kPolicyTwice, "two policies of one type")                                      \
  X(BAD_PARAM, 34, kWrongUnionMember, "union member not selected by the discriminator")           \
  X(BAD_PARAM, 43, kInPollableSet, "pollable is in a pollable set already")                       \
  X(INV_OBJREF, 1, kNoWideCodeSet, "the reference has no code sets for wide data")                \
  X(INV_OBJREF, 2, kWideCodeSetMissing, "the reference has no wide code set")                     \
  X(MARSHAL, 1, kNoValueFactory, "no value factory")                                              \
  X(MARSHAL, 4, kLocalObjectMarshalled, "local object cannot be marshalled")                      \
  X(MARSHAL, 5, kWideDataFromClient, "wide data on GIOP 1.0 by client")                           \
  X(MARSHAL, 6, kWideDataFromServer, "wide data on GIOP 1.0 by server")                           \
  X(NO_IMPLEMENT, 3, kNoUsableProfileLocally, "no usable profile")                                \
  X(NO_IMPLEMENT, 8, kNotForLocalObjects, "operation not implemented in local object")            \
  X(BAD_INV_ORDER, 3, kWouldDeadlock, "would deadlock")                                           \
  X(BAD_INV_ORDER, 4, kOrbShutDown, "ORB has shut down")                                          \
  X(BAD_INV_ORDER, 6, kServantManagerAlreadySet, "servant manager already set")                   \
  X(BAD_INV_ORDER, 7, kArgumentsTwice, "arguments of a server request asked for again")           \
  X(BAD_INV_ORDER, 9, kResultOutOfOrder, "result of a server request set out of order")           \
  X(BAD_INV_ORDER, 10, kRequestSentTwice, "request was sent before")                              \
  X(BAD_INV_ORDER, 11, kRequestNotSent, "request was not sent yet")                               \
  X(BAD_INV_ORDER, 12, kResultTakenTwice, "result was retrieved before")                          \
  X(BAD_INV_ORDER, 13, kRequestNotDeferred, "request was not sent deferred")                      \
  X(BAD_INV_ORDER, 14, kNotAtThisPoint, "not valid at this point of interception")                \
  X(BAD_INV_ORDER, 15, kServiceContextThere, "service context is there and must not be replaced") \
  X(BAD_INV_ORDER, 16, kPolicyFactoryThere, "policy type has a factory")                          \
  X(BAD_INV_ORDER, 17, kPoaBeingDestroyed, "POA is being destroyed")                              \
  X(BAD_INV_ORDER, 22, kNothingPolled, "the poller has not answered anyone yet")                  \
  X(INTF_REPOS, 1, kNoInterfaceRepository, "interface repository not available")                  \
  X(TRANSIENT, 1, kRequestDiscarded, "request discarded by POA manager")                          \
  X(TRANSIENT, 2, kNoUsableProfile, "no usable profile")                                          \
  X(TRANSIENT, 3, kRequestCancelled, "request cancelled")                                         \
  X(TRANSIENT, 4, kPoaDestroyed, "POA destroyed")                                                 \
  X(OBJ_ADAPTER, 1, kAdapterActivatorFailed, "adapter activator failed")                          \
  X(OBJ_ADAPTER, 2, kWrongServantManager, "servant manager of the wrong type")                    \
  X(OBJ_ADAPTER, 3, kNoDefaultServant, "no default servant")                                      \
  X(OBJ_ADAPTER, 4, kNoServantManager, "no servant manager")                                      \
  X(OBJ_ADAPTER, 5, kIncarnateViolatedPolicy, "servant manager violated the policy")              \
  X(OBJ_ADAPTER, 6, kComponentsNotEstablished, "components_established failed")                   \
  X(OBJ_ADAPTER, 7, kNullServant, "servant manager returned no servant")                          \
  X(DATA_CONVERSION, 1, kCharacterNotInCodeSet, "character not in the transmission code set")     \
  X(OBJECT_NOT_EXIST, 1, kObjectNotActive, "object not active")                                   \
  X(OBJECT_NOT_EXIST, 2, kPoaNotFound, "POA not found or could not be created")                   \
  X(OBJECT_NOT_EXIST, 4, kAdapterGone, "adapter inactive or destroyed")                           \
  X(OBJECT_NOT_EXIST, 5, kReplyDelivered, "the poller has delivered its reply before")            \
  X(BAD_OPERATION, 2, kUnknownOperation, "operation unknown to the target")                       \
  X(NO_RESPONSE, 1, kNoReplyYet, "the reply has not come yet")                                    \
  X(NO_RESOURCES, 1, kNotInThisMapping, "not available to interceptors")                          \
  X(INV_POLICY, 1, kPolicyNotThere, "no such policy for this request")                            \
  X(CODESET_INCOMPATIBLE, 1, kCodeSetNegotiationFailed, "code set negotiation failed")            \
  X(CODESET_INCOMPATIBLE, 2, kCodeSetNotSupported, "code set not supported")                      \
  X(INV_POLICY, 2, kInvalidPolicyType, "no policy of this type")                                  \
  X(TIMEOUT, 1, kPollerTimeout, "the reply did not come within the time of the poll")             \
  X(TIMEOUT, 2, kRequestEndTimePassed, "request end time passed")                                 \
  X(TIMEOUT, 3, kReplyEndTimePassed, "reply end time passed")

#define CORBEL_DECLARE_MINOR(EXCEPTION, NUMBER, CONSTANT, TEXT) \
  inline constexpr std::uint32_t CONSTANT = kOmgVmcid | NUMBER;  // NOLINT
namespace minor {
CORBEL_OMG_MINORS(CORBEL_DECLARE_MINOR)

/// Corbel's own where no failure value of the layers below is involved.
inline constexpr std::uint32_t kNilReference = vendor_minor(base::Stage::resolve, base::Code::not_found);
inline constexpr std::uint32_t kUnknownOption = vendor_minor(base::Stage::configure, base::Code::not_found);
inline constexpr std::uint32_t kBadOptionValue = vendor_minor(base::Stage::configure, base::Code::bad_argument);
inline constexpr std::uint32_t kHelpRequested = vendor_minor(base::Stage::configure, base::Code::cancelled);
inline constexpr std::uint32_t kNoObjectAdapter = vendor_minor(base::Stage::configure, base::Code::unsupported);
inline constexpr std::uint32_t kForeignException = vendor_minor(base::Stage::upcall, base::Code::other);
inline constexpr std::uint32_t kAdapterInactive = vendor_minor(base::Stage::dispatch, base::Code::cancelled);
inline constexpr std::uint32_t kHeldTooLong = vendor_minor(base::Stage::dispatch, base::Code::timed_out);
inline constexpr std::uint32_t kOperationNotProvided = vendor_minor(base::Stage::dispatch, base::Code::unsupported);
inline constexpr std::uint32_t kOtherWayOnly = vendor_minor(base::Stage::dispatch, base::Code::refused);
inline constexpr std::uint32_t kCallerRefused = vendor_minor(base::Stage::dispatch, base::Code::refused);
inline constexpr std::uint32_t kServantProblem = vendor_minor(base::Stage::dispatch, base::Code::bad_argument);
inline constexpr std::uint32_t kAnsweredBefore = vendor_minor(base::Stage::upcall, base::Code::closed);
inline constexpr std::uint32_t kAnswersAnother = vendor_minor(base::Stage::upcall, base::Code::bad_argument);
inline constexpr std::uint32_t kNeverAnswered = vendor_minor(base::Stage::upcall, base::Code::cancelled);
inline constexpr std::uint32_t kTooManyDeferred = vendor_minor(base::Stage::upcall, base::Code::too_large);
}  // namespace minor
#undef CORBEL_DECLARE_MINOR

/// The minor code's meaning in words, empty if unknown. OMG codes mean something else in every exception, so its name
/// ("TRANSIENT") is needed.
CORBEL_API std::string minor_name(std::string_view exception, std::uint32_t minor);

}  // namespace corbel::corba
