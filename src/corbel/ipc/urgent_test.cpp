// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/urgent.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "corbel/ipc/test_support.hpp"

namespace corbel::ipc {
namespace {

using base::Code;
using base::Deadline;
using testing::soon;

class Urgent : public ::testing::Test {
 protected:
  void send(std::string_view text) { ASSERT_TRUE(connection_.client.send_n(base::as_bytes(text), soon())); }
  /// One receive of the server.
  std::string read(std::size_t most = 64) {
    base::Bytes room(most);
    EXPECT_TRUE(connection_.server.wait_readable(soon()));
    const auto count = connection_.server.recv(room);
    return count ? std::string(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(*count)) : "?";
  }

  testing::Connection<InetAddress> connection_;
};

TEST_F(Urgent, OvertakesWhatWaitsAndLeavesAMark) {
  send("ab");
  ASSERT_TRUE(send_urgent(connection_.client, 'X'));
  send("cd");
  ASSERT_TRUE(wait_urgent(connection_.server, soon()));
  EXPECT_FALSE(*at_mark(connection_.server));
  auto octet = recv_urgent(connection_.server);
  while (!octet && octet.error().code == Code::would_block) octet = recv_urgent(connection_.server);
  ASSERT_TRUE(octet);
  EXPECT_EQ(*octet, base::Octet('X'));
  EXPECT_FALSE(recv_urgent(connection_.server)->has_value());  // taken
  EXPECT_EQ(read(), "ab");                                     // not across the mark
  EXPECT_TRUE(*at_mark(connection_.server));
  EXPECT_EQ(read(), "cd");
  EXPECT_FALSE(*at_mark(connection_.server));
}

TEST_F(Urgent, StaysInTheStreamWhereThatIsWanted) {
  ASSERT_TRUE(connection_.server.set(option::out_of_band_inline, true));
  send("ab");
  ASSERT_TRUE(send_urgent(connection_.client, 'X'));
  send("cd");
  ASSERT_TRUE(wait_urgent(connection_.server, soon()));
  EXPECT_FALSE(recv_urgent(connection_.server)->has_value());
  EXPECT_EQ(read(), "ab");
  EXPECT_TRUE(*at_mark(connection_.server));
  EXPECT_EQ(read(1), "X");
}

TEST_F(Urgent, IsNotThereUnlessItWasSent) {
  send("ab");
  EXPECT_EQ(read(), "ab");
  EXPECT_FALSE(recv_urgent(connection_.server)->has_value());
  EXPECT_FALSE(*at_mark(connection_.server));
  EXPECT_EQ(wait_urgent(connection_.server, Deadline::now()).error().code, Code::would_block);
  EXPECT_EQ(wait_urgent(connection_.server, Deadline::after(std::chrono::milliseconds(1))).error().code,
            Code::timed_out);
}

TEST_F(Urgent, WaitEndsWithTheConnection) {
  connection_.client.close();
  EXPECT_EQ(wait_urgent(connection_.server, soon()).error().code, Code::closed);
}

TEST_F(Urgent, WaitEndsWithAReset) {
  connection_.client.close_with_reset();
  EXPECT_EQ(wait_urgent(connection_.server, soon()).error().code, Code::lost);
  EXPECT_FALSE(recv_urgent(connection_.server)->has_value());
  EXPECT_FALSE(send_urgent(connection_.server, 'X'));  // and no SIGPIPE
}

TEST_F(Urgent, OfAClosedStreamIsAnError) {
  TcpStream none;
  EXPECT_FALSE(send_urgent(none, 'X'));
  EXPECT_FALSE(recv_urgent(none));
  EXPECT_FALSE(at_mark(none));
}

}  // namespace
}  // namespace corbel::ipc
