// SPDX-License-Identifier: Apache-2.0
// The parts that the one program of this folder plays, each by its first argument.
#pragma once

#include <string>

#include "corbel/corbel.hpp"

namespace attack {

/// Prints its references and serves until SIGTERM, as docs/applications.md says. All options default.
int serve(int argc, char** argv);
/// `honest REFERENCE MILLISECONDS`: calls all the time and prints what became of it, as JSON.
int honest(int argc, char** argv);
/// `ledger NAME JOURNAL`: a server whose every execution is in the journal before its reply leaves. Takes commands from
/// stdin.
int ledger(int argc, char** argv);
/// `clients RESULTS FIRST REFERENCE...`: calls ledgers, the callers numbered from FIRST, until stdin says `settle`.
int clients(int argc, char** argv);

/// Blocks the signals that end a server. Before the first thread.
void block_signals();
/// run() until one of them comes, then the end in order.
void run_until_signal(const IDL::traits<CORBA::ORB>::ref_type& orb);

}  // namespace attack
