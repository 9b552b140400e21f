# SPDX-License-Identifier: GPL-2.0-only
#
# Runs wl-replay as several processes of one simulation, by ns-3's MPI engine. To be sourced after
# utils/setup.sh. `take_processes ARGUMENT...` finds out how many are asked for; if any are,
# `become_processes PROGRAM` is the last thing that a script does.

readonly MOST_PROCESSES=1024

PROCESSES=   # how many are asked for; empty: no MPI
ARGUMENTS=() # those of the program: all but --mpi
MPIRUN=      # the process that starts the others and waits for them
SIGNALLED=   # "yes" if they have got a signal to end

LONGEST_ALONE=${LONGEST_ALONE:-20} # seconds that mpirun may go on without a process

# take_processes ARGUMENT...: --mpi=N may stand anywhere, the last one counts, and it wins over
# WL_REPLAY_MPI in the environment.
take_processes()
{
    local argument from=WL_REPLAY_MPI
    PROCESSES=${WL_REPLAY_MPI:-}
    ARGUMENTS=()
    for argument in "$@"; do
        case $argument in
            --mpi | --mpi=*)
                from=--mpi
                PROCESSES=${argument#--mpi}
                PROCESSES=${PROCESSES#=}
                ;;
            *) ARGUMENTS+=("$argument") ;;
        esac
    done
    [[ $from == --mpi || -n $PROCESSES ]] || return 0
    if [[ ! $PROCESSES =~ ^[1-9][0-9]{0,3}$ ]] || ((PROCESSES > MOST_PROCESSES)); then
        die "$from: expected how many processes, a whole number from 1 to $MOST_PROCESSES such as" \
            "--mpi=4, found '$PROCESSES'"
    fi
}

# An MPI library is set by its own variables: no option is known to all of them,
# but each reads only what is meant for it. Open MPI up to 4 reads OMPI_MCA_, from 5 on PRTE_MCA_;
# MPICH needs nothing. What the user has set stays.
#
# Root is welcome (containers have no other user), and more processes than cores, which then give
# way while they wait. None is bound to a core: two runs at once would be bound to the same ones.
set_mpi_environment()
{
    local setting
    for setting in OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
        OMPI_MCA_rmaps_base_oversubscribe=1 \
        OMPI_MCA_hwloc_base_binding_policy=none \
        PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe \
        PRTE_MCA_hwloc_default_binding_policy=none; do
        set_unless_set "$setting"
    done
}

# set_unless_set NAME=VALUE
set_unless_set()
{
    local name=${1%%=*}
    [[ -n ${!name+set} ]] || export "$1"
}

# Where mpirun is: the one that belongs to the library which the tree was configured with.
find_mpirun()
{
    local found
    found=$(sed -n 's/^MPIEXEC_EXECUTABLE:FILEPATH=//p' "$TREE/cmake-cache/CMakeCache.txt")
    [[ -x $found ]] || die "there is no mpirun beside the MPI that $TREE is configured with"
    echo "$found"
}

# run_processes MPIRUN COUNT PROGRAM ARGUMENT...: exits as the processes do. Stays beside them: if
# mpirun got a signal to end, it would give them little time or none to write their reports (Open MPI
# one second, after one in which nothing happens), and make an exit code of its own.
run_processes()
{
    local program=$3 code=0 watch
    set_mpi_environment
    # A failure is reported by the program. Open MPI would add, in twenty lines, that there was one.
    set_unless_set OMPI_MCA_orte_execute_quiet=1
    set_unless_set PRTE_MCA_prte_execute_quiet=1

    trap 'signal_processes INT "$program"' INT
    trap 'signal_processes TERM "$program"' TERM HUP
    set -m # in a process group of its own, which Ctrl-C does not reach
    "$1" -np "${@:2}" </dev/null &
    MPIRUN=$!
    set +m
    end_when_alone "$MPIRUN" >/dev/null 2>&1 &
    watch=$!
    while kill -0 "$MPIRUN" 2>/dev/null; do
        wait "$MPIRUN" 2>/dev/null || true # comes back from a trap, too
    done
    wait "$MPIRUN" || code=$?
    kill "$watch" 2>/dev/null || true
    ((code <= 2)) || say "error: a process crashed or was killed, mpirun exited with $code"
    exit "$code"
}

# end_when_alone PROCESS: kills mpirun once it has been without a process for long. When one dies
# while it starts, Open MPI 4.1 ends the others, but sometimes never itself.
end_when_alone()
{
    local step=2 alone=0
    while sleep "$step" && kill -0 "$1"; do
        if grep -qs ") [^Z] $1 " /proc/[0-9]*/stat; then
            alone=0
        elif (((alone += step) >= LONGEST_ALONE)); then
            kill -KILL "$1"
        fi
    done
}

# signal_processes SIGNAL PROGRAM: hands a signal to the processes, which then write what they have
# and end. The second one ends mpirun, should they not get that far.
signal_processes()
{
    local process
    MPIRUN=${MPIRUN:-${!-}}
    [[ -n $MPIRUN ]] || exit "$SETUP_FAILED" # nothing runs yet
    if [[ -n $SIGNALLED ]]; then
        kill -TERM "$MPIRUN" 2>/dev/null || true
        return 0
    fi
    SIGNALLED=yes
    for process in /proc/[0-9]*; do
        if [[ $process/exe -ef $2 ]] && is_below "${process#/proc/}" "$MPIRUN"; then
            kill -"$1" "${process#/proc/}" 2>/dev/null || true
        fi
    done
}

# is_below PROCESS ANCESTOR: mpirun may have helpers between itself and the program.
is_below()
{
    local process=$1
    while ((process > 1)); do
        process=$(sed -n 's/^PPid:[[:blank:]]*//p' "/proc/$process/status" 2>/dev/null) || return 1
        [[ $process != "$2" ]] || return 0
        [[ -n $process ]] || return 1
    done
    return 1
}

# become_processes PROGRAM: as become in utils/setup.sh, with the processes and arguments taken.
become_processes()
{
    local program mpirun
    prepare mpi "$1"
    program=$(program_path "$1")
    mpirun=$(find_mpirun)
    release_tree
    run_processes "$mpirun" "$PROCESSES" "$program" "${ARGUMENTS[@]}"
}
