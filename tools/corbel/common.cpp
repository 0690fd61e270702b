// SPDX-License-Identifier: Apache-2.0
// What subcommands share.
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>

#include "command.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "names.hpp"
#include "types.hpp"

namespace corbel::tool {

bool output_written() {
  std::cout.flush();
  return std::cout && std::ferror(stdout) == 0;  // the latter of what was printed by printf
}

CLI::Option* add_idl_options(CLI::App& app, Files& files, const std::string& what) {
  CLI::Option* const idl = app.add_option("--idl", files.idl, what);
  idl->check(CLI::ExistingFile)->type_name("FILE")->allow_extra_args(false);
  app.add_option("-I", files.include_dirs, "Search this folder for #include")
      ->type_name("DIR")
      ->allow_extra_args(false);
  return idl;
}

CLI::Option* add_repository_option(CLI::App& app, Files& files) {
  return app.add_option("--ir", files.repository, "An interface repository or an InterfaceDef that tells the types")
      ->type_name("REF");
}

CLI::Option* check_range(CLI::Option* option, double least, double most) {
  return option->check(CLI::Range(least, most))->check([](const std::string& text) {
    return std::isnan(std::strtod(text.c_str(), nullptr)) ? text + " is no number" : std::string();
  });
}

IDL::traits<CORBA::ORB>::ref_type make_orb(std::vector<std::string> options) {
  options.insert(options.begin(), "corbel");
  return CORBA::ORB_init(options, "corbel");
}

std::string reference_text(const std::string& given) {
  std::error_code absent;
  if (given.find(':') != std::string::npos && !std::filesystem::exists(given, absent)) return given;
  constexpr std::streamsize kLongest = 1 << 20;
  std::error_code error;
  const bool is_file = std::filesystem::is_regular_file(given, error);  // to open something else might wait
  std::ifstream file;
  if (is_file) file.open(given);
  if (!file.is_open()) {
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

IDL::traits<CORBA::Object>::ref_type naming_service(const IDL::traits<CORBA::ORB>::ref_type& orb,
                                                    const std::string& given) {
  if (given.empty()) {
    try {
      return orb->resolve_initial_references("NameService");
    } catch (const CORBA::InvalidName&) {  // neither an option nor a local service says where it is
      return orb->string_to_object("corbaloc::localhost:2809/NameService");
    }
  }
  std::error_code absent;
  const bool is_reference = given.find("IOR:") == 0 || given.find("corba") == 0 || given.find("file:") == 0;
  if (is_reference || std::filesystem::exists(given, absent)) return orb->string_to_object(reference_text(given));
  return orb->string_to_object("corbaloc::" + given + "/NameService");
}

IDL::traits<CORBA::Object>::ref_type find_object(const IDL::traits<CORBA::ORB>::ref_type& orb,
                                                 const std::string& given) {
  constexpr std::string_view kName = "ns:";
  if (!given.starts_with(kName)) {
    try {
      return orb->string_to_object(reference_text(given));
    } catch (const CORBA::BAD_PARAM& exception) {  // of this process: nobody has been called
      throw BadReference(exception.what());
    }
  }
  const auto name = naming::parse_name(std::string_view(given).substr(kName.size()));
  if (!name) throw std::runtime_error("'" + given + "': no name follows ns:");
  const auto service = naming_service(orb, "");
  return IDL::traits<CosNaming::NamingContext>::unchecked_narrow(service)->resolve(*name);
}

int status_of(const CORBA::SystemException& exception) {
  const std::string name = exception._name();
  return name == "TRANSIENT" || name == "TIMEOUT" || name == "COMM_FAILURE" || name == "NO_RESPONSE" ? kNoAnswer
                                                                                                     : kSystemException;
}

std::string where_explained(const CORBA::SystemException& exception) {
  constexpr const char* kSection = "docs/errors.md#minor-codes: ";
  const std::string name = exception._name();
  const std::uint32_t minor = exception.minor();
  if (corba::minor_name(name, minor).empty()) return "";
  const auto number = [](std::uint32_t value) { return " (" + std::to_string(value) + ")"; };
  const std::uint32_t stage = minor >> 7 & 0x1f;
  const std::uint32_t code = minor & 0x7f;
  if ((minor & ~std::uint32_t{0xfff}) == corba::kCorbelVmcid)
    return kSection + std::string(to_string(static_cast<base::Stage>(stage))) + number(stage) + ", " +
           std::string(to_string(static_cast<base::Code>(code))) + number(code);
#define CORBEL_MINOR_CONSTANT(EXCEPTION, NUMBER, CONSTANT, TEXT) \
  if (name == #EXCEPTION && minor == corba::minor::CONSTANT) return kSection + (name + " " #NUMBER ", " #CONSTANT);
  CORBEL_OMG_MINORS(CORBEL_MINOR_CONSTANT)
#undef CORBEL_MINOR_CONSTANT
  return "";
}

}  // namespace corbel::tool
