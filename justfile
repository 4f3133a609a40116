# Steps of CI and a few shortcuts. CI runs the same scripts without just: `.ci/run`, `.ci/step NAME`.

# List the recipes
default:
    @just --list --unsorted

# All that CI does
ci:
    bash .ci/run

# Install Debian packages, Rust targets and components that the steps need
prepare:
    .ci/step prepare

# Unit, property and command-line tests, and the long ones that cover what changed
test:
    .ci/step test
    .ci/step long

# The 50 slowest tests of the first tier, with the seconds that each took
slowest:
    cargo test --workspace --no-fail-fast --config "target.'cfg(all())'.runner='env RUSTC_BOOTSTRAP=1'" -- -Z unstable-options --report-time \
        | sed -n 's/^test \(.*\) \.\.\. ok <\(.*\)s>$/\2 \1/p' | sort --reverse --numeric-sort | head -50

# Formatting, as CI checks it
format:
    .ci/step format

# Clippy, warnings as errors
lint:
    .ci/step lint

# The API documentation, warnings as errors
documentation:
    .ci/step documentation

# Write the JSON Schemas that the types say
schema:
    cargo build --quiet --package zerohop
    for file in schema/*.schema.json; do cargo run --quiet --package zerohop -- schema "$(basename "$file" .schema.json)" > "$file"; done

# Write the list of keys at the end of docs/machine-files.md from their declarations
machine-keys:
    sed -i '/^## All keys$/q' docs/machine-files.md
    (echo; cargo run --quiet --package zerohop -- schema machine-keys) >> docs/machine-files.md

# Write the list of settings at the end of docs/settings.md from settings/
settings-table:
    sed -i '/^## All settings$/q' docs/settings.md
    (echo; cargo run --quiet --package zerohop -- schema settings-table) >> docs/settings.md

# Write docs/reproduction.md: how many published figures models give
reproduction:
    cargo run --profile dist --target x86_64-unknown-linux-musl --quiet --package zerohop -- reproduce --format markdown | sed -nf docs/summary.sed > docs/reproduction.md

# Write docs/validation.md and validation/errors.toml: how wrong predictions from spec sheets are; by the static build, as C libraries round differently
validation:
    cargo run --profile dist --target x86_64-unknown-linux-musl --quiet --package zerohop -- reproduce --validation --format markdown | sed -nf docs/summary.sed > docs/validation.md
    cargo run --profile dist --target x86_64-unknown-linux-musl --quiet --package zerohop -- reproduce --validation -o validation/errors.toml

# Print how far the two solvers are apart on built-in machines and on templates: the tables in docs/model.md
solver:
    cargo test --quiet --workspace --lib flow::tests::shipped -- --include-ignored --nocapture --test-threads 1 | grep '^| '

# Write the robustness of each main figure in docs/machines/: what it depends on of what is assumed
robustness *machines:
    cargo build --release --quiet --package zerohop
    docs/robustness target/release/zerohop {{ machines }}

# Licences of all dependencies against deny.toml
licences:
    .ci/step licences

# The pure crates for wasm32
wasm:
    .ci/step wasm

# The static program for x86-64
static:
    .ci/step static

# The static program for aarch64, its unit tests and a survey under emulation
aarch64:
    .ci/step aarch64

# Packages of a release in target/packages: tarball, Debian package and Python wheel, for x86-64 and aarch64
dist *targets:
    packaging/dist {{ targets }}

# Try the packages of this machine's architecture, each on a clean root
try-dist:
    packaging/try

# Web pages in Chromium
browser: static
    .ci/step browser

# The pictures of docs/images/, of models
images: static
    cd web && node images.mjs

# zerohop in virtual machines of many topologies, and in which something goes wrong (`--list`, `--all`)
testbed *guests:
    packaging/build x86_64-unknown-linux-musl
    testbed/check {{ guests }}

# Try texts on a parser for a minute, starting from machine files (takes cargo-fuzz and a nightly compiler)
fuzz target="machine_file" seconds="60":
    mkdir -p fuzz/corpus/{{ target }}
    cargo +nightly fuzz run {{ target }} fuzz/corpus/{{ target }} machines crates/machine-file/tests/files -- -max_total_time={{ seconds }}

# zerohop and other tools in turn on this machine
peers *arguments:
    cargo build --profile dist
    peers/run {{ arguments }}
