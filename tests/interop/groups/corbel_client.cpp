// SPDX-License-Identifier: Apache-2.0
// corbel_client GROUP SERVER...: posts to the group, and asks each server what it was told.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <corbel/corbel.hpp>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "groups.hpp"
#include "posts.hpp"

namespace {

/// Requests that one server runs at the same time come in any order.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace

int main(int argc, char** argv) try {
  alarm(100);
  if (argc < 3) return 2;
  std::vector<std::string> arguments = {argv[0]};
  auto orb = CORBA::ORB_init(arguments);
  const auto board = [&](const char* url) {
    return IDL::traits<Groups::Board>::unchecked_narrow(orb->string_to_object(url));
  };
  std::string expected;
  for (const auto& post : groups::posts()) {
    board(argv[1])->post(post.number, post.text, {post.picture.begin(), post.picture.end()});
    expected += post.line();
  }
  int status = 0;
  for (int i = 2; i < argc; ++i) {
    std::string told;
    for (int tries = 0; tries < 100 && (told = board(argv[i])->told()).size() < expected.size(); ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    if (lines_of(told) != lines_of(expected)) {
      std::cout << "server " << i - 1 << " was told\n" << told << "instead of\n" << expected;
      status = 1;
    }
  }
  orb->destroy();
  return status;
} catch (const CORBA::Exception& exception) {
  std::cerr << "client: " << exception << '\n';
  return 1;
}
