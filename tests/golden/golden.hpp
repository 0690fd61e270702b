// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "corbel/base/bytes.hpp"
#include "corbel/messaging/codec_types.hpp"

namespace corbel::golden {

using Json = nlohmann::json;

/// One record of a vector file.
struct Record {
  std::string name;
  base::Bytes octets;
  Json decoded;
};

/// What happened to the records of one file.
struct Tally {
  int checked = 0;
  int fragments_joined = 0;
  std::map<std::string, int> skipped;  ///< reason -> records
};

/// Notes a failed expectation and goes on; the program fails at the end.
void fail(const Record& record, const std::string& what);
int failures();

template <class A, class B>
void expect_equal(const Record& record, const std::string& what, const A& found, const B& expected) {
  if (!(found == expected))
    fail(record, what + ": found " + Json(found).dump() + ", expected " + Json(expected).dump());
}

/// Octets as the records print them: \xhh for all that is not printable ASCII.
std::string printed(base::ConstByteSpan octets);

/// Checks the messages of one file, in order.
void check_messages(const std::vector<Record>& records, Tally& tally);
/// Checks the object references of one file.
void check_references(const std::vector<Record>& records, Tally& tally);
/// Decodes every truncation and every single-octet mutation; nothing may crash. Returns how many were tried.
std::size_t mutate_message(base::ConstByteSpan message);

}  // namespace corbel::golden
