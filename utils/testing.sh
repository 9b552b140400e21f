# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the module's suites and examples in a tree that utils/setup.sh has prepared, and counts. To
# be sourced after it.

PASSED=0
FAILED=0
SKIPPED=0
NOT_TESTED= # a line for each test that was skipped

readonly CLOSING_LINE='^([0-9]+) passed, ([0-9]+) failed(, ([0-9]+) skipped)?$'

# count_run COMMAND...: runs tests that close with a line like ours, and adds its counts.
count_run()
{
    local log verdict=0
    log=$(mktemp)
    "$@" </dev/null | tee "$log" || verdict=$?
    if [[ $(tail -n 1 "$log") =~ $CLOSING_LINE ]]; then
        PASSED=$((PASSED + BASH_REMATCH[1]))
        FAILED=$((FAILED + BASH_REMATCH[2]))
        SKIPPED=$((SKIPPED + ${BASH_REMATCH[4]:-0}))
        # a run may fail without a failed test, as when none ran
        ((verdict == 0 || BASH_REMATCH[2] > 0)) || FAILED=$((FAILED + 1))
    else
        FAILED=$((FAILED + 1))
    fi
    note_skipped "$log"
    rm -f "$log"
}

# timed COMMAND...: runs it, and says how long it took.
timed()
{
    local begin=$SECONDS
    "$@"
    echo "-- $((SECONDS - begin)) s: ${*##*/}"
}

# note_skipped LOG: keeps what a run says that it did not test, for the end.
note_skipped()
{
    NOT_TESTED+=$(sed -n 's/^SKIP:\{0,1\} \|^not tested: /not tested: /p' "$1")
    NOT_TESTED=${NOT_TESTED:+${NOT_TESTED%$'\n'}$'\n'}
}

# ---------------------------------------------------------------------------------------------
# Suites

# Runs ns-3's test.py on the module's suites, and counts the test cases that it reports.
run_suites()
{
    local report verdict=0
    report=$(log_folder)/suites
    rm -f "$report.txt" "$report.skipped"
    touch "$report.skipped"
    (cd "$TREE" && WORKLOAD_REPLAY_SKIPPED="$report.skipped" ./test.py --no-build --nocolor \
        --multiple --suite="$MODULE*" --text="$report") \
        </dev/null || verdict=$?
    if [[ ! -s $report.txt ]]; then
        echo "test.py left no results" >&2
        FAILED=$((FAILED + 1))
        return 0
    fi
    count_cases "$report.txt"
    count_skipped_cases "$report.skipped"
    show_failed_cases "$report.txt"
    show_crashed_suites "$report.txt"
    # Whatever test.py counts as failed must not be lost, even if no case shows it.
    ((verdict == 0 || FAILED > 0)) || FAILED=1
}

count_of()
{
    grep --count --extended-regexp "$1" "$2" || true
}

# A suite that crashed reports no cases: it counts as one failed.
count_cases()
{
    PASSED=$((PASSED + $(count_of '^PASS: Test Case ' "$1")))
    FAILED=$((FAILED + $(count_of '^FAIL: Test Case |^CRASH: Test Suite ' "$1")))
    SKIPPED=$((SKIPPED + $(count_of '^SKIP: Test (Case|Suite) ' "$1")))
}

# Measurements of real runs are not part of the project; they may lie beside the clone.
if [[ -z ${WORKLOAD_REPLAY_SHARED:-} && -d $CLONE/../shared ]]; then
    WORKLOAD_REPLAY_SHARED=$(cd "$CLONE/../shared" && pwd)
    export WORKLOAD_REPLAY_SHARED
fi

has_measurements()
{
    [[ -d ${WORKLOAD_REPLAY_SHARED:-}/traces ]]
}

