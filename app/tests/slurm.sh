#!/bin/bash
# A real Slurm cluster on loopback, wholly under one folder: of one node, or of several.
#
#   eval "$(slurm.sh start FOLDER)"    starts munged, slurmctld and slurmd, waits
#                                      until all nodes are idle, and prints the
#                                      export line that points the Slurm commands
#                                      at this cluster
#   slurm.sh stop FOLDER               ends them and every job step of theirs
#   slurm.sh fail FOLDER NODE          kills the slurmd of a node and its job steps,
#                                      as if the node lost its power
#
# Needs root, and Debian's slurmctld, slurmd, slurm-client and munge, whose own
# services need not (and should not) run. Several can run beside each other, each
# in a folder of its own. SLURM_SH_CPUS sets another CPU count than the real one,
# SLURM_SH_CONF adds lines to slurm.conf (the last of two settings counts),
# SLURM_SH_NODES=4 makes nodes n1 to n4, each a slurmd of its own on this machine, and
# SLURM_SH_GPUS=2 gives each node two GPUs with four shards each, without devices.
set -u
export PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH LC_ALL=C

die() { echo "slurm.sh: $*" >&2; exit 1; }

usage="usage: slurm.sh start|stop FOLDER, or slurm.sh fail FOLDER NODE"
action=${1:-}
[ $# -eq 2 ] || { [ $# -eq 3 ] && [ "$action" = fail ]; } || die "$usage"
case $2 in
    *[!A-Za-z0-9_./+-]*|'') die "folder: only letters, digits and _ . / + -" ;;
