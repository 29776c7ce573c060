#!/usr/bin/env bash
# Builds the firmware of examples/firmware for its four machines, runs it emulated, and talks to it over its UART.
#
#     tests/firmware.sh [UMCP]
#
# UMCP is the program, target/release/umcp by default. The tools are installed if they are missing: see tests/firmware/toolchain.
set -euo pipefail
cd "$(dirname "$0")/.."
UMCP=$(realpath "${1:-target/release/umcp}")
SHARED=$(realpath -m "${UMCP_SHARED:-../shared}")
. tests/firmware/toolchain
export CARGO_TARGET_DIR=${UMCP_FIRMWARE_TARGET:-$PWD/target/firmware} CARGO_TERM_COLOR=never
TESTS=$PWD/tests
EMULATE="python3 $TESTS/firmware/emulate.py"
SCRATCH=$(mktemp -d)
trap 'rm -rf "$SCRATCH"' EXIT

step() { printf '\n=== firmware: %s (%s s)\n' "$*" "$SECONDS"; }
fail() { echo "FAIL $*"; exit 1; }
# The program $1 for target $2.
image() { echo "$CARGO_TARGET_DIR/$2/release/$1"; }

# What an emulated board cannot do, whichever it is, and why. Each case that is left out is followed by what stands in for it.
#
#   frame-oversize-line, frame-oversize-id-last: 300,000 bytes, answered within 5 s. At 115,200 baud they take 26 s, and QEMU hands them
#   over one by one. `oversize` below sends 5,000, which no buffer of the board's holds either.
#
#   frame-bom, on lm3s6965evb and virt: a byte-order mark is one at the very beginning only, and these boards have been asked before whether
#   they are up (see emulate.py).
#
# Nothing is left out because of the 16 KB of the micro:bit: its programs are the same as the others', with the same buffers (512 bytes each
# way; the client receives 2 KB, for what server-everything says about itself).
CASES_LEFT_OUT="frame-oversize-line frame-oversize-id-last"
CASES_LEFT_OUT_HASTY="frame-bom"

step "build"
cd examples/firmware
for target in $FIRMWARE_TARGETS; do
    cargo build --quiet --release --target "$target"
    cargo build --quiet --release --target "$target" --features http --bin everything
    cargo build --quiet --release --target "$target" --no-default-features --features http --bin http_server
done
cd ../..

step "format and lints"
(cd examples/firmware && cargo fmt --check &&
    for target in thumbv6m-none-eabi riscv32imc-unknown-none-elf; do
        cargo clippy --quiet --release --target "$target" --features http -- -D warnings
    done)

step "logs, where atomics are fewest"
logs=$CARGO_TARGET_DIR/logs
(cd examples/firmware && CARGO_TARGET_DIR=$logs DEFMT_LOG=info cargo build --quiet --release --target thumbv6m-none-eabi --features defmt)
print=$(firmware_defmt)
logging=$logs/thumbv6m-none-eabi/release/server
UMCP_BOARD_LOG=$SCRATCH/log $EMULATE with microbit "$logging" -- "$UMCP" call UART echo '{"text":"hi"}' >/dev/null
"$print" -e "$logging" <"$SCRATCH/log" | tee "$SCRATCH/log.txt"
grep -q 'umcp-firmware waits for a client' "$SCRATCH/log.txt" && grep -q 'served Some(CallTool): None' "$SCRATCH/log.txt" ||
    fail "the logs are others"

oversize() { # MACHINE ELF
    local filler meta
    filler=$(printf '%5000s' '' | tr ' ' x)
    meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
    {
        printf '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":{"text":"%s"}}}\n' "$filler"
        printf '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo","arguments":{"text":"%s"}},"id":"late"}\n' "$filler"
        printf '{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"},%s}}\n' "$meta"
    } | $EMULATE board "$1" "$2" >"$SCRATCH/oversize-$1"
    grep -q '"id":5,"error":{"code":-32600' "$SCRATCH/oversize-$1" &&
        grep -q '"id":"late","error":{"code":-32600' "$SCRATCH/oversize-$1" &&
        grep -q '"id":6,"result".*"text":"hi"' "$SCRATCH/oversize-$1"
}

# Plays the wire cases against a server that is started by these words.
cases() {
    local only
    only=$(python3 -c 'import json, sys; [print("--only", c["id"]) for c in json.load(open(sys.argv[1])) if c["id"] not in sys.argv[2:]]' \
        "$SHARED/cases/stdio_server.json" ${LEFT_OUT:-$CASES_LEFT_OUT})
    python3 "$SHARED/cases/run.py" stdio-server "$SHARED/cases/stdio_server.json" --quiet $only -- "$@"
}

# Larger than memory, out of and into a server and a client, each with buffers of 512 bytes: a megabyte on the smallest machine; 64 KB on
# the others, where it is the emulation that takes its time.
large() {
    local target=$1 machine size files=$SCRATCH/large-$1
    machine=$(firmware_machine "$target")
    size=65536
    [ "$machine" != microbit ] || size=1048576
    mkdir "$files"
    python3 "$TESTS/firmware/large.py" files "$files" $size
    board=(python3 "$TESTS/firmware/emulate.py" with "$machine" "$(image large_server "$target")" -- "$UMCP")
    "${board[@]}" call UART dump "{\"bytes\":$size}" | cmp - "$files/lines" || return 1
    if [ "$machine" = microbit ]; then
        "${board[@]}" read UART board://flash --output "$files/read" && cmp "$files/read" "$files/bytes" || return 1
    fi
    [ "$("${board[@]}" call UART flash --file image="$files/bytes")" = "$(cat "$files/said")" ] || return 1
    $EMULATE client "$machine" "$(image large_client "$target")" "$files/log" -- python3 "$TESTS/firmware/large.py" serve $size &&
        [ "$(grep -c '"right"' "$files/log")" = 2 ] || { cut -c1-300 "$files/log"; return 1; }
}