# Cases without the measurements that they need, which are not part of the project, do nothing, and
# test.py says that they passed; they say it themselves in a file.
count_skipped_cases()
{
    local skipped
    skipped=$(count_of '^SKIP ' "$1")
    PASSED=$((PASSED - skipped))
    SKIPPED=$((SKIPPED + skipped))
    note_skipped "$1"
}

show_failed_cases()
{
    awk '/^[A-Z]+: Test /{ show = /^FAIL/ } show' "$1"
}

# test.py hides what a crashed suite wrote: run it once more, to see its last words.
show_crashed_suites()
{
    local suite
    sed -n 's/^CRASH: Test Suite "\([^"]*\)".*/\1/p' "$1" |
        while read -r suite; do
            echo "CRASH: $suite, which wrote:"
            (cd "$TREE" && "$(program_path test-runner)" --test-name="$suite" --verbose || true) \
                2>&1 </dev/null | tail -n 40
        done
}

# Runs the suites with the library that is built with sanitizers in the module's place. Not by test.py,
# as they would look at Python as well.
run_sanitized_suites()
{
    local suite
    SANITIZED=$(log_folder)/sanitized
    RUNNER=$(program_path test-runner)
    LIBRARIES=$TREE/cmake-cache/contrib/$MODULE
    SANITIZERS="$("${CXX:-g++}" -print-file-name=libasan.so)"
    SANITIZERS+=" $("${CXX:-g++}" -print-file-name=libubsan.so)"
    export SANITIZED RUNNER LIBRARIES SANITIZERS
    export -f run_sanitized_suite
    rm -rf "$SANITIZED"
    mkdir "$SANITIZED"
    "$RUNNER" --print-test-name-list | grep "^$MODULE" >"$SANITIZED/suites"
    (cd "$TREE" && xargs -P "$(nproc)" -I{} bash -c 'run_sanitized_suite {}' <"$SANITIZED/suites")
    while read -r suite; do
        count_sanitized_suite "$suite" "$SANITIZED/$suite"
    done <"$SANITIZED/suites"
}

# run_sanitized_suite SUITE: a finding ends it. For each block of memory only the function that
# allocated it is noted, and not its callers: the tests and ns-3 itself are built without frame
# pointers, and what is taken for the callers then differs from call to call. To store and to compare
# millions of such stacks would take nearly all of the time.
run_sanitized_suite()
{
    local folder=$SANITIZED/$1
    mkdir "$folder"
    LD_PRELOAD=$SANITIZERS LD_LIBRARY_PATH=$LIBRARIES \
        ASAN_OPTIONS=malloc_context_size=2:${ASAN_OPTIONS-} \
        "$RUNNER" "--test-name=$1" --verbose "--tempdir=$folder" >"$folder.txt" 2>&1 </dev/null ||
        touch "$folder.failed"
}

# count_sanitized_suite SUITE FOLDER: one that has a finding or failed cases counts as one failed.
count_sanitized_suite()
{
    PASSED=$((PASSED + $(count_of '^ +PASS ' "$2.txt")))
    if [[ -e $2.failed ]]; then
        FAILED=$((FAILED + 1))
        echo "FAIL: $1 with sanitizers"
        tail -n 60 "$2.txt"
    else
        echo "PASS: $1 with sanitizers"
    fi
}

# Checks that the compiler has not warned about what was built of the module, by this build or one before.
# (ccache repeats warnings, so that a clone that is new has them all.)
check_warnings()
{
    local warnings
    warnings=$(log_folder)/warnings
    if [[ -s $warnings ]]; then
        cat "$warnings"
        echo "FAIL: Warnings of the compiler"
        FAILED=$((FAILED + 1))
    else
        PASSED=$((PASSED + 1))
    fi
}

# ---------------------------------------------------------------------------------------------
# Examples

# The command lines in test/examples-to-run.py, ns-3's place for them, each after yes or no.
list_examples()
{
    python3 - "$CLONE/test/examples-to-run.py" <<'PYTHON'
import runpy
import sys

sys.dont_write_bytecode = True
for command, condition, *_ in runpy.run_path(sys.argv[1])["cpp_examples"]:
    print("yes" if condition == "True" else "no", command)
PYTHON
}

