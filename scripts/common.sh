# Shared by run-tests and quickstart; sourced from the project's root.
# shellcheck shell=bash

phases=()

# phase NAME COMMAND...: says what begins, runs it and notes how long it took. Returns its status.
phase() {
  local name=$1 start=$SECONDS status=0
  shift
  printf '\n== %s\n' "$name"
  "$@" || status=$?
  phases+=("$(printf '%-24s %5d s%s' "$name" $((SECONDS - start)) "$( ((status)) && echo '  failed')")")
  return $status
}

print_phases() {
  printf '\n'
  printf '%s\n' "${phases[@]}"
}

# Memory that may still be used, in MiB: what the machine has available, or less by the cgroup's limit.
available_memory() {
  local available limit used
  available=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)
  limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || true)
  if [[ $limit =~ ^[0-9]+$ ]]; then
    used=$(cat /sys/fs/cgroup/memory.current 2>/dev/null || echo 0)
    limit=$(((limit - used) / 1048576))
    ((limit < available)) && available=$limit
  fi
  echo "$available"
}

# Compilers to run at once: one a core, but each may need 2 GiB (the files that include LibTorch do).
compile_jobs() {
  local cores jobs
  cores=$(nproc)
  jobs=$(($(available_memory) / 2048))
  ((jobs > cores)) && jobs=$cores
  echo $((jobs < 1 ? 1 : jobs))
}

# build_preset PRESET: configures and builds; a finished build is only looked through.
build_preset() {
  cmake --preset "$1" --log-level=WARNING &&
    cmake --build --preset "$1" --parallel "$(compile_jobs)"
}
