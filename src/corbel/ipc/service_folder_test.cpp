// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/service_folder.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/stream.hpp"
#include "support/files.hpp"

namespace corbel::ipc {
namespace {

void set_mode(const std::string& path, mode_t mode) {
  ASSERT_EQ(::chmod(path.c_str(), mode), 0);
}

TEST(ServiceFolder, IsLookedForAmongTheUsersOwnThenWhereRootMakesIt) {
  const auto folders = service_folders();
  ASSERT_GE(folders.size(), 2U);
  EXPECT_EQ(folders.back(), "/run/corbel");
  EXPECT_NE(folders.front(), folders.back());
}

TEST(ServiceFolder, IsNotBelievedWhereOthersMayWrite) {
  const test::Folder folder;
  for (const mode_t mode : {0700U, 0755U}) {
    set_mode(folder.path().string(), mode);
    EXPECT_TRUE(is_believed(folder.path().string()));
  }
  for (const mode_t mode : {0770U, 0757U, 01777U}) {
    set_mode(folder.path().string(), mode);
    EXPECT_FALSE(is_believed(folder.path().string()));
  }
  set_mode(folder.path().string(), 0700);
}

TEST(ServiceFolder, IsNotBelievedIfItIsNoneOrALinkToOne) {
  const test::Folder folder;
  set_mode(folder.path().string(), 0700);
  const std::string link = folder / "link";
  std::filesystem::create_directory_symlink(folder.path(), link);
  EXPECT_FALSE(is_believed(link));
  EXPECT_FALSE(is_believed(folder / "nothing"));
  EXPECT_FALSE(is_believed(""));
}

TEST(ServiceFolder, OfAnotherUserIsBelievedOnlyWhereRootAloneCouldHaveMadeIt) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives folders away";
  const test::Folder folder;
  const std::string given = folder / "corbel";
  std::filesystem::create_directory(given);
  set_mode(given, 0755);
  constexpr uid_t kSomebody = 65534;
  ASSERT_EQ(::chown(given.c_str(), kSomebody, kSomebody), 0);
  set_mode(folder.path().string(), 0755);
  EXPECT_TRUE(is_believed(given));
  set_mode(folder.path().string(), 01777);  // as /tmp: anybody could have made it
  EXPECT_FALSE(is_believed(given));
}

// In a child, as a user who has none yet. 0: it is there, and goes with its socket.
int listen_as_somebody(const std::string& runtime) {
  constexpr uid_t kSomebody = 65534;
  if (::setuid(kSomebody) != 0) return 77;
  ::setenv("XDG_RUNTIME_DIR", runtime.c_str(), 1);
  const auto folder = service_folder();
  if (!folder) return 1;
  if (*folder != runtime + "/corbel") return 77;  // /run/corbel is everybody's
  if (!is_believed(*folder)) return 2;
  return UnixAcceptor::open(*UnixAddress::path(*folder + "/Service")) ? 0 : 3;
}

TEST(ServiceFolder, IsThereForAServerThatIsTheFirstOfItsUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root becomes another user";
  const test::Folder folder;
  set_mode(folder.path().string(), 0777);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(listen_as_somebody(folder.path().string()));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "there is a folder for everybody";
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(ServiceFolder, HasSocketsThatAreServedWhileSomebodyListens) {
  const test::Folder folder;
  const auto address = UnixAddress::path(folder / "Service");
  ASSERT_TRUE(address.ok());
  EXPECT_FALSE(is_served(*address));
  {
    AcceptorOptions<UnixAddress> options;
    options.remove_on_close = false;
    options.backlog = 0;
    const auto acceptor = Acceptor<UnixAddress, UnixStream>::open(*address, options);
    ASSERT_TRUE(acceptor.ok());
    EXPECT_TRUE(admit_all(*address).ok());
    struct stat status {};
    ASSERT_EQ(::stat(address->to_string().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0666U);
    // More than the backlog: one who is slow to accept is there all the same.
    for (int i = 0; i < 8; ++i) EXPECT_TRUE(is_served(*address));
  }
  EXPECT_FALSE(is_served(*address));
  EXPECT_FALSE(admit_all(*UnixAddress::path(folder / "nobody")).ok());
}

}  // namespace
}  // namespace corbel::ipc
