// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#include "corbel/corbel.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace corbel::tool {

struct Files;

/// Whether all that was printed on standard output has been written. False once something has been lost; commands that
/// print for as long as they run look, and end with kUsage.
bool output_written();

/// What the command's exit status tells scripts.
enum Status : int {
  kDone = 0,
  kUserException = 1,    ///< the operation raised an exception of its own
  kUsage = 2,            ///< wrong usage, files and values that make no sense, output that cannot be written
  kSystemException = 3,  ///< the ORB or the server raised a system exception
  kNoAnswer = 4,         ///< no process could be reached, or not in time
};

/// Runs what the command line chose; its status. Throws std::runtime_error (kUsage) and CORBA exceptions.
using Run = std::function<int()>;

/// Each adds a subcommand and sets `run` if that is chosen.
void add_call(CLI::App& app, Run& run);
void add_describe(CLI::App& app, Run& run);
void add_list(CLI::App& app, Run& run);
void add_ior(CLI::App& app, Run& run);
void add_bench(CLI::App& app, Run& run);
void add_doctor(CLI::App& app, Run& run);
void add_ns(CLI::App& app, Run& run);
void add_tap(CLI::App& app, Run& run);
void add_fault(CLI::App& app, Run& run);
void add_record(CLI::App& app, Run& run);
void add_replay(CLI::App& app, Run& run);
void add_mock(CLI::App& app, Run& run);
void add_top(CLI::App& app, Run& run);

/// Adds --idl and -I, which say where `files` come from; `what` is the help of --idl. Returns --idl, for what a command
/// asks of it beyond.
CLI::Option* add_idl_options(CLI::App& app, Files& files, const std::string& what);

/// Adds --ir, whose reference is the repository of `files`.
CLI::Option* add_repository_option(CLI::App& app, Files& files);

/// Has the option refuse what is not from `least` to `most`, NaN included, which CLI::Range lets pass.
CLI::Option* check_range(CLI::Option* option, double least, double most);

/// An ORB with these -ORB options.
IDL::traits<CORBA::ORB>::ref_type make_orb(std::vector<std::string> options);

/// A reference as people give it: what string_to_object takes, or the path of a file that holds such a text.
std::string reference_text(const std::string& given);

/// A text is no well-formed reference.
struct BadReference : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The object that a reference leads to. Beyond reference_text it takes "ns:NAME": what the naming service has under
/// that name. Throws BadReference.
IDL::traits<CORBA::Object>::ref_type find_object(const IDL::traits<CORBA::ORB>::ref_type& orb,
                                                 const std::string& given);

/// The naming service as people name it: a reference, a file, HOST, HOST:PORT; if empty the ORB's initial reference
/// NameService, and without that port 2809 of this host.
IDL::traits<CORBA::Object>::ref_type naming_service(const IDL::traits<CORBA::ORB>::ref_type& orb,
                                                    const std::string& given);

int status_of(const CORBA::SystemException& exception);

/// Where the documentation explains the minor code: "docs/errors.md#minor-codes: TRANSIENT 2, kNoUsableProfile". Empty
/// if it does not: the minor code is 0, or another ORB's own.
std::string where_explained(const CORBA::SystemException& exception);

}  // namespace corbel::tool
