#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Moves real files between two processes over every protocol and compares with plain sockets.
#
# usage: ./dev demo [FILE...] [--json FILE] [OPTIONS]
#
# Installs what is missing, builds, and runs the demonstration; `./dev demo -- --help` shows all of its options.

# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

first_is_help "$@"
[ "${1:-}" != -- ] || shift
refuse_unknown_options demo bench/demo "$@"
need build
configure release
build_targets release corbel-demo
run_in_callers_directory release corbel-demo "$@"