esac
dir=$(realpath -m -- "$2")
# A Unix socket's path has at most 107 characters, and slurmstepd makes one named
# spool/HOST_JOBID.STEPID.
[ ${#dir} -le 60 ] || die "folder: '$dir' is longer than 60 characters"
conf=$dir/slurm.conf
# Only in a folder with this file is anything removed.
mark=$dir/.slurm.sh
host=$(hostname -s)
partition=main
# Nodes of a running cluster are those in its configuration.
if [ "$action" != start ] && [ -e "$dir/nodes" ]; then
    read -ra nodes < "$dir/nodes"
elif [ "${SLURM_SH_NODES:-1}" -gt 1 ]; then
    nodes=()
    for ((i = 1; i <= SLURM_SH_NODES; i++)); do nodes+=("n$i"); done
else
    nodes=("$host")
fi

# What a caller inside another job, or of another cluster, has set.
for v in $(compgen -e | grep -E '^(SLURM_|SLURMD_|SBATCH_|SRUN_|SINFO_|SQUEUE_|SCANCEL_)' | grep -v '^SLURM_SH_'); do
    unset "$v"
done
export SLURM_CONF=$conf

# A pid and its start time (field 22 of /proc/PID/stat) name one process only.
# Without a fork each, as these run hundreds of times.
fields=()
stat_of() { # PID: fields = state, parent, group, session, ...; fails where it has ended
    local line
    { read -r line < "/proc/$1/stat"; } 2>/dev/null || return 1
    comm=${line#*(}
    comm=${comm%)*}
    read -ra fields <<< "${line##*) }"
    # Z is a process that has ended and was not yet waited for.
    [ "${fields[0]}" != Z ]
}
alive() { # PID BORN
    stat_of "$1" && [ "${fields[19]}" = "$2" ]
}

# The daemon's pid if the process that this script started is still there.
daemon_pid() {
    local pid time
    read -r pid time 2>/dev/null < "$dir/run/$1.proc" || return 1
    alive "$pid" "$time" && echo "$pid"
}

# Starts a daemon in the foreground, in a session of its own, without any of the
# caller's open files (a caller that reads our output would wait for it else).
launch() { # NAME COMMAND...
    local name=$1 fd
    shift
    (
        for fd in /proc/self/fd/*; do
            fd=${fd##*/}
            [ "$fd" -gt 2 ] && eval "exec $fd>&-"
        done
        cd "$dir" || exit 1
        exec setsid "$@"
    ) </dev/null >>"$dir/log/$name.out" 2>&1 &
    local pid=$!
    disown "$pid"
    stat_of "$pid" && echo "$pid ${fields[19]}" > "$dir/run/$name.proc"
}

end_daemon() { # NAME
    local pid i
    if pid=$(daemon_pid "$1"); then
        kill -TERM "$pid" 2>/dev/null
        for ((i = 0; i < 50; i++)); do
            daemon_pid "$1" >/dev/null || break
            sleep 0.1
        done
        if pid=$(daemon_pid "$1"); then kill -KILL "$pid"; fi
    fi
    rm -f "$dir/run/$1.proc"
}

# Adds to steps["PID BORN"] each slurmstepd of this cluster and each process in its
# jobs. slurmd gives every slurmstepd, and that every task, SLURM_CONF and
# SLURMD_NODENAME. Processes that cleared their environment are found as
# descendants of these or as members of their sessions. (One that did both that and
# setsid, and whose parent has ended, is out of reach without cgroups.)
declare -A steps=() theirs=()
find_steps() { # [NODE]: only those of this node
    local only=${1:-}
    local -A parent=() session=() birth=() mine=() own=()
    local p pid env found
    for p in /proc/[0-9]*; do
        pid=${p#/proc/}
        stat_of "$pid" || continue
        parent[$pid]=${fields[1]}
        session[$pid]=${fields[3]}
        birth[$pid]=${fields[19]}
        env=()
        { mapfile -d '' -t env < "$p/environ"; } 2>/dev/null
        printf -v env '%s\n' "${env[@]}"
        env=$'\n'$env
        case $env in
            *$'\n'"SLURM_CONF=$conf"$'\n'*)
                case $comm$env in
                    *$'\n'SLURMD_NODENAME=*)
                        case $only$env in
                            $'\n'*|*$'\n'"SLURMD_NODENAME=$only"$'\n'*) mine[$pid]=1 ;;
                        esac ;;
                    slurmstepd*) [ -n "$only" ] || mine[$pid]=1 ;;
                esac ;;
        esac
    done
    # Never ourselves, nor what runs us, should a job of this cluster call stop.
    p=$$
    while [ -n "$p" ] && [ "$p" -gt 1 ]; do
        own[$p]=1
        p=${parent[$p]:-}
    done
    found=1
    while [ $found = 1 ]; do
        found=0
        for pid in "${!own[@]}"; do unset "mine[$pid]"; done
        for pid in "${!mine[@]}"; do
            [ "${session[$pid]}" = "${session[$$]}" ] || theirs[${session[$pid]}]=1
        done
        for pid in "${!parent[@]}"; do
            [ -z "${mine[$pid]:-}${own[$pid]:-}" ] || continue
            if [ -n "${mine[${parent[$pid]}]:-}" ] || [ -n "${theirs[${session[$pid]}]:-}" ]; then
                mine[$pid]=1
                found=1
            fi
        done
    done
    for pid in "${!mine[@]}"; do
        steps["$pid ${birth[$pid]}"]=1
    done
}

# Sends the signal to those that are still there; false where there are none.
signal_steps() {
    local one any=1
    for one in "${!steps[@]}"; do
        alive "${one% *}" "${one#* }" && any=0 && kill "-$1" "${one% *}" 2>/dev/null
    done
    return $any
}

end_steps() {
    local round i
    for round in TERM KILL KILL KILL; do
        find_steps
        signal_steps $round || return 0
        for ((i = 0; i < 10; i++)); do
            signal_steps 0 || break
            sleep 0.1
        done
    done
}

