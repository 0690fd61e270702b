#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the interoperability tests: omniORB and Corbel as each other's client and server.
#
# usage: ./dev interop [--filter REGEX]

# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

first_is_help "$@"
exec bash scripts/test.sh --label interop "$@"
