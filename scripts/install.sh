#!/bin/sh
# Installs the workspace when something changed since the last time, and only then.
# Runs under whatever Node the machine has (>= 20): nothing here may need node_modules.
#   in:  package-lock.json, every workspace's package.json
#   out: node_modules, node_modules/.minga-installed (the stamp)
#   --strict: a lockfile that npm rewrote is a failure, not a remark
set -eu
cd "$(dirname "$0")/.."
STAMP=node_modules/.minga-installed

fail() {
  printf 'minga: %s\n' "$1" >&2
  exit 4
}

command -v npm >/dev/null 2>&1 || fail 'npm was not found; install Node.js 20 or newer, which brings it.'

# cksum is in POSIX and this guards against staleness, not against an adversary.
fingerprint() {
  cat package-lock.json package.json packages/*/package.json apps/*/package.json | cksum
}

pinned_node_works() {
  case "$(node_modules/.bin/node --version 2>/dev/null || true)" in
    v24.*) return 0 ;;
    *) return 1 ;;
  esac
}

before=$(fingerprint)
if [ -f "$STAMP" ] && [ "$(cat "$STAMP")" = "$before" ] && pinned_node_works; then
  exit 0
fi

printf 'minga: installing packages (once; later starts skip this)\n' >&2
lock_before=$(cksum <package-lock.json)
# Not `npm ci`: it refuses lockfiles whose optional packages for other platforms are absent
# from the registry in use. `npm install` accepts them, hence the check that follows.
npm install --no-audit --no-fund --loglevel=error >&2 ||
  fail 'npm install failed, see above; run `npm install` again once the cause is gone.'

if [ "$(cksum <package-lock.json)" != "$lock_before" ]; then
  changed='npm install changed package-lock.json; run `git diff package-lock.json`, then commit or restore it'
  # Tests must run on what is committed; a start only says so, since another npm's way of
  # writing the file is no reason to keep a newcomer out.
  [ "${1-}" != --strict ] || fail "$changed."
  printf 'minga: %s (going on).\n' "$changed" >&2
fi
pinned_node_works ||
  fail 'the pinned Node 24 did not arrive in node_modules/.bin/node; allow install scripts of the package `node`, delete node_modules and run again.'

fingerprint >"$STAMP"
