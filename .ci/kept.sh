# Keeps compiled dependencies between clean checkouts; `run` sources this file.
#
# Where: ~/.cache/crossover-ci/KEY (XDG_CACHE_HOME is honoured). KEY is a digest of what decides how dependencies are
# compiled: Cargo.lock, features/Cargo.toml, the compiler and its flags, the profiles in Cargo.toml, .cargo/config.toml. KEY/build is cargo's
# `build.build-dir`, so that target/ of the checkout has final artefacts only. KEY/manifest lists every file in it with its
# size and SHA-256.
#
# At the start of a run, kept_start
# 1. locks KEY; if another run has locked it, this one builds in target/, without kept dependencies;
# 2. removes the folders of other keys that were not used for 14 days;
# 3. compares KEY/build with the manifest. If a file is missing, added or changed, or if there is no manifest because the
#    last run was killed, KEY is emptied, and dependencies are compiled again;
# 4. removes the manifest for as long as KEY is in use.
# At the end of a run, also when tests have failed, kept_end removes what was compiled of the workspace, and writes the
# manifest.
#
# CROSSOVER_CI_CACHE=off builds in target/, too.

# The folder of the key, empty where nothing is kept.
kept=

kept_start() {
    local tool cache
    if [ "${CROSSOVER_CI_CACHE:-}" = off ]; then
        kept_not "CROSSOVER_CI_CACHE=off"
        return
    fi
    for tool in cmp flock sha256sum xargs; do
        if ! command -v "$tool" >/dev/null; then
            kept_not "$tool is not installed"
            return
        fi
    done
    # Without quotes, ~ is the home folder also where HOME is not set.
    cache=${XDG_CACHE_HOME:-~/.cache}/crossover-ci
    if ! kept=$cache/$(kept_key) || ! mkdir -p "$kept"; then
        kept_not "$cache cannot be used"
        return
    fi

    # Only one run at a time looks for its folder, locks it and removes others, so none is removed just before it is locked.
    exec {kept_gate}<"$cache"
    flock "$kept_gate"
    mkdir -p "$kept"
    exec {kept_lock}<"$kept"
    if ! flock --nonblock "$kept_lock"; then
        kept_not "another run uses $kept"
    else
        kept_forget "14 days ago" "unused for 14 days"
    fi
    exec {kept_gate}<&-
    [ -n "$kept" ] || return 0

    if [ ! -e "$kept/manifest" ]; then
        [ -z "$(ls -A "$kept")" ] || kept_empty "the last run was killed" || return 0
    elif ! (kept_list) | cmp --silent - "$kept/manifest"; then
        kept_empty "a file is missing, added or changed" || return 0
    fi
    # Nothing may be built where an old manifest stays.
    if ! rm -f "$kept/manifest" || ! mkdir -p "$kept/build"; then
        kept_not "$kept cannot be written"
        return
    fi
    export CARGO_BUILD_BUILD_DIR=$kept/build
}

kept_end() {
    local elsewhere status=0
    [ -n "$kept" ] || return 0
    # With another target folder, final artefacts stay in that of the checkout.
    elsewhere=$(mktemp -d)
    cargo clean --quiet --offline --workspace --target-dir "$elsewhere" &&
        rm -rf "$kept/build/tmp" &&
        (kept_list) >"$kept/manifest.new" &&
        mv "$kept/manifest.new" "$kept/manifest" || status=$?
    rm -rf "$elsewhere"
    [ "$status" = 0 ] || echo "dependencies are not kept: no manifest can be written in $kept" >&2
    # Released, not only closed: a service that the run has started may have inherited it.
    flock --unlock "$kept_lock"
    exec {kept_lock}<&-
    return "$status"
}

# Removes folders of other keys that no run uses, and that none has used since a date.
kept_forget() {
    local other
    # Making and removing the manifest sets the time of the folder.
    find "$(dirname "$kept")" -mindepth 1 -maxdepth 1 -type d ! -path "$kept" ! -newermt "$1" | while read -r other; do
        flock --nonblock "$other" rm -rf "$other" && echo "removed $other: $2" >&2
    done
}

# Removes the folders of all other keys, while no other run looks for its own.
kept_make_room() {
    exec {kept_gate}<"$(dirname "$kept")"
    flock "$kept_gate"
    kept_forget now "the disk is nearly full"
    exec {kept_gate}<&-
}

# Builds in target/, for a reason.
kept_not() {
    kept=
    echo "built without kept dependencies: $1" >&2
}

kept_empty() {
    echo "kept dependencies are compiled again: in $kept $1" >&2
    find "$kept" -mindepth 1 -delete || { kept_not "$kept cannot be emptied"; return 1; }
}

kept_key() {
    {
        cat Cargo.lock .cargo/config.toml features/Cargo.toml && echo "${RUSTFLAGS:-}" &&
            awk '/^\[/ { is_profile = /^\[profile/ } is_profile' Cargo.toml &&
            rustc -vV
    } | sha256sum | cut -c 1-16
}

# The manifest of the folder as it is: sizes of all files with targets of links, then digests.
kept_list() {
    cd "$kept/build" &&
        find . ! -type d -printf '%s %p %l\n' | LC_ALL=C sort &&
        find . -type f -print0 | xargs -0 -r -n 64 -P "$(nproc)" sha256sum | LC_ALL=C sort
}
