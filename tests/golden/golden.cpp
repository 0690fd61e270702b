// SPDX-License-Identifier: Apache-2.0
// golden FOLDER: checks every vector file in the folder and says what was checked and what was not.
#include "golden.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace corbel::golden {
namespace {

int failure_count = 0;

std::vector<Record> read(const std::filesystem::path& path) {
  std::vector<Record> records;
  std::ifstream file(path);
  for (Json& entry : Json::parse(file)) {
    Record record{entry.at("name"), {}, std::move(entry.at("decoded"))};
    if (!base::from_hex(entry.at("hex").get<std::string>(), record.octets)) fail(record, "hex does not read");
    records.push_back(std::move(record));
  }
  return records;
}

void print(const std::string& file, const Tally& tally) {
  std::printf("%-32s %3d checked", file.c_str(), tally.checked);
  if (tally.fragments_joined != 0) std::printf(", %d fragments joined", tally.fragments_joined);
  for (const auto& [reason, count] : tally.skipped) std::printf(", %d skipped (%s)", count, reason.c_str());
  std::printf("\n");
}

int run(const char* folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::size_t mutations = 0;
  for (const auto& path : files) {
    const std::vector<Record> records = read(path);
    Tally tally;
    if (path.filename() == "iors.json") {
      check_references(records, tally);
    } else {
      check_messages(records, tally);
    }
    // Some of each file: its first records show every kind of message that it has.
    for (std::size_t i = 0; i < std::min<std::size_t>(records.size(), 12); ++i) {
      if (records[i].octets.size() <= 512) mutations += mutate_message(records[i].octets);
    }
    print(path.filename().string(), tally);
  }
  std::printf("counted: %zu truncated or mutated messages survived\n%d failures\n", mutations, failures());
  return failures() == 0 && !files.empty() ? 0 : 1;
}

}  // namespace

void fail(const Record& record, const std::string& what) {
  ++failure_count;
  std::printf("FAILED %s: %s\n", record.name.c_str(), what.c_str());
}

int failures() {
  return failure_count;
}

std::string printed(base::ConstByteSpan octets) {
  std::string text;
  for (std::size_t i = 0; i < octets.size(); ++i) {
    if (octets[i] >= 0x20 && octets[i] < 0x7f) {
      text += static_cast<char>(octets[i]);
    } else {
      text += "\\x" + base::to_hex(octets.subspan(i, 1));
    }
  }
  return text;
}

}  // namespace corbel::golden

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: golden FOLDER\n");
    return 2;
  }
  return corbel::golden::run(argv[1]);
}
