# SPDX-License-Identifier: GPL-2.0-only
#
# What ./wl-replay, ./wl-collective, ./wl-report, ./wl-sweep, ./run-tests and .ci/run share: provide
# the distribution's packages and an ns-3 tree, and build the module in it. To be sourced. `prepare
# PROFILE TARGET...` is the way in; after it `program_path NAME` prints where a program is. `become
# PROGRAM ARGUMENT...` does both and is the last thing that a script does.
#
# Two kinds of tree. The user's own ($NS3_DIR, or the tree whose contrib folder the clone stands in)
# keeps its configuration. Otherwise a tree is made in the cache, one for each clone and profile so
# that they do not rebuild each other nor wait for each other, and belongs to these scripts alone. Such
# trees share their source (by hard links) and what the compiler made of it (by ccache), and go when
# their clone has gone. Profiles: optimized, debug (assertions, logging, warnings are errors), mpi
# (optimized, with MPI), which serves for optimized, too, if $WORKLOAD_REPLAY_MPI is on. Optimized code
# is made for the CPU that it is made on, unless $WORKLOAD_REPLAY_NATIVE is off; on a CPU with other
# instructions, as where machines share a home folder, it is made anew. Nothing is written outside the
# cache and the build folders, except that missing packages are installed.

readonly MODULE=workload-replay
readonly NS3_RELEASE=3.37
readonly NS3_GIT=https://gitlab.com/nsnam/ns-3-dev.git
readonly SETUP_FAILED=3 # an exit code that the program does not use

CLONE=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd -P)
CACHE=${XDG_CACHE_HOME:-~/.cache}/$MODULE
SELF=$(basename "$0")
NATIVE=${WORKLOAD_REPLAY_NATIVE:-on} # off: code for any CPU of this kind, in a tree of its own
UNITY=${WORKLOAD_REPLAY_UNITY:-on} # off: compile each source of the module by itself
MPI=${WORKLOAD_REPLAY_MPI:-off} # on: one tree, with MPI, for runs in one and in several processes

TREE=        # the ns-3 tree in use
OWN_TREE=    # "yes" if it is the user's own
NEWLY_LINKED= # "yes" if an own tree was not yet given the module

# ---------------------------------------------------------------------------------------------
# Messages: to standard error, because standard output belongs to the program

say()
{
    echo "$SELF: $*" >&2
}

die()
{
    say "error: $*"
    exit "$SETUP_FAILED"
}

# check_switch NAME VALUE: of an environment variable
check_switch()
{
    [[ $2 =~ ^(on|off)$ ]] || die "$1: expected on or off, found '$2'"
}

# run_logged LOG COMMAND...: the command's output goes to LOG, whose end is shown if it fails.
run_logged()
{
    local log=$1
    shift
    if ! "$@" >"$log" 2>&1 </dev/null; then
        tail -n 40 "$log" >&2
        die "'$*' failed, see the lines above (all of them: $log)"
    fi
}

# Where the logs of this tree go: among its build files.
log_folder()
{
    local folder=$TREE/.$MODULE
    [[ -z $OWN_TREE ]] || folder=$TREE/cmake-cache
    mkdir -p "$folder"
    echo "$folder"
}

# ---------------------------------------------------------------------------------------------
# Distribution packages: looked for by what they provide, so that compilers and libraries which
# were installed in another way are as good

has_program()
{
    command -v "$1" >/dev/null
}

# has_header NAME: asks only whether it is there; to include it would take a second.
has_header()
{
    printf '#if !__has_include(<%s>)\n#error\n#endif\n' "$1" |
        "${CXX:-g++}" -x c++ -E - >/dev/null 2>&1
}

# missing_packages PROFILE
missing_packages()
{
    has_program "${CXX:-g++}" || echo g++
    has_program cmake || echo cmake
    has_program ninja || echo ninja-build
    has_program ccache || echo ccache
    has_program python3 || echo python3
    has_header nlohmann/json.hpp || echo nlohmann-json3-dev
    has_header boost/log/core.hpp || echo libboost-log-dev
    has_header google/protobuf/message_lite.h || echo libprotobuf-dev
    has_header zlib.h || echo zlib1g-dev
    has_program protoc || echo protobuf-compiler
    if [[ $1 == mpi ]]; then
        has_program mpirun || echo openmpi-bin
        has_program mpicxx || echo libopenmpi-dev
    fi
}

