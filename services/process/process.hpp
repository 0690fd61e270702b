// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <string>

#include "corbel/corbel.hpp"

namespace corbel::process {

/// Blocks SIGTERM, SIGINT and SIGHUP and returns them. Before any thread is made, so that all of them leave the signals
/// to run_until().
sigset_t block_signals();

/// Blocks of 128 KiB and more come from the system and go back to it when they are freed: messages of megabytes to
/// peers that do not read would stay with the process else, because glibc raises that bound with each block freed
/// (mallopt(3)). Where the environment says MALLOC_MMAP_THRESHOLD_, that holds; with other C libraries nothing changes.
/// Before any thread is made.
void give_back_large_blocks();

/// Runs the ORB until one of the signals comes, which shuts it down in order, and destroys it. That may wait for
/// requests under way: another signal then ends the process at once, by that signal. If run() fails, the ORB is
/// destroyed, too, and what it threw is passed on.
void run_until(const sigset_t& signals, CORBA::ORB& orb);

/// Whole or not at all, for others may be reading it; what holds the text already is left alone, so that no room on the
/// disk is needed. Throws std::runtime_error with the path.
void write_file(const std::string& path, const std::string& text);

}  // namespace corbel::process
