#!/usr/bin/env bash
# Compares surface noise with nlpaug on the same responses: makes build/noise-peers-venv for nlpaug,
# which is no dependency of the project, then prints a markdown table.
#   SOCIOLECT_SOURCES  folder of source files (needed)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly VENV=build/noise-peers-venv
readonly STAMP=$VENV/.setup-complete
readonly NEEDED=(nlpaug==1.1.11 numpy==2.4.6 pandas==3.1.1)

say() { printf 'noise_peers: %s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

[[ -x .venv/bin/python ]] || die "no .venv; run \`make setup\` first"
if [[ ! -f $STAMP || $(<"$STAMP") != "${NEEDED[*]}" ]]; then
  say "making $VENV"
  rm -rf "$VENV"
  .venv/bin/python -m venv "$VENV"
  "$VENV/bin/python" -m pip --disable-pip-version-check install --quiet "${NEEDED[@]}"
  printf '%s\n' "${NEEDED[*]}" >"$STAMP"
fi
exec .venv/bin/python tests/benchmarks/noise_peers.py
