#!/usr/bin/env bash
# What `counsel tmux status` costs, as tmux pays it: from fork to exit, over a server with twelve agents.
# Prints the median and the slowest of a hundred runs, beside those of /bin/true, in milliseconds.
#   benches/tmux_status.sh [COUNSEL]      (target/release/counsel by default)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
counsel=$(realpath "${1:-target/release/counsel}")
export LC_ALL=C
work=$(mktemp -d /tmp/counsel-bench.XXXXXX)
export COUNSEL_RUNTIME_DIR=$work/run COUNSEL_STATE_DIR=$work/state HOME=$work
trap '"$counsel" down --grace 0 >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
cd "$work"

measure() {
  local begin end
  for _ in $(seq 100); do
    begin=${EPOCHREALTIME/./}
    "$@" >/dev/null
    end=${EPOCHREALTIME/./}
    echo $((end - begin))
  done | sort -n | awk '{ t[NR] = $1 } END { printf "median %.2f  slowest %.2f\n", t[int((NR + 1) / 2)] / 1000, t[NR] / 1000 }'
}

for number in $(seq 12); do "$counsel" start "agent$number" -- cat; done
printf 'status, 12 agents   '; measure "$counsel" tmux status
"$counsel" down --grace 0 >/dev/null
printf 'status, no server   '; measure "$counsel" tmux status
printf '/bin/true           '; measure /bin/true
