#!/bin/sh
# `make clean`: removes what was built, unless this clone runs or installs: both would end half-way, without saying why.
. "${0%/*}/runs.sh"
refuse() {
  echo "nothing was removed: $1" >&2
  exit 1
}
holder=$(readlink .local/installing) && runs "$holder" make/alone.sh &&
  refuse "another make is installing or building (process $holder, .local/installing)"
runner=$(cat .local/start.pid 2>/dev/null) && runs "$runner" scripts/start.ts &&
  refuse "make start runs from this clone (process $runner, .local/start.pid): stop it first"
rm -rf dist coverage
echo "left: node_modules/, clients/, and .local/ with the data of the local service"