# Everything about one board; two at a time, since they mostly wait.
board() {
    local target=$1 machine
    machine=$(firmware_machine "$target")
    serve=(python3 "$TESTS/firmware/emulate.py" board "$machine" "$(image server "$target")")
    beside=(python3 "$TESTS/firmware/emulate.py" with "$machine" "$(image server "$target")" -- "$UMCP")

    # The program itself, on the UART's socket.
    [ "$("${beside[@]}" call UART echo '{"text":"hi"}')" = hi ] || fail "$machine: umcp call echo"
    "${beside[@]}" call --json UART temperature_read '{}' | grep -q '"celsius":20.1' || fail "$machine: umcp call temperature_read"
    "${beside[@]}" call UART blink '{"times":3,"period_ms":20}' | grep -q 'blinked 3 times' || fail "$machine: umcp call blink"
    [ "$("${beside[@]}" read UART board://led)" = off ] || fail "$machine: umcp read"
    oversize "$machine" "$(image server "$target")" || fail "$machine: oversize: $(cat "$SCRATCH/oversize-$machine")"

    if [ -d "$SHARED/cases" ]; then
        case $machine in
            lm3s6965evb | virt) LEFT_OUT="$CASES_LEFT_OUT $CASES_LEFT_OUT_HASTY" cases "${serve[@]}" ;;
            *) cases "${serve[@]}" ;;
        esac || fail "$machine: cases"
        cases "${beside[@]}" bridge UART || fail "$machine: cases, through the bridge"
    elif [ -n "${CI:-}" ]; then
        fail "no $SHARED/cases: set UMCP_SHARED"
    fi

    # Over HTTP, the UART being the socket; and the program that is everything, as each of what it is.
    over_http=(python3 "$TESTS/firmware/emulate.py" http "$machine")
    [ "$("${over_http[@]}" "$(image http_server "$target")" -- "$UMCP" call UART/mcp echo '{"text":"hi"}')" = hi ] || fail "$machine: over HTTP"
    "${over_http[@]}" "$(image http_server "$target")" -- curl -s UART/mcp -d '{}' | grep -q '"code":-32600' || fail "$machine: over HTTP, by curl"
    everything=$(image everything "$target")
    [ "$($EMULATE with "$machine" "$everything" -- "$UMCP" call UART echo '{"text":"hi"}')" = hi ] || fail "$machine: everything, on lines"
    "${over_http[@]}" "$everything" -- "$UMCP" call UART/mcp blink '{"times":3,"period_ms":20}' | grep -q 'blinked 3 times' ||
        fail "$machine: everything, over HTTP"
    $EMULATE client "$machine" "$everything" "$SCRATCH/client-$machine" -- "$UMCP" serve ||
        fail "$machine: everything, as a client: $(cat "$SCRATCH/client-$machine")"

    large "$target" || fail "$machine: larger than memory"

    # The client: against the simulated board, with both of the eras that there are.
    $EMULATE client "$machine" "$(image client "$target")" "$SCRATCH/client-$machine" -- "$UMCP" serve ||
        fail "$machine: client: $(cat "$SCRATCH/client-$machine")"
    grep -q 'io.modelcontextprotocol/protocolVersion' "$SCRATCH/client-$machine" || fail "$machine: the client is not of the modern era"
    echo "ok   $machine"
}

step "each board: umcp, the wire cases, and its client against umcp serve"
boards() {
    for target in "$@"; do board "$target"; done
}
set -- $FIRMWARE_TARGETS
boards "$1" "$3" &
first=$!
boards "$2" "$4" || { wait $first; exit 1; }
wait $first

step "other implementations, through the bridge"
for target in thumbv7em-none-eabihf thumbv6m-none-eabi; do
    printf '#!/bin/sh\nexec %s with %s %s -- %s bridge UART\n' "$EMULATE" "$(firmware_machine $target)" "$(image server $target)" "$UMCP" >"$SCRATCH/board"
    chmod +x "$SCRATCH/board"
    (unset RUSTUP_TOOLCHAIN CARGO_TARGET_DIR; tests/peers/run --only '^serve/(mcp-|typescript-2)' "$SCRATCH/board") >"$SCRATCH/peers" ||
        { grep -v '^ok' "$SCRATCH/peers"; fail "$target: other implementations"; }
    tail -1 "$SCRATCH/peers"
done
everything=$(PYTHONPATH=tests/peers python3 -Bc 'import peers; peers.install_node(); print(peers.node_package("@modelcontextprotocol/server-everything"))')
for target in $FIRMWARE_TARGETS; do
    machine=$(firmware_machine $target)
    $EMULATE client "$machine" "$(image client $target)" "$SCRATCH/everything" -- "$UMCP" bridge -- node "$everything/dist/index.js" ||
        fail "$machine: client against server-everything: $(cut -c1-300 "$SCRATCH/everything")"
    grep -q 'Echo: hello' "$SCRATCH/everything" || fail "$machine: no echo: $(cut -c1-300 "$SCRATCH/everything")"
done

step "done"
