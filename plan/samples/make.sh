#!/bin/sh
# Makes the samples of this folder anew with the real engines. See README.md.
#   plan/samples/make.sh
# Needs python3 with venv and pip, and PostgreSQL's server and psql (Debian: apt-get install postgresql).
set -eu
samples=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
chmod 755 "$work"

# PostgreSQL refuses to run as root: root lends its server to the user nobody.
as_user() {
    if [ "$(id -u)" = 0 ]; then
        (cd / && setpriv --reuid=nobody --regid=nogroup --clear-groups "$@")
    else
        "$@"
    fi
}

server=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
[ -n "$server" ] || server=$(pg_config --bindir)
port=${PGPORT:-54329}

finish() {
    as_user "$server/pg_ctl" -D "$work/data/db" -m fast -w stop >/dev/null 2>&1 || true
    rm -rf "$work"
}
trap finish EXIT INT TERM

mkdir "$work/data"
[ "$(id -u)" != 0 ] || chown nobody "$work/data"
as_user "$server/initdb" -D "$work/data/db" -U crossover -A trust --locale=C -E UTF8 >/dev/null
as_user "$server/pg_ctl" -D "$work/data/db" -w -l "$work/data/log" \
    -o "-p $port -h 127.0.0.1 -k '' -c jit=off -c fsync=off" start >/dev/null
PGHOST=127.0.0.1 PGPORT=$port PGUSER=crossover PGDATABASE=postgres python3 "$samples/make.py" postgres

# The current version, the long-term one, and one with the JSON of old.
for version in 2.0.0 1.4.4 0.10.3; do
    python3 -m venv "$work/duckdb-$version"
    "$work/duckdb-$version/bin/pip" install --quiet "duckdb==$version"
    "$work/duckdb-$version/bin/python" "$samples/make.py" duckdb "$work/profile.json"
done
