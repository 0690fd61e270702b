#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the minimal client as run_hello.sh does the usual one, and prints what both take: run_minimal.sh HELLO-SERVER
# MINIMAL-CLIENT HELLO-CLIENT SHARED-LIBRARY.
set -euo pipefail
"$(dirname "$0")/../hello/run_hello.sh" "$1" "$2"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
octets() {  # stripped, as it is installed
  cp "$1" "$work/file" && strip "$work/file" && stat -c %s "$work/file"
}
minimal=$(octets "$2")
usual=$(octets "$3")
library=$(octets "$(readlink -f "$4")")
echo "octets: minimal client $minimal; usual client $usual and shared library $library, together $((usual + library))"
[ "$minimal" -lt $(((usual + library) * 7 / 20)) ]  # else more is linked than was meant
for part in N6corbel3orb8DispatchE QueuedSink dlopen; do  # what serves, what writes log files, what loads plug-ins
  grep -q "$part" "$4" || { echo "the shared library has no $part: this test looks for a name that is gone"; exit 1; }
  grep -q "$part" "$2" && { echo "the minimal client has $part"; exit 1; }
done
ldd "$2" | grep -q 'libssl\|libcorbel' && { echo "the minimal client needs more than the system's libraries"; exit 1; }
exit 0