# Runs each example where test.py would, so that relative paths mean the same.
run_examples()
{
    local folder=$TREE/testpy-output/$MODULE-examples run command list
    mkdir -p "$folder"
    list=$(list_examples)
    while read -r run command; do
        if [[ -n $command ]]; then
            run_example "$folder" "$run" "$command"
        fi
    done <<<"$list"
}

# run_example FOLDER yes|no COMMAND
run_example()
{
    local folder=$1 command=$3 program
    if [[ $2 == no ]]; then
        echo "SKIP: Example $command"
        NOT_TESTED+="not tested: example $command"$'\n'
        SKIPPED=$((SKIPPED + 1))
        return 0
    fi
    program=$(program_path "${command%% *}") || program=/no/such/program
    if (cd "$folder" && eval "'$program' ${command#"${command%% *}"}") \
        >"$folder.log" 2>&1 </dev/null; then
        echo "PASS: Example $command"
        PASSED=$((PASSED + 1))
    else
        echo "FAIL: Example $command"
        tail -n 40 "$folder.log"
        FAILED=$((FAILED + 1))
    fi
}

# ---------------------------------------------------------------------------------------------
# The programs as their users meet them

# run_program_tests [SUBJECT]...
run_program_tests()
{
    count_run python3 "$CLONE/test/program-test.py" "$(program_path wl-replay)" \
        "$(program_path wl-collective)" "$@"
}

run_report_tests()
{
    provide_report_packages
    count_run "$PYTHON" "$CLONE/test/report-test.py"
}

run_sweep_tests()
{
    count_run python3 "$CLONE/test/sweep-test.py" "$(program_path wl-replay)"
}

run_python_tests()
{
    provide_report_packages
    count_run "$PYTHON" "$CLONE/test/python-test.py" "$(program_path wl-replay)" \
        "$(program_path wl-collective)"
}

run_setup_tests()
{
    count_run python3 "$CLONE/test/setup-test.py"
}

run_mpi_tests()
{
    count_run python3 "$CLONE/test/mpi-test.py" "$(program_path wl-replay)"
}

# tshark reads the pcap files; where it cannot be installed, these tests are skipped.
run_pcap_tests()
{
    (provide_program tshark tshark) || true
    count_run python3 "$CLONE/test/pcap-test.py" "$(program_path rdma-by-hand)"
}

# ---------------------------------------------------------------------------------------------
# Style

# Checks the C++ files with ns-3's own checker. (Blanks at line ends are left to clang-format:
# files of examples that others wrote may have them.)
check_style()
{
    local folder
    provide_program clang-format clang-format
    for folder in model helper test examples bench; do
        [[ -d $CLONE/$folder ]] || continue
        if python3 "$TREE/utils/check-style-clang-format.py" --no-whitespace --jobs="$(nproc)" \
            "$CLONE/$folder" </dev/null; then
            PASSED=$((PASSED + 1))
        else
            echo "FAIL: Style of $folder (clang-format -i mends it)"
            FAILED=$((FAILED + 1))
        fi
    done
}

# Checks that the folders of model/ and helper/, and their files, include each other one way.
check_includes()
{
    if python3 "$CLONE/utils/check-includes.py" </dev/null; then
        PASSED=$((PASSED + 1))
    else
        echo "FAIL: Includes between folders and between files"
        FAILED=$((FAILED + 1))
    fi
}

# Checks that the fabric can be used without the rest of the module. The tree has it built.
check_fabric()
{
    if python3 "$CLONE/utils/check-fabric.py" "$TREE" "$(program_path rdma-by-hand)" </dev/null; then
        PASSED=$((PASSED + 1))
    else
        echo "FAIL: The fabric alone"
        FAILED=$((FAILED + 1))
    fi
}

