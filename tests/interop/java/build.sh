# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the peers in Java share. Sourced by their peer.sh, in the folder of output, where jars/ and generated/ are.

# fetch_jars SOURCES JAR: fetches what SOURCES/pom.xml names (once; Maven keeps it) unless jars/JAR is there.
fetch_jars() {
  if [ -f "jars/$2" ]; then return; fi
  mvn -B -q -f "$1/pom.xml" org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies "-DoutputDirectory=$PWD/jars"
}

# compile_java FOLDER...: generated/ and the sources in FOLDER into classes/.
compile_java() {
  local folder
  rm -rf classes
  mkdir classes
  find generated -name '*.java' >sources.txt
  for folder in "$@"; do printf '%s\n' "$folder"/*.java >>sources.txt; done
  javac -nowarn -proc:none -encoding UTF-8 -cp "$(printf '%s:' jars/*.jar)" -d classes @sources.txt
}

# program NAME CLASS OPTIONS...: a program that runs peer.CLASS.
program() {
  printf '#!/bin/sh\nexec java %s -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "%s" peer.%s "$@"\n' \
    "${java_options:-}" "$PWD/classes:$PWD/jars/*" "${*:2}" >"$1"
  chmod +x "$1"
}

# suite_programs: the servers and clients that all peers in Java have.
suite_programs() {
  program server Server
  program client Client
  program mirror_server Server --dynamic
  program mirror_client Client --dynamic
  program values_server Server --values
  program values_client Client --values
  program deferred_client Client --deferred
}
