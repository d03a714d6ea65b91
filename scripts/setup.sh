#!/usr/bin/env bash
# Makes .venv in the checkout: system packages, torch, then the project with its extras.
# A stamp with a hash of what was installed is written last, so that a second run takes
# seconds and an interrupted one is taken up again.
#   PYTHON  interpreter to build on (default: python3.11, else python3)
#   TORCH   cpu (default) or default, see the Makefile
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly VENV=.venv
readonly STAMP=$VENV/.setup-complete
readonly EXTRAS=hf,finetune,model,spelling,demo,dev
readonly CPU_INDEX=https://download.pytorch.org/whl/cpu
TORCH=${TORCH:-cpu}

say() { printf 'setup: %s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

find_python() {
  local name
  for name in ${PYTHON:-python3.11 python3}; do
    if command -v "$name" >/dev/null && is_new_enough "$name"; then
      command -v "$name"
      return
    fi
  done
  die "no Python ≥ 3.11 found; install one, or name it: make setup PYTHON=/path/to/python3.11"
}

# A hash of all that decides what .venv holds, the place of the checkout included (an
# environment does not survive a move).
fingerprint() {
  { pwd -P; echo "$TORCH"; "$1" -VV; cat pyproject.toml constraints.txt scripts/setup.sh; } |
    sha256sum | cut -d' ' -f1
}

is_complete() {
  [[ -f $STAMP && $(<"$STAMP") == "$1" ]] && "$VENV/bin/python" -c '' 2>/dev/null
}

has_c_headers() {
  command -v cc >/dev/null &&
    printf '#include <aspell.h>\n#include <Python.h>\n' |
    cc -E -I"$("$1" -c 'import sysconfig; print(sysconfig.get_path("include"))')" - &>/dev/null
}

has_dictionary() { command -v aspell >/dev/null && aspell dicts | grep -qx en; }

# Debian's own interpreter comes without headers and ensurepip; others bring theirs.
packages_needed() {
  local python=$1 version
  version=$("$python" -c 'import sys; print("{}.{}".format(*sys.version_info))')
  has_dictionary || echo aspell aspell-en
  if ! has_c_headers "$python"; then
    echo gcc libc6-dev libaspell-dev
    [[ $("$python" -c 'import sys; print(sys.prefix)') != /usr ]] || echo "python$version-dev"
  fi
  "$python" -c 'import ensurepip' 2>/dev/null || echo "python$version-venv"
}

install_system_packages() {
  local needed as_root=() log
  read -ra needed <<<"$(packages_needed "$1" | xargs)"
  ((${#needed[@]})) || return 0
  command -v apt-get >/dev/null ||
    die "this system has no apt-get; install what these Debian packages hold: ${needed[*]}"
  if ((EUID != 0)); then
    as_root=(sudo -n)
    sudo -n true 2>/dev/null ||
      die "no rights to install system packages. Have this run, then try again:
  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${needed[*]}"
  fi
  say "installing system packages: ${needed[*]}"
  "${as_root[@]}" apt-get update -qq || say "apt-get update failed; trying with the lists there are"
  log=$("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${needed[@]}" 2>&1) ||
    die "apt-get could not install ${needed[*]}:"$'\n'"$log"
}

make_venv() {
  local home
  home=$("$VENV/bin/python" -c 'import sys; print(sys.prefix)' 2>/dev/null || true)
  [[ $home == "$(pwd -P)/$VENV" ]] && "$VENV/bin/python" -m pip --version &>/dev/null && return
  say "making $VENV with $("$1" -V)"
  rm -rf "$VENV"
  "$1" -m venv "$VENV"
}

pip_install() {
  "$VENV/bin/python" -m pip --disable-pip-version-check install --quiet -c constraints.txt "$@"
}

# The CPU build is about a tenth of the default one. It comes from wherever pip is set up to
# look, else from PyTorch's own index; a machine that reaches neither takes the default build.
install_torch() {
  local version
  version=$(sed -n 's/^torch==//p' constraints.txt)
  [[ -n $version ]] || die "constraints.txt does not pin torch"
  say "installing torch $version ($TORCH build)"
  if [[ $TORCH == cpu && $(uname -s) == Linux ]]; then
    pip_install "torch==$version+cpu" 2>/dev/null && return
    pip_install --retries 1 --timeout 15 --extra-index-url "$CPU_INDEX" \
      "torch==$version+cpu" 2>/dev/null && return
    say "no CPU build of torch $version within reach; taking the default build"
  fi
  pip_install "torch==$version"
}

main() {
  local python wanted
  python=$(find_python)
  wanted=$(fingerprint "$python")
  if is_complete "$wanted"; then return; fi
  rm -f "$STAMP"
  install_system_packages "$python"
  make_venv "$python"
  pip_install --upgrade pip setuptools
  install_torch
  say "installing sociolect[$EXTRAS] (a few minutes)"
  # setuptools warns at length that an editable install sees the working folder
  PYTHONWARNINGS=ignore pip_install -e ".[$EXTRAS]"
  printf '%s\n' "$wanted" >"$STAMP.part"
  mv "$STAMP.part" "$STAMP"
  say "done"
}

main
