#!/bin/sh
# Runs a command that two `make` of one clone must not run at the same time: to install or to build. Each would replace
# what the other one uses. The lock is a link whose target is the holder's process id: made and read in one step, on
# every system. The lock of a process that has ended counts for nothing.
. "${0%/*}/runs.sh"
lock=.local/installing
mkdir -p .local && touch .local || exit 1
said=
until ln -s "$$" "$lock" 2>/dev/null; do
  holder=$(readlink "$lock") || continue # it was released in between
  if ! runs "$holder" make/alone.sh; then
    [ "$(readlink "$lock")" != "$holder" ] || rm -f "$lock"
    continue
  fi
  [ "$said" = "$holder" ] || echo "another make is installing or building (process $holder, $lock): waiting"
  said=$holder
  sleep 0.2
done
trap 'rm -f "$lock"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
"$@"