# A node without power: neither its daemon nor its steps say a word.
fail_node() { # NODE
    local pid
    pid=$(daemon_pid "slurmd-$1") || die "no slurmd of a node $1 runs in $dir"
    find_steps "$1"
    # All stop before one is killed: a slurmstepd that outlives its program reports to
    # the controller that the job failed, and the job no longer counts as NODE_FAIL.
    signal_steps STOP
    kill -KILL "$pid"
    signal_steps KILL
    rm -f "$dir/run/slurmd-$1.proc"
}

end_all() {
    local i one
    # Before anything ends: later, a process whose parent has ended is not known.
    find_steps
    # The polite way first, so that the jobs end as cancelled ones do.
    if daemon_pid slurmctld >/dev/null && daemon_pid munged >/dev/null &&
        [ -n "$(timeout 2 squeue -h 2>/dev/null)" ]; then
        timeout 2 scancel -p "$partition" >/dev/null 2>&1
        for ((i = 0; i < 10; i++)); do
            [ -n "$(timeout 2 squeue -h 2>/dev/null)" ] || break
            sleep 0.1
        done
    fi
    end_steps
    for one in "${nodes[@]}"; do end_daemon "slurmd-$one"; done
    end_daemon slurmctld
    end_steps
    end_daemon munged
    rm -rf "$dir/run" "$dir/spool"
}

# N different ports that nothing listens on, below the range that the kernel hands
# out by itself.
free_ports() {
    awk -v n="$1" -v seed="$RANDOM$$" '
        FNR > 1 { split($2, a, ":"); used[a[2]] = 1 }
        END {
            srand(seed)
            while (n > 0) {
                p = 20000 + int(rand() * 10000)
                h = sprintf("%04X", p)
                if (!(h in used)) { used[h] = 1; print p; n-- }
            }
        }' /proc/net/tcp $([ -e /proc/net/tcp6 ] && echo /proc/net/tcp6)
}