# install_packages PACKAGE...: the only step that may need root, and only if something is missing.
install_packages()
{
    local -a root=()
    has_program apt-get || die "please install: $*"
    if ((EUID != 0)); then
        if ! sudo -n true 2>/dev/null; then
            die "packages are missing, please run: sudo apt-get install $*"
        fi
        root=(sudo -n)
    fi
    say "installing packages: $*"
    mkdir -p "$CACHE"
    run_logged "$CACHE/packages.log" "${root[@]}" apt-get update
    run_logged "$CACHE/packages.log" "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install --yes --no-install-recommends "$@"
}

# may_install: whether packages can be installed without asking anybody
may_install()
{
    has_program apt-get && { ((EUID == 0)) || sudo -n true 2>/dev/null; }
}

# provide_packages PROFILE: Protobuf, which Chakra traces alone need, where it can be had
provide_packages()
{
    local -a missing needed=()
    local package
    mapfile -t missing < <(missing_packages "$1")
    for package in "${missing[@]}"; do
        [[ $package =~ ^(libprotobuf-dev|protobuf-compiler)$ ]] || needed+=("$package")
    done
    if ((${#missing[@]} > 0 && ${#needed[@]} == 0)) && ! may_install; then
        say "without Chakra traces, which need: ${missing[*]}"
    elif ((${#missing[@]} > 0)); then
        install_packages "${missing[@]}"
    fi
}

# provide_program NAME PACKAGE
provide_program()
{
    has_program "$1" || install_packages "$2"
}

# The distribution's interpreter, the only one that sees the distribution's Python packages.
readonly PYTHON=/usr/bin/python3

# has_python_module NAME: asks only whether it is there; to import it would take a second.
has_python_module()
{
    "$PYTHON" -c "import importlib.util, sys
sys.exit(importlib.util.find_spec('$1') is None)" 2>/dev/null
}

# Provides what wl-report imports.
provide_report_packages()
{
    local module
    local -a missing=()
    for module in pandas matplotlib; do
        has_python_module "$module" || missing+=("python3-$module")
    done
    ((${#missing[@]} == 0)) || install_packages "${missing[@]}"
}

# ---------------------------------------------------------------------------------------------
# Locks: a lock is held on a folder itself, so no lock file is needed. Descriptor 8 is for the
# cache while sources are fetched, 9 for the tree while it is built or tested.

hold_folder()
{
    local descriptor=$1 folder=$2
    eval "exec $descriptor<\"\$folder\""
    if ! flock --nonblock "$descriptor"; then
        say "waiting for another start that uses $folder"
        flock "$descriptor"
    fi
}

release_cache()
{
    exec 8<&-
}

# To be called before a program that may run for long.
release_tree()
{
    exec 9<&-
}

# ---------------------------------------------------------------------------------------------
# Which tree, and how one is made

# choose_tree PROFILE
choose_tree()
{
    local parent
    parent=$(dirname "$CLONE")
    if [[ -n ${NS3_DIR:-} ]]; then
        [[ -d $NS3_DIR ]] || die "NS3_DIR=$NS3_DIR is not a folder"
        TREE=$(cd "$NS3_DIR" && pwd -P)
        OWN_TREE=yes
    elif [[ $(basename "$parent") == contrib && -f $parent/../ns3 ]]; then
        [[ $(basename "$CLONE") == "$MODULE" ]] ||
            die "ns-3 wants a module's folder named as the module: please rename $CLONE to $MODULE"
        TREE=$(dirname "$parent")
        OWN_TREE=yes
    else
        TREE=$CACHE/trees/ns-$NS3_RELEASE/$1
        [[ $NATIVE == on ]] || TREE+=-portable
        TREE+=$(clone_suffix)
        OWN_TREE=
    fi
    if [[ -n $OWN_TREE && ! -f $TREE/ns3 ]]; then
        [[ ! -f $TREE/waf ]] ||
            die "$TREE is built by waf: there use ./waf configure and ./waf --run wl-replay"
        die "$TREE is not an ns-3 tree (it has no ./ns3)"
    fi
}

# What the names of this clone's trees end in: a number for the path at which it stands.
clone_suffix()
{
    echo "-$(cksum <<<"$CLONE" | cut -d ' ' -f 1)"
}

# Makes the tree of the pristine source, and renames it when it is complete: whatever has no stamp is
# the rest of an interrupted start. Nothing changes a file of the source, so that hard links do where
# there are any: a tree takes 1 MB then, and not 100.
make_tree()
{
    [[ ! -e $TREE/.$MODULE/made ]] || return 0
    mkdir -p "$CACHE"
    hold_folder 8 "$CACHE"
    if [[ ! -e $TREE/.$MODULE/made ]]; then
        fetch_source "$CACHE/ns-$NS3_RELEASE-source"
        rm -rf "$TREE" "$TREE.new"
        mkdir -p "$(dirname "$TREE")"
        cp -al "$CACHE/ns-$NS3_RELEASE-source" "$TREE.new" 2>/dev/null ||
            cp -a "$CACHE/ns-$NS3_RELEASE-source/." "$TREE.new"
        share_objects "$TREE.new"
        unite_sources "$TREE.new"
        mkdir "$TREE.new/.$MODULE"
        touch "$TREE.new/.$MODULE/made"
        mv "$TREE.new" "$TREE"
    fi
    release_cache
}

# share_objects TREE: lets ccache find again what was compiled in another tree. ns-3 gives each compiler
# call the path of the tree as a macro, which no source that is built here uses, and offers headers by
# their whole path. (ccache knows a source by the shortest relative path. Trees lie so deep in the cache
# that this leads through the tree's contrib folder, and not to a clone that is named as the module.)
share_objects()
{
    sed -i 's|PROJECT_SOURCE_PATH="${PROJECT_SOURCE_DIR}"|PROJECT_SOURCE_PATH="."|
        /file(WRITE ${outputdir}.${header_name}/i \
    file(RELATIVE_PATH ABSOLUTE_HEADER_PATH ${outputdir} ${ABSOLUTE_HEADER_PATH})' \
        "$1/build-support/macros-and-definitions.cmake"
}

# unite_sources TREE: lets NS3_UNITY compile ns-3's own sources many at a time, but for those with
# names in common: their headers are read once for all.
unite_sources()
{
    local file=$1/build-support/custom-modules/ns3-module-macros.cmake
    sed -i "/Create object library with sources and headers/i \\
    if(NS3_UNITY AND NOT BLIB_LIBNAME STREQUAL $MODULE)\\
      include(\${PROJECT_SOURCE_DIR}/contrib/$MODULE/utils/unity.cmake)\\
      unite_sources(BLIB_SOURCE_FILES \${BLIB_LIBNAME} ALONE utils/mac48-address.cc\\
                    utils/mac64-address.cc model/sqlite-output.cc model/cobalt-queue-disc.cc)\\
    endif()" "$file"
}

# Removes the trees whose clone is not where it was, and those that this clone does not use any longer,
# made for another release or when a tree served all clones. A machine with the same home folder may
# have clones that this one does not see: it removes their trees itself.
remove_abandoned_trees()
{
    local tree link
    for tree in "$CACHE"/ns-* "$CACHE"/trees/*/*; do
        link=$tree/contrib/$MODULE
        if [[ ! -L $link || $tree == "$CACHE/trees/ns-$NS3_RELEASE/"*"$(clone_suffix)" ]]; then
            continue
        elif [[ $link -ef $CLONE ]]; then
            say "this clone has another tree now: removing $tree"
        elif [[ ! -f $link/utils/setup.sh && $(machine_of "$tree") == "$(uname -n)" ]]; then
            say "there is no clone in $(readlink "$link") any longer: removing $tree"
        else
            continue
        fi
        # Once renamed, it is nobody's: a clone that comes back there makes another one.
        if mv -T "$tree" "$tree.gone-$$" 2>/dev/null; then
            rm -rf "$tree.gone-$$/build" "$tree.gone-$$" # what is large first, should this be stopped
        fi
    done
}

# machine_of TREE: the one whose clone it last served; earlier versions did not note it.
machine_of()
{
    cat "$1/.$MODULE/machine" 2>/dev/null || uname -n
}

# fetch_source FOLDER
fetch_source()
{
    [[ ! -d $1 ]] || return 0
    local work=$CACHE/download
    rm -rf "$work"
    mkdir "$work"
    source_from_distribution "$work" || source_from_git "$work" ||
        die "no ns-$NS3_RELEASE to be had: unpack a release and name its folder in NS3_DIR" \
            "(what was tried: $work/log)"
    mv "$work/ns-$NS3_RELEASE" "$1"
    rm -rf "$work"
}

# source_from_distribution FOLDER: apt checks the archive against the signed index. It is given
# lists and a cache of its own, so that neither root nor a change of the machine's set-up is needed.
source_from_distribution()
{
    local work=$1 version archive
    local -a private=(
        -o "Dir::Etc::sourcelist=$work/deb-src.sources" -o Dir::Etc::sourceparts=-
        -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work/cache"
        -o APT::Sandbox::User= -o Acquire::Languages=none -o Acquire::Retries=3
        -o Acquire::AllowInsecureRepositories=false -o APT::Get::AllowUnauthenticated=false
    )
    has_program apt-get || return 1
    provide_program bzip2 bzip2
    say "downloading ns-$NS3_RELEASE, the distribution's source package (40 MB)"
    mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
    write_source_entries >"$work/deb-src.sources"
    # Other repositories of the machine may have no sources: what counts is whether ns3 is found.
    apt-get "${private[@]}" update >>"$work/log" 2>&1 </dev/null || true
    version=$(apt-cache "${private[@]}" showsrc --only-source ns3 2>>"$work/log" |
        sed -n "s/^Version: \($NS3_RELEASE[-+].*\)/\1/p" | head -n 1) || return 1
    [[ -n $version ]] || return 1
    (cd "$work" && apt-get "${private[@]}" source --download-only "ns3=$version") \
        >>"$work/log" 2>&1 </dev/null || return 1
    archive=$(echo "$work/ns3_$NS3_RELEASE".orig.tar.*)
    tar -xf "$archive" -C "$work" --strip-components=1 \
        "ns-allinone-$NS3_RELEASE/ns-$NS3_RELEASE" >>"$work/log" 2>&1
}

# The deb-src entries of the archives that the machine already takes its packages from. Only the
# distribution's own key is accepted, which leaves other repositories out.
write_source_entries()
{
    local id key
    id=$(. /etc/os-release && echo "${ID:-}")
    key=/usr/share/keyrings/$id-archive-keyring.gpg
    apt-get indextargets --no-release-info \
        --format '$(CREATED_BY) $(REPO_URI) $(RELEASE) $(COMPONENT)' |
        sort -u |
        while read -r created_by uri suite component; do
            # ns3 is in main (in Ubuntu: universe), and not among updates
            [[ $created_by == Packages && $component =~ ^(main|universe)$ ]] || continue
            [[ ! $suite =~ -(updates|security|backports) ]] || continue
            printf 'Types: deb-src\nURIs: %s\nSuites: %s\nComponents: %s\n' \
                "$uri" "$suite" "$component"
            [[ ! -r $key ]] || echo "Signed-By: $key"
            echo
        done
}

# source_from_git FOLDER
source_from_git()
{
    provide_program git git
    say "no source package: cloning ns-$NS3_RELEASE from $NS3_GIT"
    GIT_TERMINAL_PROMPT=0 git clone --quiet --depth 1 --branch "ns-$NS3_RELEASE" \
        "$NS3_GIT" "$1/ns-$NS3_RELEASE" >>"$1/log" 2>&1 </dev/null
}

# ---------------------------------------------------------------------------------------------
# The module in the tree

link_module()
{
    local link=$TREE/contrib/$MODULE
    if [[ -n $OWN_TREE ]]; then
        [[ ! $link -ef $CLONE ]] || return 0
        [[ ! -e $link && ! -L $link ]] ||
            die "$link is another copy of the module than $CLONE: use that one, or move it away"
        say "linking the module into $TREE/contrib"
        mkdir -p "$TREE/contrib"
        ln -s "$CLONE" "$link"
        NEWLY_LINKED=yes
        return 0
    fi

    # A made tree serves the clone at one place. Another one may come to stand there: inode and time
    # of birth distinguish them, for inodes are used again.
    local stamp=$TREE/.$MODULE/clone clone
    uname -n >"$TREE/.$MODULE/machine"
    clone="$CLONE $(stat --format=%d:%i:%W "$CLONE")"
    [[ ! -L $link || ! -f $stamp || $(<"$stamp") != "$clone" ]] || return 0
    rm -f "$stamp"
    ln -sfn "$CLONE" "$link"
    forget_other_clone
    echo "$clone" >"$stamp"
}

# Removes what was built from another clone: that clone's files may be younger than this one's
# although they differ, and Ninja goes by age. The compiler cache makes the rebuild cheap.
forget_other_clone()
{
    rm -rf "$TREE/cmake-cache/contrib/$MODULE" "$TREE/build/contrib/$MODULE"
    drop_headers all
    if [[ -f $TREE/cmake-cache/CMakeCache.txt ]]; then
        touch "$TREE/cmake-cache/CMakeCache.txt" # Ninja runs CMake again
    fi
}

# drop_headers all|gone: removes the module's headers from the tree's include folder. These only
# include the real ones by their path, and ns-3 never replaces them: once a header has moved (is
# gone from where it was), its old path would break the build.
drop_headers()
{
    local which=$1 header target
    [[ -d $TREE/build/include/ns3 ]] || return 0
    { grep -rH "/contrib/$MODULE/" "$TREE/build/include/ns3" || true; } |
        while IFS=: read -r header target; do
            target=${target#*\"}
            target=${target%\"*}
            [[ $target == /* ]] || target=$TREE/build/include/ns3/$target
            [[ $which == gone && -e $target ]] || rm -f "$header"
        done
}

# configure PROFILE
configure()
{
    local kind=${1/mpi/optimized}
    [[ $NATIVE == on ]] || kind=${kind/optimized/release} # ns-3's release is optimized for any CPU
    local -a options=(-G Ninja -d "$kind" --enable-examples --enable-tests
        "--enable-modules=$MODULE" "--filter-module-examples-and-tests=$MODULE")
    [[ $1 != mpi ]] || options+=(--enable-mpi)
    # Debug builds compile each source by itself, and so find what it does not include.
    [[ $1 == debug ]] || options+=(-- -DNS3_UNITY=ON "-DWORKLOAD_REPLAY_UNITY=${UNITY^^}")
    # Without any optimization the suites take several times as long, and with all that a debugger may
    # want to know the build takes a third longer; functions and lines are kept.
    [[ $1 != debug ]] ||
        options+=(--enable-werror -- -DCMAKE_CXX_FLAGS=-O1 -DCMAKE_CXX_FLAGS_DEBUG=-g1)

    if [[ -n $OWN_TREE ]]; then
        configure_own_tree "$1" "${options[@]}"
    else
        configure_made_tree "${options[@]}"
    fi
}

run_configure()
{
    say "configuring ns-3: ./ns3 configure $*"
    (cd "$TREE" && run_logged "$(log_folder)/configure.log" ./ns3 configure "$@")
}

# describe_cpu: what the code of this tree may use: the instructions of this CPU, or none but the usual
describe_cpu()
{
    [[ $NATIVE == on ]] || return 0
    sed -n '/^\(flags\|Features\)[[:blank:]]*:/{s/.*: *//p;q}' "${CPUINFO:-/proc/cpuinfo}" |
        tr ' ' '\n' | sort -u | cksum
}

configure_made_tree()
{
    local stamp=$TREE/.$MODULE/configured configured
    configured="$* $(describe_cpu)"
    [[ ! -f $stamp || $(<"$stamp") != "$configured" ]] || return 0
    [[ ! -f $stamp || $(<"$stamp") != "$* "* ]] ||
        say "the build in $TREE is for another CPU: building it anew" \
            "(WORKLOAD_REPLAY_NATIVE=off makes one for both)"
    rm -rf "$stamp" "$TREE/cmake-cache" "$TREE/build"
    run_configure "$@"
    if ! has_target wl-replay; then
        cat "$(log_folder)/configure.log" >&2
        die "ns-3 left the module out, see above"
    fi
    echo "$configured" >"$stamp"
}

configure_own_tree()
{
    local profile=$1
    shift
    if [[ ! -f $TREE/cmake-cache/CMakeCache.txt ]]; then
        run_configure "$@"
    elif [[ -n $NEWLY_LINKED ]]; then
        run_logged "$(log_folder)/configure.log" cmake "$TREE/cmake-cache"
    fi
    has_target wl-replay ||
        die "$TREE is configured without this module or without examples. Please run there:" \
            "./ns3 configure --enable-examples --enable-tests" \
            "(with $MODULE among --enable-modules, if you use that) and see what it says"
    local configured
    configured=$(configured_as BUILD_PROFILE)
    if [[ $profile == debug && $configured != debug ]]; then
        die "$TREE is configured as $configured, not as debug"
    elif [[ $profile != debug && ! $configured =~ ^(optimized|release)$ ]]; then
        say "warning: $TREE is configured as $configured: replays run several times slower" \
            "than with './ns3 configure -d optimized'"
    fi
    [[ $profile != mpi ]] || grep -q '^NS3_MPI:BOOL=ON' "$TREE/cmake-cache/CMakeCache.txt" ||
        die "$TREE is configured without MPI. Please run there: ./ns3 configure --enable-mpi" \
            "(and the other options that it was configured with)"
}

# configured_as KEY: a value of the file in which ns-3 keeps its configuration
configured_as()
{
    sed -n "s/^$1 = '\(.*\)' *$/\1/p" "$TREE"/.lock-ns3_*_build
}

# program_path NAME
program_path()
{
    local suffix
    suffix=-$(configured_as BUILD_PROFILE)
    [[ $suffix != -release ]] || suffix=
    grep '^ns3_runnable_programs' "$TREE"/.lock-ns3_*_build |
        grep -o "'[^']*/ns$(configured_as VERSION)-$1$suffix'" | tr -d "'"
}

has_target()
{
    program_path "$1" >/dev/null 2>&1
}

# ---------------------------------------------------------------------------------------------
# Building

# What configuring and building have to agree on: a difference would rebuild everything.
set_build_environment()
{
    # ./ns3 sets this, and its CMake files make a compiler option of it
    export CLICOLOR=1
    # ccache must not write to the home folder. Paths relative to the tree let it find again what
    # was compiled in a tree elsewhere.
    export CCACHE_DIR=${CCACHE_DIR:-$(choose_ccache)}
    export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$TREE}
}

# choose_ccache: a folder for the code of one CPU, because compiler options do not distinguish it from that
# of another; the first CPU has the one without a number.
choose_ccache()
{
    local cpu owner=$CACHE/ccache-cpu
    cpu=$(describe_cpu)
    mkdir -p "$CACHE"
    [[ -f $owner ]] || echo "$cpu" >"$owner"
    [[ $(<"$owner") != "$cpu" ]] || cpu=
    echo "$CACHE/ccache${cpu:+-${cpu// /-}}"
}

# build TARGET...
build()
{
    local log
    log=$(log_folder)/build.log
    drop_headers gone
    if ! cmake --build "$TREE/cmake-cache" -j "$(nproc)" --target "$@" 2>&1 </dev/null |
        tee "$log" | show_progress; then
        show_build_errors "$log" >&2
        die "the build failed, see the lines above (all of them: $log)"
    fi
    keep_warnings "$log" "$(log_folder)/warnings"
}

# keep_warnings LOG KEPT: adds the compiler's warnings about the module, and drops those about files that
# have changed since the last build, which compiles them again. A build repeats no others.
keep_warnings()
{
    local line file
    touch -a "$2"
    {
        grep -F ': warning: ' "$1" | grep -F -e "contrib/$MODULE/" -e "$CLONE/" || true
        while read -r line; do
            file=${line%%:*}
            [[ $file == /* ]] || file=$CLONE/${file#*"contrib/$MODULE/"}
            [[ ! -e $file || $file -nt $2 ]] || echo "$line"
        done <"$2"
    } | sort -u >"$2.now"
    mv "$2.now" "$2"
}

# Reads the output of Ninja or make. Says nothing if nothing is to be done.
show_progress()
{
    local line said=0
    while IFS= read -r line; do
        if [[ $line =~ ^\[([1-9][0-9]*)/([0-9]+)\] ]]; then
            show_step "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
        elif [[ $line =~ ^\[\ *([0-9]+)%\]\ (Building|Linking) ]]; then
            show_step "${BASH_REMATCH[1]}" 100
        fi
    done
}

# show_step DONE ALL: one line at the start, then one at every tenth of a long build
show_step()
{
    local tenth=$((10 * $1 / $2))
    if ((said == 0 && $2 > 50)); then
        # A file takes a core two seconds at most, in the mean; one that includes many, twelve.
        local seconds=2
        [[ $UNITY == off ]] || seconds=12
        say "building ns-3 and the module: once, up to $((1 + seconds * $2 / $(nproc) / 60)) minutes"
    elif ((said == 0)); then
        say "building"
    elif (($2 > 60 && tenth > said - 1)); then
        say "built $1 of $2"
    fi
    ((said > tenth)) || said=$((tenth + 1))
}

# The compiler's messages without its command lines, from the first failure on.
show_build_errors()
{
    if grep -q '^FAILED' "$1"; then
        sed -n '/^FAILED/,$p' "$1" | grep -v '^/.* -c /\|^: && ' | cut -c 1-400 | head -n 80
    else
        tail -n 40 "$1"
    fi
}

# module_programs: the programs that the module's CMake files name, but those that ask for modules of
# ns-3 that the module itself does without
module_programs()
{
    sed -n '/^if(/,/^endif()/d;s/^ *NAME \([a-z0-9-]*\)$/\1/p' \
        "$CLONE"/{examples,bench}/CMakeLists.txt
}

# ---------------------------------------------------------------------------------------------

# prepare PROFILE TARGET...: after it the tree is held until release_tree or the end.
prepare()
{
    local profile=$1
    shift
    check_switch WORKLOAD_REPLAY_NATIVE "$NATIVE"
    check_switch WORKLOAD_REPLAY_UNITY "$UNITY"
    check_switch WORKLOAD_REPLAY_MPI "$MPI"
    [[ $MPI != on ]] || profile=${profile/optimized/mpi}
    choose_tree "$profile"
    provide_packages "$profile"
    if [[ -z $OWN_TREE ]]; then
        remove_abandoned_trees
        make_tree
    fi
    hold_folder 9 "$TREE"
    set_build_environment
    link_module
    configure "$profile"
    build "$@"
}

# become_module INTERPRETER NAME ARGUMENT...: turns into a Python package of the clone. What lies in
# the caller's working directory is not mistaken for it, as it would be with python3 -m.
become_module()
{
    local interpreter=$1 name=$2
    shift 2
    exec "$interpreter" -B -c 'import runpy, sys
sys.path[0], name = sys.argv[1:3]
del sys.argv[1:3]
runpy.run_module(name, run_name="__main__", alter_sys=True)' "$CLONE" "$name" "$@"
}

# use_large_pages: large jobs wait for memory more than for anything else, and up to a fifth less with
# large pages. glibc has them from 2.35 on, where the kernel does; what the user says of them counts.
use_large_pages()
{
    export GLIBC_TUNABLES=glibc.malloc.hugetlb=1${GLIBC_TUNABLES:+:$GLIBC_TUNABLES}
}

# become PROGRAM ARGUMENT...: builds a program, optimized, and turns into it: arguments, working
# directory, standard output and exit code are the caller's.
become()
{
    local name=$1 program
    shift
    prepare optimized "$name"
    program=$(program_path "$name")
    release_tree
    use_large_pages
    exec "$program" "$@"
}
