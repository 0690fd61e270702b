// SPDX-License-Identifier: Apache-2.0
// What subcommands share.
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "command.hpp"
#include "corbel/corba/minor_codes.hpp"

namespace corbel::tool {

IDL::traits<CORBA::ORB>::ref_type make_orb(std::vector<std::string> options) {
  options.insert(options.begin(), "corbel");
  return CORBA::ORB_init(options, "corbel");
}

std::string reference_text(const std::string& given) {
  std::error_code absent;
  if (given.find(':') != std::string::npos && !std::filesystem::exists(given, absent)) return given;
  constexpr std::streamsize kLongest = 1 << 20;
  std::error_code error;
  std::ifstream file(given);
  if (!std::filesystem::is_regular_file(given, error) || !file) {
    throw std::runtime_error("'" + given +
                             "' is neither a reference (IOR:, corbaloc:, corbaname:) nor a file that can be read");
  }
  std::string text(static_cast<std::size_t>(kLongest), '\0');
  file.read(text.data(), kLongest);
  text.resize(static_cast<std::size_t>(file.gcount()));
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) throw std::runtime_error("the file '" + given + "' holds no reference");
  const std::size_t end = text.find_first_of(" \t\r\n", begin);
  return text.substr(begin, end - begin);
}

int status_of(const CORBA::SystemException& exception) {
  const std::string name = exception._name();
  return name == "TRANSIENT" || name == "TIMEOUT" || name == "COMM_FAILURE" || name == "NO_RESPONSE" ? kNoAnswer
                                                                                                     : kSystemException;
}

}  // namespace corbel::tool