write_conf() {
    local ports cpus mem gres='' i=1
    ports=($(free_ports $((1 + ${#nodes[@]}))))
    cpus=${SLURM_SH_CPUS:-$(nproc --all)}
    mem=$(awk '/^MemTotal:/ { print int($2 / 1024) }' /proc/meminfo)
    if [ "${SLURM_SH_GPUS:-0}" -gt 0 ]; then
        # A generic resource of type gpu needs files: these are /dev/null under other names.
        mkdir -p "$dir/dev"
        for ((i = 0; i < SLURM_SH_GPUS; i++)); do
            [ -e "$dir/dev/gpu$i" ] || mknod "$dir/dev/gpu$i" c 1 3 || die "cannot make a device file in $dir/dev"
        done
        gres="Gres=gpu:a100:$SLURM_SH_GPUS,shard:a100:$((4 * SLURM_SH_GPUS))"
        printf '%s\n' "Name=gpu Type=a100 File=$dir/dev/gpu[0-$((SLURM_SH_GPUS - 1))]" \
            "Name=shard Count=$((4 * SLURM_SH_GPUS))" > "$dir/gres.conf"
    fi
    {
    cat <<END
ClusterName=loopback
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/run/munge.socket
CryptoType=crypto/munge
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmctldPort=${ports[0]}
SlurmctldPidFile=$dir/run/slurmctld.pid
SlurmdPidFile=$dir/run/slurmd-%n.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/slurmd-%n.log
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
MailProg=/bin/true
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MpiDefault=none
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,bf_interval=1
EnforcePartLimits=ALL
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=5
${gres:+GresTypes=gpu,shard}
END
    i=1
    for one in "${nodes[@]}"; do
        echo "NodeName=$one NodeHostname=$host NodeAddr=127.0.0.1 Port=${ports[i++]} CPUs=$cpus RealMemory=$mem $gres State=UNKNOWN"
    done
    echo "PartitionName=$partition Nodes=$(IFS=,; echo "${nodes[*]}") Default=YES MaxTime=INFINITE State=UP"
    echo "${SLURM_SH_CONF:-}"
    } > "$conf"
}

show_logs() {
    local f
    for f in "$dir"/log/*; do
        [ -s "$f" ] || continue
        echo "==> $f <=="
        tail -n 20 "$f"
    done
}

all_daemons() {
    local one
    daemon_pid slurmctld >/dev/null || return 1
    for one in "${nodes[@]}"; do daemon_pid "slurmd-$one" >/dev/null || return 1; done
}

# Whether no node is in another state than idle, and each is listed.
all_idle() {
    local states
    states=$(timeout 5 sinfo -h -N -o '%N %T' 2>/dev/null) || return 1
    [ "$(grep -c ' idle$' <<< "$states")" -eq ${#nodes[@]} ]
}

start() {
    local p tool deadline one try=0
    for tool in munged slurmctld slurmd sinfo; do
        command -v "$tool" >/dev/null || die "$tool is missing: apt-get install -y --no-install-recommends slurmctld slurmd slurm-client munge"
    done
    [ "$(id -u)" = 0 ] || die "needs root"
    for p in munged slurmctld "${nodes[@]/#/slurmd-}"; do
        daemon_pid "$p" >/dev/null && die "a cluster already runs in $dir"
    done
    umask 022
    mkdir -p "$dir" || exit 1
    [ -e "$mark" ] || [ -z "$(ls -A "$dir")" ] || die "$dir is neither empty nor a cluster's folder"
    : > "$mark"
    echo "${nodes[*]}" > "$dir/nodes"
    # What is left of an earlier cluster that was not stopped, and its state.
    end_steps
    rm -rf "$dir/run" "$dir/log" "$dir/state" "$dir/spool" "$dir/etc" "$dir/dev" "$dir/gres.conf"
    mkdir -p "$dir/run" "$dir/log" "$dir/state" "$dir/spool" "$dir/etc" || exit 1
    chmod 755 "$dir" "$dir/run"
    chmod 700 "$dir/etc"
    (umask 077 && head -c 1024 /dev/urandom > "$dir/etc/munge.key")

    deadline=$((SECONDS + 60))
    trap 'end_all; exit 1' INT TERM HUP
    # --force: a folder whose parents others may write to is only warned of.
    launch munged munged --foreground --force --num-threads=10 --key-file="$dir/etc/munge.key" \
        --socket="$dir/run/munge.socket" --pid-file="$dir/run/munged.pid" \
        --log-file="$dir/log/munged.log" --seed-file="$dir/etc/munged.seed"
    while [ ! -S "$dir/run/munge.socket" ]; do
        daemon_pid munged >/dev/null && [ $SECONDS -lt $deadline ] || fail "munged did not start"
        sleep 0.1
    done

    # Again with other ports where somebody else took one in between.
    while :; do
        write_conf
        launch slurmctld slurmctld -D
        for one in "${nodes[@]}"; do launch "slurmd-$one" slurmd -D -N "$one"; done
        while :; do
            all_idle && all_daemons && break 2
            all_daemons || break
            [ $SECONDS -lt $deadline ] || fail "a node was not idle within 60 s"
            sleep 0.2
        done
        try=$((try + 1))
        grep -q 'Address already in use' "$dir"/log/* && [ $try -lt 5 ] || fail "a Slurm daemon ended at its start"
        end_daemon slurmctld
        for one in "${nodes[@]}"; do end_daemon "slurmd-$one"; done
        rm -f "$dir"/log/slurm*
    done
    trap - INT TERM HUP
    echo "export SLURM_CONF=$conf"
}

fail() {
    echo "slurm.sh: $*" >&2
    timeout 5 sinfo -h -R -o '%T %E' >&2
    show_logs >&2
    end_all
    exit 1
}

case $action in
    start) start ;;
    stop)
        [ -e "$mark" ] || die "there is no cluster's folder $dir"
        end_all ;;
    fail)
        [ -e "$mark" ] || die "there is no cluster's folder $dir"
        fail_node "$3" ;;
    *) die "$usage" ;;
esac
