// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/error_map.hpp"

#include <utility>

#include "corbel/corba/minor_codes.hpp"
#include "corbel/ipc/os_error.hpp"
#include "corbel/orb/error_table.hpp"

namespace corbel::orb {
namespace {

using base::Code;
using base::Stage;
namespace minor = corba::minor;

constexpr auto kYes = corba::Completed::yes;

constexpr ErrorRow kErrorTable[] = {
    {Stage::resolve, Code::no_profile, "TRANSIENT", minor::kNoUsableProfile, kNo},
    {Stage::resolve, Code::timed_out, "TIMEOUT", 0, kNo},
    {Stage::resolve, Code::malformed, "INV_OBJREF", 0, kNo},
    {Stage::resolve, Code::truncated, "INV_OBJREF", 0, kNo},
    {Stage::resolve, Code::too_large, "INV_OBJREF", 0, kNo},
    {Stage::resolve, Code::bad_string, "INV_OBJREF", 0, kNo},
    {Stage::resolve, Code::wide_data, "INV_OBJREF", minor::kNoWideCodeSet, kNo},
    {Stage::resolve, Code::unsupported, "INV_OBJREF", minor::kWideCodeSetMissing, kNo},
    {Stage::resolve, Code::too_expanded, "INV_OBJREF", 0, kNo},
    {Stage::resolve, Code::too_many_profiles, "INV_OBJREF", 0, kNo},
    {Stage::resolve, Code::too_many_components, "INV_OBJREF", 0, kNo},
    {Stage::resolve, Code::key_too_long, "INV_OBJREF", 0, kNo},
    {Stage::resolve, Code::cancelled, "BAD_INV_ORDER", minor::kOrbShutDown, kNo},
    {Stage::resolve, Code::none, "TRANSIENT", 0, kNo},

    {Stage::connect, Code::timed_out, "TIMEOUT", 0, kNo},
    {Stage::connect, Code::out_of_resources, "NO_RESOURCES", 0, kNo},
    {Stage::connect, Code::cancelled, "BAD_INV_ORDER", minor::kOrbShutDown, kNo},
    {Stage::connect, Code::wide_data, "CODESET_INCOMPATIBLE", minor::kCodeSetNegotiationFailed, kNo},
    {Stage::connect, Code::certificate_expired, "NO_PERMISSION", 0, kNo},
    {Stage::connect, Code::certificate_not_yet_valid, "NO_PERMISSION", 0, kNo},
    {Stage::connect, Code::certificate_name, "NO_PERMISSION", 0, kNo},
    {Stage::connect, Code::certificate_authority, "NO_PERMISSION", 0, kNo},
    {Stage::connect, Code::certificate_revoked, "NO_PERMISSION", 0, kNo},
    {Stage::connect, Code::certificate_purpose, "NO_PERMISSION", 0, kNo},
    {Stage::connect, Code::certificate_weak, "NO_PERMISSION", 0, kNo},
    {Stage::connect, Code::certificate_invalid, "NO_PERMISSION", 0, kNo},
    {Stage::connect, Code::certificate_missing, "NO_PERMISSION", 0, kNo},
    {Stage::connect, Code::certificate_refused, "NO_PERMISSION", 0, kNo},
    {Stage::connect, Code::revocation_unknown, "NO_PERMISSION", 0, kNo},
    {Stage::connect, Code::no_common_security, "NO_PERMISSION", 0, kNo},
    {Stage::connect, Code::not_secure, "NO_PERMISSION", 0, kNo},
    {Stage::connect, Code::bad_security_settings, "NO_PERMISSION", 0, kNo},
    {Stage::connect, Code::none, "TRANSIENT", 0, kNo},

    {Stage::encode, Code::bad_character, "DATA_CONVERSION", minor::kCharacterNotInCodeSet, kNo},
    {Stage::encode, Code::bad_enum, "BAD_PARAM", minor::kEnumOutOfRange, kNo},
    {Stage::encode, Code::wide_data, "MARSHAL", minor::kWideDataFromClient, kNo},
    {Stage::encode, Code::bad_bound, "BAD_PARAM", 0, kNo},
    {Stage::encode, Code::bad_string, "BAD_PARAM", 0, kNo},
    {Stage::encode, Code::bad_discriminator, "BAD_PARAM", 0, kNo},
    {Stage::encode, Code::bad_argument, "MARSHAL", minor::kLocalObjectMarshalled, kNo},
    {Stage::encode, Code::too_large, "IMP_LIMIT", 0, kNo},
    {Stage::encode, Code::unsupported, "IMP_LIMIT", 0, kNo},
    {Stage::encode, Code::out_of_resources, "NO_MEMORY", 0, kNo},
    {Stage::encode, Code::none, "MARSHAL", 0, kNo},

    {Stage::send, Code::timed_out, "TIMEOUT", 0, kNo},
    {Stage::send, Code::cancelled, "BAD_INV_ORDER", minor::kOrbShutDown, kNo},
    {Stage::send, Code::out_of_resources, "NO_RESOURCES", 0, kNo},
    {Stage::send, Code::too_large, "IMP_LIMIT", 0, kNo},
    {Stage::send, Code::protocol_error, "IMP_LIMIT", 0, kNo},
    // With TLS 1.3 a client learns this only when its first request is on its way; the server has not looked at that.
    {Stage::send, Code::certificate_refused, "NO_PERMISSION", 0, kNo},
    {Stage::send, Code::none, "TRANSIENT", 0, kNo},

    {Stage::wait, Code::timed_out, "TIMEOUT", 0, kMaybe},
    {Stage::wait, Code::closed, "TRANSIENT", 0, kNo},
    {Stage::wait, Code::forward_loop, "TRANSIENT", 0, kNo},
    {Stage::wait, Code::cancelled, "BAD_INV_ORDER", minor::kOrbShutDown, kMaybe},
    {Stage::wait, Code::malformed, "MARSHAL", 0, kMaybe},
    {Stage::wait, Code::certificate_refused, "NO_PERMISSION", 0, kNo},
    {Stage::wait, Code::none, "COMM_FAILURE", 0, kMaybe},

    {Stage::receive, Code::timed_out, "TIMEOUT", 0, kMaybe},
    {Stage::receive, Code::cancelled, "BAD_INV_ORDER", minor::kOrbShutDown, kMaybe},
    {Stage::receive, Code::malformed, "MARSHAL", 0, kMaybe},
    {Stage::receive, Code::truncated, "MARSHAL", 0, kMaybe},
    {Stage::receive, Code::too_large, "MARSHAL", 0, kMaybe},
    {Stage::receive, Code::unsupported, "MARSHAL", 0, kMaybe},
    {Stage::receive, Code::out_of_resources, "NO_RESOURCES", 0, kMaybe},
    {Stage::receive, Code::none, "COMM_FAILURE", 0, kMaybe},

    {Stage::decode, Code::bad_character, "DATA_CONVERSION", minor::kCharacterNotInCodeSet, kYes},
    {Stage::decode, Code::wide_data, "BAD_PARAM", minor::kWideDataWithoutCodeSet, kYes},
    {Stage::decode, Code::not_found, "MARSHAL", minor::kNoValueFactory, kYes},
    {Stage::decode, Code::no_value_memory, "NO_RESOURCES", 0, kYes},
    {Stage::decode, Code::out_of_resources, "NO_MEMORY", 0, kYes},
    {Stage::decode, Code::none, "MARSHAL", 0, kYes},

    {Stage::listen, Code::out_of_resources, "NO_RESOURCES", 0, kNo},
    {Stage::listen, Code::none, "INITIALIZE", 0, kNo},
    {Stage::accept, Code::none, "NO_RESOURCES", 0, kNo},
    {Stage::configure, Code::bad_argument, "BAD_PARAM", 0, kNo},
    {Stage::configure, Code::out_of_resources, "NO_RESOURCES", 0, kNo},
    {Stage::configure, Code::cancelled, "BAD_INV_ORDER", 0, kNo},
    {Stage::configure, Code::none, "INITIALIZE", 0, kNo},

    {Stage::dispatch, Code::not_found, "OBJECT_NOT_EXIST", 0, kNo},
    {Stage::dispatch, Code::timed_out, "TRANSIENT", 0, kNo},
    {Stage::dispatch, Code::unsupported, "NO_IMPLEMENT", 0, kNo},
    {Stage::dispatch, Code::out_of_resources, "NO_MEMORY", 0, kNo},
    {Stage::dispatch, Code::none, "OBJ_ADAPTER", 0, kNo},
    {Stage::upcall, Code::cancelled, "NO_RESPONSE", 0, kMaybe},
    {Stage::upcall, Code::too_large, "TRANSIENT", 0, kNo},
    {Stage::upcall, Code::closed, "BAD_INV_ORDER", 0, kNo},
    {Stage::upcall, Code::bad_argument, "BAD_PARAM", 0, kNo},
    {Stage::upcall, Code::none, "UNKNOWN", 0, kMaybe},
    {Stage::none, Code::none, "INTERNAL", 0, kMaybe},
};

bool matches(const ErrorRow& row, Stage stage, Code code) noexcept {
  return (row.stage == Stage::none || row.stage == stage) && (row.code == Code::none || row.code == code);
}

std::string_view name_of(corba::Completed completed) {
  return completed == kYes ? "COMPLETED_YES" : completed == kNo ? "COMPLETED_NO" : "COMPLETED_MAYBE";
}

void append_hex(std::string& text, std::uint32_t number) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  text += "0x";
  for (int shift = 28; shift >= 0; shift -= 4) text += kDigits[number >> shift & 0xf];
}

void append_failures(std::string& text) {
  text += "| stage | what went wrong | exception | completion | minor |\n|---|---|---|---|---|\n";
  for (const ErrorRow& row : error_table()) {
    text.append("| ").append(row.stage == Stage::none ? "anything else" : to_string(row.stage)).append(" | ");
    text.append(row.code == Code::none ? "anything else" : to_string(row.code)).append(" | ").append(row.exception);
    text.append(" | ").append(name_of(row.completed)).append(" | ");
    if (row.minor != 0) {
      text.append("OMG ").append(std::to_string(row.minor & 0xfff)).append(", ");
      text += corba::minor_name(row.exception, row.minor);
    } else if (row.code == Code::none) {
      text += "Corbel's, by stage and code";
    } else {
      append_hex(text, corba::vendor_minor(row.stage, row.code));
    }
    text += " |\n";
  }
}

void append_parts(std::string& text) {
  text += "| stage | number |\n|---|---|\n";
  for (unsigned i = 1; i <= static_cast<unsigned>(Stage::configure); ++i) {
    text.append("| ").append(to_string(static_cast<Stage>(i))).append(" | ").append(std::to_string(i)).append(" |\n");
  }
  text += "\n| code | number |\n|---|---|\n";
  for (unsigned i = 1; i <= static_cast<unsigned>(base::kLastCode); ++i) {
    text.append("| ").append(to_string(static_cast<Code>(i))).append(" | ").append(std::to_string(i)).append(" |\n");
  }
}

}  // namespace

