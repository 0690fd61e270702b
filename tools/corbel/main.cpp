// SPDX-License-Identifier: Apache-2.0
// corbel: what field engineers need beside the ORB. One file per subcommand.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "caller.hpp"
#include "command.hpp"
#include "corbel/base/log.hpp"

namespace {

/// What was closed when the program began is opened here the wrong way round, so that it still cannot be used: its
/// number would go to a socket or a file otherwise, and what is printed into that.
void occupy_closed() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    if (::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) != descriptor)
      std::_Exit(corbel::tool::kUsage);
  }
}

/// The status, unless what was printed has been lost.
int written(int status) {
  if (corbel::tool::output_written()) return status;
  std::cerr << "corbel: standard output cannot be written\n";
  return corbel::tool::kUsage;
}

/// References, names and answers are in it, whose makers may mean the terminal harm.
void complain(const char* what) {
  std::cerr << "corbel: " << corbel::base::printable(what, std::size_t{1} << 16) << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  using namespace corbel::tool;
  occupy_closed();
  CLI::App app("Looks at and talks to CORBA objects of any ORB.", "corbel");
  app.set_version_flag("-V,--version", "corbel " CORBEL_VERSION);
  app.require_subcommand(1);
  app.footer(
      "REF is IOR:..., corbaloc:..., corbaname:..., a file that holds one of these, or ns:NAME.\n"
      "Exit status: 0 done, 1 the operation raised an exception of its own, 2 wrong usage, 3 a system exception,\n"
      "4 nobody could be reached in time. `corbel SUBCOMMAND --help` says more.");
  Run run;
  add_call(app, run);
  add_describe(app, run);
  add_list(app, run);
  add_ior(app, run);
  add_bench(app, run);
  add_doctor(app, run);
  add_ns(app, run);
  add_tap(app, run);
  add_fault(app, run);
  add_record(app, run);
  add_replay(app, run);
  add_mock(app, run);
  add_top(app, run);
  try {
    app.parse(command_line(argc, argv));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? written(kDone) : kUsage;
  }
  try {
    return written(run());
  } catch (const CORBA::SystemException& exception) {
    complain(exception.what());
    if (const std::string where = where_explained(exception); !where.empty()) complain(("see " + where).c_str());
    return status_of(exception);
  } catch (const CORBA::UserException& exception) {  // of the naming service: ns:NAME
    complain(exception.what());
    return kUserException;
  } catch (const std::exception& failure) {
    complain(failure.what());
    return kUsage;
  }
}
