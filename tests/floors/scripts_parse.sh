#!/usr/bin/env bash
# Checks that every shell script of the project parses: what a quotation mark too many breaks shows only
# on the machine of whoever runs the script next.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."
failed=0 checked=0
for script in run-tests quickstart .ci/run scripts/* tests/floors/*.sh; do
  head -n 1 "$script" | grep -q 'bash$' || [[ $script == *.sh ]] || continue
  checked=$((checked + 1))
  bash -n "$script" || failed=1
done
echo "$checked scripts"
((checked >= 8)) && exit $failed
echo "expected more scripts to check" >&2
exit 1
