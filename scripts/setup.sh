#!/usr/bin/env bash
# Makes .venv in the checkout: system packages, torch, then the project with its extras.
# A stamp with a hash of what was installed is written last, so that a second run takes
# seconds and an interrupted one is taken up again.
#   PYTHON  interpreter to build on (default: python3.11, else python3)
#   TORCH   cpu (default) or default, see the Makefile
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly LABEL=setup
readonly VENV=.venv
readonly STAMP=$VENV/.setup-complete
readonly CONSTRAINTS=constraints.txt
readonly BROWSER=yes
readonly EXTRAS=hf,finetune,dialect,leaderboard,sweep,model,spelling,demo,dev
TORCH=${TORCH:-cpu}

# shellcheck source=scripts/setup_common.sh
source scripts/setup_common.sh

# A hash of all that decides what .venv holds, the place of the checkout included (an
# environment does not survive a move).
fingerprint() {
  { pwd -P; echo "$TORCH"; "$1" -VV
    cat pyproject.toml "$CONSTRAINTS" scripts/setup.sh scripts/setup_common.sh; } |
    sha256sum | cut -d' ' -f1
}

# The CPU build is about a tenth of the default one; a machine that does not reach it takes the
# default build.
install_torch() {
  local version
  version=$(torch_version)
  say "installing torch $version ($TORCH build)"
  if [[ $TORCH == cpu && $(uname -s) == Linux ]]; then
    install_cpu_torch "$version" && return
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
  write_stamp "$wanted"
  say "done"
}

main
