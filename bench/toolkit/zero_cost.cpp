// SPDX-License-Identifier: Apache-2.0
// Proves that the wrappers cost nothing: toolkit-plain (C) and toolkit-wrapped (the same program with the toolkit) make
// the same system calls in the same order, and the wrapped one takes at most 1% more user instructions per round.
// Counts only, never times. Status 0: proven; 1: not; 77: strace or valgrind cannot be used here.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <vector>

#include "common/child.hpp"
#include "common/table.hpp"
#include "common/temporary.hpp"
#include "suites/callgrind.hpp"

namespace {

using Words = std::vector<std::string>;

constexpr int kCannotTrace = 77;
constexpr int kFew = 100;
constexpr int kMany = 1100;
constexpr const char* kSize = "64";
constexpr double kAllowed = 1.01;

std::string run(const Words& tool, const std::string& program, const std::string& mode, int count) {
  Words argv = tool;
  argv.insert(argv.end(), {program, mode, std::to_string(count), kSize});
  return bench::output_of(argv, std::chrono::seconds(100));
}

/// The system calls of the client and of the server, from the first socket on, in order; their names and whether they
/// succeeded.
std::vector<Words> system_calls(const std::string& path) {
  std::ifstream file(path);
  std::map<std::string, std::size_t> sides;  // by process id, in order of appearance
  std::vector<Words> calls;
  bool begun = false;
  for (std::string line; std::getline(file, line);) {
    const std::size_t blank = line.find(' ');
    const std::size_t name = line.find_first_not_of(' ', blank);
    const std::size_t open = line.find('(', name);
    if (blank == std::string::npos || name == std::string::npos || line[name] == '<' || open == std::string::npos)
      continue;
    const std::string call = line.substr(name, open - name);
    begun = begun || call == "socket";
    if (!begun) continue;
    const std::size_t side = sides.try_emplace(line.substr(0, blank), sides.size()).first->second;
    if (side == calls.size()) calls.emplace_back();
    // What the C library does for memory and standard output at the very end is not the program's.
    if (call != "brk" && call != "getrandom" && call != "fstat" && call != "newfstatat") calls[side].push_back(call);
  }
  return calls;
}

double instructions(const std::string& program, const std::string& mode, int count) {
  const bench::TemporaryFolder folder;
  const Words tool = {"valgrind", "--tool=callgrind", "--quiet", "--callgrind-out-file=" + folder.path() + "/%p"};
  if (run(tool, program, mode, count).empty()) return -1;
  double sum = 0;  // of client and server
  for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
    for (const auto& [function, cost] : bench::read_callgrind(file.path())) sum += cost;
  }
  return sum;
}

double instructions_per_round(const std::string& program, const std::string& mode) {
  const double few = instructions(program, mode, kFew);
  const double many = instructions(program, mode, kMany);
  return few < 0 || many < 0 ? -1 : (many - few) / (kMany - kFew);
}

std::string joined(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += ' ' + word;
  return text;
}

bool same_calls(const std::string& plain, const std::string& wrapped, const std::string& mode) {
  const bench::TemporaryFolder folder;
  std::vector<std::vector<Words>> of;
  for (const std::string& program : {plain, wrapped}) {
    const std::string path = folder.path() + "/" + std::to_string(of.size());
    if (run({"strace", "-f", "-qq", "-I", "2", "-s", "0", "-e", "signal=none", "-o", path}, program, mode, 5).empty()) {
      return false;
    }
    of.push_back(system_calls(path));
  }
  if (of[0].size() == 2 && of[0] == of[1]) return true;
  for (const auto& sides : of) {
    for (const Words& side : sides) std::cout << "  " << joined(side) << '\n';
  }
  return false;
}

}  // namespace

int main(int argc, char* argv[]) {
  if (argc != 3) {
    std::cerr << "usage: toolkit-zero-cost PLAIN WRAPPED\n";
    return 2;
  }
  const std::string plain = argv[1], wrapped = argv[2];
  if (bench::output_of({"strace", "-qq", "-o", "/dev/null", "echo", "yes"}, std::chrono::seconds(10)) != "yes\n" ||
      !bench::program_exists("valgrind")) {
    std::cout << "strace and valgrind are needed, and strace must be allowed to trace\n";
    return kCannotTrace;
  }
  bool proven = true;
  bench::Table table({"program", "system calls", "C", "wrapped", "instructions per round"}, 2, true);
  for (const std::string mode : {"ping-tcp", "ping-unix", "ping-udp", "stream-tcp", "stream-unix"}) {
    const bool same = same_calls(plain, wrapped, mode);
    const double c = instructions_per_round(plain, mode);
    const double ours = instructions_per_round(wrapped, mode);
    const bool cheap = c > 0 && ours > 0 && ours <= c * kAllowed;
    table.add({mode, same ? "the same" : "DIFFERENT", bench::number(c, 1), bench::number(ours, 1),
               cheap ? "at most 1% more" : "TOO MANY"});
    proven = proven && same && cheap;
  }
  table.print(std::cout);
  std::cout << (proven ? "The wrappers cost nothing.\n" : "The wrappers COST something.\n");
  return proven ? 0 : 1;
}
