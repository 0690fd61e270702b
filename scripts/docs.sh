#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the documentation: every link and every path it names must lead somewhere.
#
# usage: ./dev docs

# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

first_is_help "$@"
need docs
exec python3 scripts/check_docs.py "$root"
