# To be read by the other scripts.

# Whether the process with this id runs this script. After a power loss or in a new container, another program soon has
# the id that a lock names. Where `ps` can't say what runs, every process counts.
runs() {
  if ps -ww -o args= -p $$ >/dev/null 2>&1; then
    ps -ww -o args= -p "$1" 2>/dev/null | grep -qF "$2"
  else
    kill -0 "$1" 2>/dev/null
  fi
}