std::span<const ErrorRow> error_table() noexcept {
  return kErrorTable;
}

const ErrorRow& classify(Stage stage, Code code) noexcept {
  const ErrorRow* row = kErrorTable;
  while (!matches(*row, stage, code)) ++row;
  return *row;
}

std::string describe(base::Error error) {
  if (error.os_error >= 0) return base::to_string(error);
  const int failure = std::exchange(error.os_error, 0);
  return base::to_string(error).append(" (").append(ipc::resolver_text(failure)).append(")");
}

corba::SystemFailure failure_of(base::Error error, std::string detail) {
  const ErrorRow& row = classify(error.stage, error.code);
  const std::uint32_t minor = row.minor != 0 ? row.minor : corba::vendor_minor(error.stage, error.code);
  return corba::system_failure(row.exception, minor, row.completed, std::move(detail));
}

void raise(base::Error error, std::string detail) {
  corba::raise(failure_of(error, std::move(detail)));
}

std::string errors_document() {
  std::string text =
      "# Failures and the exceptions they become\n\n"
      "Generated from the table in `src/corbel/orb/error_map.cpp` and the list in `src/corbel/corba/minor_codes.hpp`; "
      "a "
      "test\n"
      "compares them.\n\n"
      "A failure below the ORB core is a stage (where in the life of a call) and a code (what went wrong). The first "
      "line\n"
      "of this table that matches decides which CORBA system exception the application sees.\n\n";
  append_failures(text);
  text +=
      "\n## Minor codes\n\n"
      "A minor code of Corbel's own is 0x43420000 plus 128 times the stage's number plus the code's number; the "
      "numbers\n"
      "never change. `what()` of an exception spells them out.\n\n"
      "Of 0x43420501 (dispatch, refused) the exception says which: NO_PERMISSION, [the adapter does not take the "
      "caller](tls.md#whose-requests-an-adapter-takes);\n"
      "OBJ_ADAPTER, it does not answer over connections that its process has opened "
      "([call-backs](bidirectional.md)).\n\n";
  append_parts(text);
  text +=
      "\nThe OMG's minor codes (0x4f4d0000 plus the number) that Corbel raises or names; the constants are in the "
      "namespace\n"
      "`corbel::corba::minor`.\n\n| exception | number | constant | meaning |\n|---|---|---|---|\n";
#define CORBEL_MINOR_LINE(EXCEPTION, NUMBER, CONSTANT, TEXT) \
  text += "| " #EXCEPTION " | " #NUMBER " | `" #CONSTANT "` | " TEXT " |\n";
  CORBEL_OMG_MINORS(CORBEL_MINOR_LINE)
#undef CORBEL_MINOR_LINE
  return text;
}

}  // namespace corbel::orb
