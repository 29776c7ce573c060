#!/usr/bin/env bash
# Measures what the firmware costs, and compares it with FOOTPRINT.md: fails where a figure has grown by more than 2 %.
#
#     tests/footprint.sh [UMCP]         compare
#     tests/footprint.sh UMCP write     write the figures into FOOTPRINT.md, to be committed with what made them grow
#
# Every program is built so that it links only if no panic can be reached. UMCP is target/release/umcp by default.
set -euo pipefail
cd "$(dirname "$0")/.."
UMCP=$(realpath "${1:-target/release/umcp}")
. tests/firmware/toolchain
python3 tests/footprint/footprint.py "$UMCP" "${@:2}"
