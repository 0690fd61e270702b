// SPDX-License-Identifier: Apache-2.0
#include "suites/profile_shares.hpp"

#include <algorithm>

namespace bench {
namespace {

void add_to(std::optional<double>& sum, const std::optional<double>& part) {
  if (part) sum = sum.value_or(0) + *part;
}

}  // namespace

std::vector<Share> shares_of(const std::map<std::string, double>& functions, double user, double system) {
  double all = 0;
  for (const auto& [name, count] : functions) all += count;
  const double time = user + system;
  std::vector<Share> shares;
  if (time > 0) shares.push_back({kSystem, {}, {}, 100 * system / time});
  if (time > 0 && all <= 0 && user > 0) shares.push_back({"user space", {}, {}, 100 * user / time});
  for (const auto& [name, count] : functions) {
    if (all <= 0) break;
    Share share{name, count, 100 * count / all, {}};
    if (time > 0) share.of_time = 100 * user / time * count / all;
    shares.push_back(std::move(share));
  }
  std::stable_sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) {
    if ((a.name == kSystem) != (b.name == kSystem)) return a.name == kSystem;
    return a.instructions.value_or(0) > b.instructions.value_or(0);
  });
  return shares;
}

std::vector<Share> gathered(const std::vector<Share>& shares, double least) {
  std::vector<Share> kept;
  Share others;
  int count = 0;
  for (const Share& share : shares) {
    if (share.name == kSystem || share.of_instructions.value_or(100) >= least) {
      kept.push_back(share);
      continue;
    }
    ++count;
    add_to(others.instructions, share.instructions);
    add_to(others.of_instructions, share.of_instructions);
    add_to(others.of_time, share.of_time);
  }
  others.name = std::to_string(count) + " others";
  if (count > 0) kept.push_back(std::move(others));
  return kept;
}

std::string short_function(const std::string& name) {
  std::string text;
  int depth = 0;  // of template arguments and parameters
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name.compare(i, 8, "operator") == 0 && depth == 0) {  // its own brackets are no arguments
      text += "operator";
      i += 8;
      while (i < name.size() && (name[i] == '<' || name[i] == '>' || name[i] == '-')) text += name[i++];
      if (name.compare(i, 2, "()") == 0) {
        text += "()";
        i += 2;
      }
      if (i >= name.size()) break;
    }
    const char c = name[i];
    if (c == '(' && name.compare(i, 21, "(anonymous namespace)") == 0 && depth == 0) {
      i += 20;
      text += "(anonymous)";
    } else if (c == '<' || c == '(' || c == '[') {
      ++depth;
    } else if (c == '>' || c == ')' || c == ']') {
      --depth;
    } else if (c == '\'' && depth == 0) {
      break;  // "name'2": a recursion
    } else if (c == ' ' && depth == 0) {
      if (name.compare(i, 6, " const") == 0 || name.compare(i, 2, " [") == 0) break;
      if (text.find("operator") != std::string::npos) {
        text += c;
      } else {
        text.clear();  // what came was the return type
      }
    } else if (depth == 0) {
      text += c;
    }
  }
  return text.empty() ? name : text;
}

}  // namespace bench
