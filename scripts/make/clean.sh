#!/bin/sh
# `make clean`: removes what was built, unless this clone runs or installs: both would end half-way, without saying why.
refuse() {
  echo "nothing was removed: $1" >&2
  exit 1
}
holder=$(readlink .local/installing) && kill -0 "$holder" 2>/dev/null &&
  refuse "another make is installing or building (process $holder)"
runner=$(cat .local/start.pid 2>/dev/null) && kill -0 "$runner" 2>/dev/null &&
  refuse "make start runs from this clone (process $runner): stop it first"
rm -rf dist coverage
echo "left: node_modules/, clients/, and .local/ with the data of the local service"
