# What the scripts that make an environment share; sourced by them, from the root of the checkout.
# They set: VENV (folder), STAMP (written last), CONSTRAINTS (file of pinned versions), LABEL
# (what messages begin with).
# shellcheck shell=bash disable=SC2153

readonly CPU_INDEX=https://download.pytorch.org/whl/cpu

say() { printf '%s: %s\n' "$LABEL" "$*" >&2; }
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

is_complete() {
  [[ -f $STAMP && $(<"$STAMP") == "$1" ]] && "$VENV/bin/python" -c '' 2>/dev/null
}

# Written last, so that an interrupted set-up is taken up again.
write_stamp() {
  printf '%s\n' "$1" >"$STAMP.part"
  mv "$STAMP.part" "$STAMP"
}

has_c_headers() {
  command -v cc >/dev/null &&
    printf '#include <aspell.h>\n#include <Python.h>\n' |
    cc -E -I"$("$1" -c 'import sysconfig; print(sysconfig.get_path("include"))')" - &>/dev/null
}

has_dictionary() { command -v aspell >/dev/null && aspell dicts | grep -qx en; }

# Debian's own interpreter comes without headers and ensurepip; others bring theirs.
has_browser() {
  command -v chromium || command -v chromium-browser || command -v google-chrome
} &>/dev/null

packages_needed() {
  local python=$1 version
  version=$("$python" -c 'import sys; print("{}.{}".format(*sys.version_info))')
  has_dictionary || echo aspell aspell-en
  if ! has_c_headers "$python"; then
    echo gcc libc6-dev libaspell-dev
    [[ $("$python" -c 'import sys; print(sys.prefix)') != /usr ]] || echo "python$version-dev"
  fi
  "$python" -c 'import ensurepip' 2>/dev/null || echo "python$version-venv"
  # The pages are tested in a real one.
  [[ -z ${BROWSER:-} ]] || has_browser || echo chromium
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
  local home wanted
  wanted=$(cd "$(dirname "$VENV")" && pwd -P)/$(basename "$VENV")
  home=$("$VENV/bin/python" -c 'import sys; print(sys.prefix)' 2>/dev/null || true)
  [[ $home == "$wanted" ]] && "$VENV/bin/python" -m pip --version &>/dev/null && return
  say "making $VENV with $("$1" -V)"
  rm -rf "$VENV"
  "$1" -m venv "$VENV"
}

pip_install() {
  "$VENV/bin/python" -m pip --disable-pip-version-check install --quiet -c "$CONSTRAINTS" "$@"
}

torch_version() {
  local version
  version=$(sed -n 's/^torch==//p' "$CONSTRAINTS")
  [[ -n $version ]] || die "$CONSTRAINTS does not pin torch"
  echo "$version"
}

# The CPU build of torch: from wherever pip is set up to look, else from PyTorch's own index.
# Fails, without a message, where neither has it.
install_cpu_torch() {
  pip_install "torch==$1+cpu" 2>/dev/null ||
    pip_install --retries 1 --timeout 15 --extra-index-url "$CPU_INDEX" "torch==$1+cpu" 2>/dev/null
}
