// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/names.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace corbel::ipc {
namespace {

using base::Code;

/// True if a file of the system's holds these words in one line, in this order, at its beginning.
bool lists(const char* path, const std::string& first, const std::string& second) {
  std::ifstream file(path);
  for (std::string a, b, rest; file >> a >> b;) {
    if (a == first && b == second) return true;
    std::getline(file, rest);
  }
  return false;
}

TEST(Names, OfTheLoopbackAddressIsTheSystems) {
  if (!lists("/etc/hosts", "127.0.0.1", "localhost")) GTEST_SKIP() << "this system does not name its loopback address";
  EXPECT_EQ(*host_name(InetAddress::loopback_v4(80)), "localhost");
}

TEST(Names, OfServicesDependOnTheProtocol) {
  if (!lists("/etc/services", "http", "80/tcp") || !lists("/etc/services", "tftp", "69/udp")) {
    GTEST_SKIP() << "this system has no list of services";
  }
  EXPECT_EQ(*service_port("http"), 80);
  EXPECT_EQ(*service_name(80), "http");
  EXPECT_EQ(*service_port("tftp", ServiceProtocol::udp), 69);
  EXPECT_EQ(*service_name(69, ServiceProtocol::udp), "tftp");
  EXPECT_EQ(service_port("tftp").error().code, Code::unreachable);
  EXPECT_EQ(service_name(69).error().code, Code::unreachable);
}

TEST(Names, NumbersAreTheirOwnPorts) {
  EXPECT_EQ(*service_port("0"), 0);
  EXPECT_EQ(*service_port("65535"), 65535);
  EXPECT_EQ(*service_port("00080", ServiceProtocol::udp), 80);
  EXPECT_FALSE(service_port("65536"));
  EXPECT_FALSE(service_port("99999999999999999999"));
}

TEST(Names, ThatAreNotThereAreErrors) {
  for (const std::string_view name : {std::string_view(), std::string_view("no-such-service-anywhere"),
                                      std::string_view("ht\0tp", 5), std::string_view("-1"), std::string_view(" 80"),
                                      std::string_view("+80"), std::string_view("0x50"), std::string_view("80 ")}) {
    const auto port = service_port(name);
    ASSERT_FALSE(port) << name;
    EXPECT_EQ(port.error().stage, base::Stage::resolve);
    EXPECT_EQ(port.error().code, Code::unreachable) << name;
  }
  EXPECT_FALSE(service_port(std::string(100'000, 'x')));
}

}  // namespace
}  // namespace corbel::ipc
