// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/results.hpp"

namespace bench {

/// Reads what `--json` of any command wrote. Throws std::runtime_error that names the file and what is wrong in it.
Report read_json(const std::string& path);

/// The figures of several runs as if they were one: the machine of the first, the versions of all.
Report read_all(const std::vector<std::string>& paths);

/// The value of a key; `otherwise` if the case has none.
std::string value_of(const Case& of, const std::string& key, const std::string& otherwise = {});

/// True if `of` has, for each key of `wanted`, its value.
bool matches(const Case& of, const Case& wanted);

/// The first result of a suite and a metric whose case has what is wanted; null if there is none.
const Result* find_result(const std::vector<Result>& results, const std::string& suite, const std::string& metric,
                          const Case& wanted);

/// `of` without these keys.
Case without(Case of, const std::vector<std::string>& keys);

/// The mechanism of a case for people: "Corbel giop", "omniORB-4.2.5", "raw sockets".
std::string mechanism_name(const Case& of);

/// "1 B", "8 KiB", "1 MiB" for the text of a number of octets.
std::string size_text(const std::string& octets);

}  // namespace bench