# Checks that classes and functions do not grow beyond the largest ones that there are.
check_structure()
{
    if python3 "$CLONE/utils/check-structure" </dev/null; then
        PASSED=$((PASSED + 1))
    else
        echo "FAIL: Structure"
        FAILED=$((FAILED + 1))
    fi
}

# Checks that no name is used which a release of ns-3 from 3.37 to 3.48 lacks.
check_portability()
{
    local names='[.>]Is(Running|Pending)\(\)|\bTest(Suite|Case)::[A-Z]{3,}|ipv4-global-routing\.h'
    if grep -rnE --include=*.cc --include=*.h "$names" "$CLONE"/{model,helper,test,examples,bench}; then
        echo "FAIL: Names that not all releases of ns-3 have"
        FAILED=$((FAILED + 1))
    elif grep -nE '\{lib[a-z]*_' "$CLONE/CMakeLists.txt"; then
        # It looks for modules in the text of the file, and would list those as missing.
        echo "FAIL: Variables that ns-3 takes for modules, as their names begin with lib"
        FAILED=$((FAILED + 1))
    else
        PASSED=$((PASSED + 1))
    fi
}

# Checks that Doxygen, configured as ns-3 has it, finds a description of all that is in the C++ files.
check_documentation()
{
    local folder found
    provide_program doxygen doxygen
    folder=$(mktemp -d)
    cat >"$folder/configuration" <<-EOF
	@INCLUDE = doc/doxygen.conf
	INPUT = doc/modules src/core src/network src/internet contrib/$MODULE
	FILE_PATTERNS = *.cc *.h
	EXCLUDE_PATTERNS += */src/*/test/* */src/*/examples/*
	EXTRACT_ALL = NO
	SOURCE_BROWSER = NO
	HAVE_DOT = NO
	CLASS_DIAGRAMS = NO
	PREDEFINED += NS_STRATEGY_ENSURE_REGISTERED()=1
	PREDEFINED += DEFINE_TOPOLOGY_GENERATOR()=1
	QUIET = YES
	WARN_LOGFILE = $folder/warnings
	OUTPUT_DIRECTORY = $folder
	EOF
    (cd "$TREE" && doxygen "$folder/configuration" >"$folder/log" 2>&1) || cat "$folder/log"
    # A line that goes on with a link of the one before is of no interest.
    found=$(grep -E "^[^ ]*contrib/$MODULE/[^ ]*: warning:" "$folder/warnings" 2>&1 || true)
    if [[ -s $folder/html/index.html && -z $found ]]; then
        PASSED=$((PASSED + 1))
    else
        echo "$found"
        echo "FAIL: Doxygen"
        FAILED=$((FAILED + 1))
    fi
    rm -rf "$folder"
}

# Checks that Sphinx makes pages of doc/ without a warning, references to nothing included.
check_pages()
{
    local folder
    has_python_module sphinx || install_packages python3-sphinx
    folder=$(mktemp -d)
    if "$PYTHON" -m sphinx -q -n -W --keep-going -d "$folder/trees" "$CLONE/doc" "$folder/pages" \
        </dev/null; then
        PASSED=$((PASSED + 1))
    else
        echo "FAIL: Pages of doc"
        FAILED=$((FAILED + 1))
    fi
    rm -rf "$folder"
}

# ---------------------------------------------------------------------------------------------

# The closing line, and the verdict as exit code. A run without a single test has failed.
close_count()
{
    if ((PASSED + FAILED == 0)); then
        echo "no test ran" >&2
    fi
    printf %s "$NOT_TESTED"
    if ((SKIPPED > 0)); then
        echo "$PASSED passed, $FAILED failed, $SKIPPED skipped"
    else
        echo "$PASSED passed, $FAILED failed"
    fi
    ((PASSED > 0 && FAILED == 0))
}
