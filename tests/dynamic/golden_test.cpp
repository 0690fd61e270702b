// SPDX-License-Identifier: Apache-2.0
// Anys and TypeCodes in messages of omniORB and JacORB: read, written again, and sent on in the other byte order.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support.hpp"

namespace corbel::dynamic {
namespace {

struct Body {
  std::string name;
  base::Bytes message;
  std::size_t offset;
  bool little_endian;
};

/// Requests and replies of an operation.
std::vector<Body> bodies(const std::string& operation) {
  std::vector<Body> found;
  for (const auto& entry : std::filesystem::directory_iterator(GOLDEN_VECTORS)) {
    const std::string file = entry.path().filename().string();
    if (entry.path().extension() != ".json" || file.find("_giop12.json") == std::string::npos) continue;
    const auto records = nlohmann::json::parse(std::ifstream(entry.path()));
    bool wanted = false;
    for (const auto& record : records) {
      const auto& decoded = record.at("decoded");
      const std::string type = decoded.value("type", "");
      if (type == "Request") wanted = decoded.value("operation", "") == operation;
      const bool answer = type == "Reply" && wanted && decoded.value("reply_status", "").find("NO_EXC") == 0;
      if (!wanted || (type != "Request" && !answer)) continue;
      base::Bytes octets;
      EXPECT_TRUE(base::from_hex(record.at("hex").get<std::string>(), octets));
      found.push_back({record.at("name"), octets, decoded.at("body_offset"), decoded.at("endian") == "little"});
    }
  }
  return found;
}

/// Equal but for alignment gaps, in which omniORB leaves stale memory and we write zeros.
void expect_alike(const Body& body, const base::Bytes& again) {
  ASSERT_EQ(again.size(), body.message.size());
  for (std::size_t i = body.offset; i < again.size(); ++i) {
    if (again[i] != 0) {
      ASSERT_EQ(again[i], body.message[i]) << "octet " << i;
    }
  }
}

template <class T, class Same>
int check(const std::string& operation, const Same& same) {
  int count = 0;
  for (const Body& body : bodies(operation)) {
    SCOPED_TRACE(body.name);
    if (body.name.find("any_value") != std::string::npos || body.name.find("any_box") != std::string::npos) continue;
    const T value = value_of<T>(body.message, body.little_endian, body.offset);
    const auto again = octets_of(value, body.little_endian, body.offset);
    // The byte order mark before omniORB's wide strings is not written again.
    if (body.name.find("any_wstr") == std::string::npos) expect_alike(body, again);
    EXPECT_TRUE(same(value_of<T>(again, body.little_endian, body.offset), value));
    const auto other = octets_of(value, !body.little_endian, 3);
    EXPECT_TRUE(same(value_of<T>(other, !body.little_endian, 3), value));
    ++count;
  }
  return count;
}

TEST(Golden, TypeCodesOfOtherOrbsAreReadAndWrittenAlike) {
  const auto same = [](const auto& a, const auto& b) { return a->equal(b); };
  EXPECT_GE(check<CORBA::typecode_reference>("tc", same), 10);
}

TEST(Golden, AnysOfOtherOrbsAreReadAndWrittenAlike) {
  EXPECT_GE(check<CORBA::Any>("echo_any", [](const auto& a, const auto& b) { return a == b; }), 30);
}

}  // namespace
}  // namespace corbel::dynamic
