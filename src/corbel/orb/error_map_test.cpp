// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/error_map.hpp"

#include <gtest/gtest.h>

#include "corbel/corba/call.hpp"
#include "corbel/corba/exception.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/error_table.hpp"

namespace corbel::orb {
namespace {

using base::Code;
using base::Stage;
using enum CORBA::CompletionStatus;
namespace minor = corba::minor;

struct Expected {
  Stage stage;
  Code code;
  const char* exception;
  std::uint32_t minor;
  CORBA::CompletionStatus completed;
};

TEST(ErrorMap, FollowsTheRulesOfCompletion) {
  const Expected table[] = {
      {Stage::resolve, Code::no_profile, "TRANSIENT", minor::kNoUsableProfile, COMPLETED_NO},
      {Stage::connect, Code::refused, "TRANSIENT", 0x43420101, COMPLETED_NO},
      {Stage::connect, Code::timed_out, "TIMEOUT", 0x43420103, COMPLETED_NO},
      {Stage::send, Code::lost, "TRANSIENT", 0x43420306, COMPLETED_NO},
      {Stage::send, Code::timed_out, "TIMEOUT", 0x43420303, COMPLETED_NO},
      {Stage::wait, Code::lost, "COMM_FAILURE", 0x43420386, COMPLETED_MAYBE},
      {Stage::wait, Code::closed, "TRANSIENT", 0x43420385, COMPLETED_NO},
      {Stage::wait, Code::timed_out, "TIMEOUT", 0x43420383, COMPLETED_MAYBE},
      {Stage::receive, Code::lost, "COMM_FAILURE", 0x43420406, COMPLETED_MAYBE},
      {Stage::decode, Code::truncated, "MARSHAL", 0x43420489, COMPLETED_YES},
      {Stage::decode, Code::bad_bound, "MARSHAL", 0x43420494, COMPLETED_YES},
      {Stage::encode, Code::bad_bound, "BAD_PARAM", 0x43420294, COMPLETED_NO},
      {Stage::encode, Code::bad_enum, "BAD_PARAM", minor::kEnumOutOfRange, COMPLETED_NO},
      {Stage::encode, Code::bad_character, "DATA_CONVERSION", minor::kCharacterNotInCodeSet, COMPLETED_NO},
      {Stage::encode, Code::bad_argument, "MARSHAL", minor::kLocalObjectMarshalled, COMPLETED_NO},
  };
  for (const Expected& expected : table) {
    try {
      raise(base::error(expected.stage, expected.code), "detail");
    } catch (const CORBA::SystemException& exception) {
      EXPECT_STREQ(exception._name(), expected.exception);
      EXPECT_EQ(exception.minor(), expected.minor) << exception.what();
      EXPECT_EQ(exception.completed(), expected.completed) << exception.what();
      EXPECT_EQ(exception.detail(), "detail");
    }
  }
}

TEST(ErrorMap, NamesAStandardExceptionAndMinorForEveryFailure) {
  for (unsigned stage = 0; stage <= static_cast<unsigned>(Stage::configure); ++stage) {
    for (unsigned code = 0; code <= static_cast<unsigned>(Code::other); ++code) {
      try {
        raise(base::error(static_cast<Stage>(stage), static_cast<Code>(code)), "");
      } catch (const CORBA::SystemException& exception) {
        EXPECT_FALSE(corba::minor_name(exception._name(), exception.minor()).empty()) << exception.what();
        EXPECT_FALSE(dynamic_cast<const CORBA::UNKNOWN*>(&exception) != nullptr &&
                     static_cast<Stage>(stage) != Stage::upcall);
      }
    }
  }
}

TEST(ErrorMap, HasNoLineThatAnEarlierOneHides) {
  for (const ErrorRow& row : error_table()) EXPECT_EQ(&classify(row.stage, row.code), &row);
}

TEST(ErrorMap, RaisesWhatServerCallsRaiseForBadArguments) {
  // corba::ServerCall::throw_bad_arguments cannot see the table; both must agree but for completion.
  for (unsigned code = 1; code <= static_cast<unsigned>(Code::other); ++code) {
    class Call final : public corba::ServerCall {
     public:
      explicit Call(cdr::Decoder& decoder) : ServerCall("op", &decoder, nullptr) {}
      void reply(base::FunctionRef<void(cdr::Encoder&)>) override {}
    };
    cdr::Decoder decoder;
    decoder.fail(static_cast<Code>(code));
    std::string by_call;
    std::uint32_t minor = 0;
    try {
      Call(decoder).check_arguments();
    } catch (const CORBA::SystemException& exception) {
      by_call = exception._name();
      minor = exception.minor();
      EXPECT_EQ(exception.completed(), COMPLETED_NO);
    }
    const ErrorRow& row = classify(Stage::decode, static_cast<Code>(code));
    EXPECT_EQ(by_call, row.exception);
    EXPECT_EQ(minor, row.minor != 0 ? row.minor : corba::vendor_minor(Stage::decode, static_cast<Code>(code)));
  }
}

}  // namespace
}  // namespace corbel::orb
