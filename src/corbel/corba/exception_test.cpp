// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/exception.hpp"

#include <gtest/gtest.h>

#include <array>
#include <exception>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "corbel/corba/minor_codes.hpp"
#include "corbel/corba/policy.hpp"

namespace corbel::corba {
namespace {

using enum CORBA::CompletionStatus;

TEST(SystemException, TextNamesMinorCompletionAndDetail) {
  const CORBA::TRANSIENT exception(vendor_minor(base::Stage::connect, base::Code::refused), COMPLETED_NO,
                                   "connecting to tcp://127.0.0.1:4000 was refused after 0.2 ms");
  EXPECT_STREQ(exception.what(),
               "TRANSIENT (minor 0x43420101 \"connect refused\", COMPLETED_NO): connecting to tcp://127.0.0.1:4000 was "
               "refused after 0.2 ms");
}

TEST(SystemException, TextNamesOmgMinorsPerException) {
  EXPECT_STREQ(CORBA::BAD_INV_ORDER(minor::kOrbShutDown, COMPLETED_NO).what(),
               "BAD_INV_ORDER (minor 0x4f4d0004 \"ORB has shut down\", COMPLETED_NO)");
  EXPECT_STREQ(CORBA::NO_MEMORY(minor::kOrbShutDown, COMPLETED_YES).what(),
               "NO_MEMORY (minor 0x4f4d0004, COMPLETED_YES)");
}

TEST(SystemException, CopiesShareTheDetailAndChangeAlone) {
  CORBA::TIMEOUT first(1, COMPLETED_MAYBE, "why");
  CORBA::TIMEOUT second = first;
  second.minor(2);
  second.detail("other");
  EXPECT_EQ(first.minor(), 1U);
  EXPECT_EQ(first.detail(), "why");
  EXPECT_EQ(second.detail(), "other");
}

TEST(SystemException, RaiseThrowsTheMostDerived) {
  const CORBA::NO_PERMISSION exception(3);
  const CORBA::Exception& base = exception;
  EXPECT_THROW(base._raise(), CORBA::NO_PERMISSION);
  EXPECT_STREQ(base._rep_id(), "IDL:omg.org/CORBA/NO_PERMISSION:1.0");
}

template <class E>
void expect_raised(const char* id) {
  EXPECT_THROW(raise_system_exception(id, 5, COMPLETED_YES), E);
}

TEST(SystemException, IsRaisedByRepositoryId) {
#define CORBEL_EXPECT_RAISED(NAME) expect_raised<CORBA::NAME>("IDL:omg.org/CORBA/" #NAME ":1.0");
  CORBEL_SYSTEM_EXCEPTIONS(CORBEL_EXPECT_RAISED)
#undef CORBEL_EXPECT_RAISED
  try {
    raise_system_exception("IDL:vendor/ODD:1.0", 5, COMPLETED_YES, "from the peer");
  } catch (const CORBA::UNKNOWN& exception) {
    EXPECT_EQ(exception.minor(), minor::kNonStandardSystemException);
    EXPECT_EQ(exception.detail(), "from the peer: the peer raised IDL:vendor/ODD:1.0");
  }
}

TEST(SystemException, ShowsOfAPeersIdWhatATerminalMayBeSent) {
  try {
    raise_system_exception("IDL:\x1b[2J\nwarning: forged" + std::string(20'000'000, 'x'), 5, COMPLETED_YES);
  } catch (const CORBA::UNKNOWN& exception) {
    EXPECT_EQ(exception.detail().find_first_of("\x1b\n"), std::string::npos);
    EXPECT_LT(exception.detail().size(), 1000U);
  }
}

TEST(Exception, MayBeAskedForItsTextByAllWhoShareIt) {
  const auto shared = std::make_exception_ptr(CORBA::TRANSIENT(5, COMPLETED_NO, "the reason"));
  std::array<const char*, 4> texts{};
  std::vector<std::thread> threads;
  threads.reserve(texts.size());
  for (const char*& text : texts) {
    threads.emplace_back([&shared, &text] {
      try {
        std::rethrow_exception(shared);
      } catch (const CORBA::Exception& exception) {
        text = exception.what();
        for (int i = 0; i < 1000; ++i) EXPECT_EQ(exception.what(), text);  // what has been given stays where it is
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (const char* const text : texts) {
    EXPECT_EQ(text, texts.front());
    EXPECT_NE(std::string(text).find("the reason"), std::string::npos);
  }
}

TEST(Exception, PrintsItsText) {
  std::ostringstream stream;
  stream << CORBA::PolicyError(CORBA::BAD_POLICY_VALUE);
  EXPECT_EQ(stream.str(), "CORBA::PolicyError{reason=3}");
}

TEST(MinorCodes, VendorCodesKeepStageAndCodeApart) {
  EXPECT_EQ(vendor_minor(base::Stage::resolve, base::Code::refused), 0x43420081U);
  EXPECT_EQ(minor_name("ANY", vendor_minor(base::Stage::wait, base::Code::lost)),
            std::string(to_string(base::Stage::wait)) + " " + std::string(to_string(base::Code::lost)));
  EXPECT_EQ(minor_name("TRANSIENT", 0x54410001), "");
}

}  // namespace
}  // namespace corbel::corba
