#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the JacORB peer: peer.sh SOURCES OUTPUT
#
# Fetches the jars that pom.xml names (once; Maven keeps them), compiles the IDL and the Java sources, and writes the
# programs server, client, mirror_server, mirror_client, values_server, values_client,
# naming_client and naming_server. Anything that goes wrong ends it with status 1.
set -euo pipefail
sources=$1 output=$2
mkdir -p "$output"
cd -- "$output"
if ! compgen -G "jars/jacorb-3.9.jar" >/dev/null; then
  mvn -B -q -f "$sources/pom.xml" org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies -DoutputDirectory="$output/jars"
fi
jars=$(printf '%s:' jars/*.jar)

# What JacORB's compiler cannot read, or turns into Java that javac cannot (docs/interoperability.md).
mkdir -p idl generated classes
sed -e 's/case -5000000000:/case -5:/' -e 's/case 65535:/case 9:/' -e 's/in boolean e, in short f/in boolean e_, in short f/' \
  "$sources/../interop.idl" >idl/interop.idl
cp "$sources/../dynamic/dynamic.idl" "$sources/../values/values.idl" idl/
printf '#pragma prefix "omg.org"\nmodule CORBA { native TypeCode; };\n#pragma prefix ""\n' >idl/orb.idl
java -cp "$jars" org.jacorb.idl.parser -Iidl -d generated -forceOverwrite idl/interop.idl idl/dynamic.idl idl/values.idl
find generated -name '*.java' >sources.txt
printf '%s\n' "$sources"/*.java >>sources.txt
javac -nowarn -proc:none -encoding UTF-8 -cp "$jars" -d classes @sources.txt

program() {  # program NAME CLASS OPTIONS...
  printf '#!/bin/sh\nexec java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "%s" peer.%s "$@"\n' \
    "$output/classes:$output/jars/*" "${*:2}" >"$1"
  chmod +x "$1"
}
program server Server
program client Client
program mirror_server Server --dynamic
program mirror_client Client --dynamic
program values_server Server --values
program values_client Client --values
program naming_client NamingClient
program naming_server NamingServer
