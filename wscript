# SPDX-License-Identifier: GPL-2.0-only
#
# For ns-3 up to 3.35, which is built by waf. What belongs to the module, and its version, is read
# from the CMake files, so that a new file is named in one place.

import re

MODULE = 'workload-replay'
DEPENDENCIES = ['core', 'network', 'internet', 'point-to-point', 'traffic-control',
                'virtual-net-device']


def cmake_value(bld, name, file='CMakeLists.txt'):
    """The words of set(NAME ...) in a CMake file."""
    text = re.sub(r'#.*', '', bld.path.find_node(file).read())
    return re.search(r'set\(%s\b([^)]*)\)' % name, text).group(1).split()


def listed_files(bld, kind, folders='code_folders'):
    """The files of a kind (sources, headers or private_headers) that the folders' files.cmake name."""
    return [
        '%s/%s' % (folder, name)
        for folder in cmake_value(bld, folders)
        for name in cmake_value(bld, kind, folder + '/files.cmake')
    ]


def configure(conf):
    found = (
        conf.check_nonfatal(header_name='nlohmann/json.hpp', uselib_store='NLOHMANN_JSON')
        and conf.check_nonfatal(
            header_name='boost/log/core.hpp',
            lib=['boost_log', 'boost_thread', 'pthread'],
            defines=['BOOST_LOG_DYN_LINK=1'],
            uselib_store='BOOST_LOG',
        )
        and conf.check_nonfatal(header_name='zlib.h', lib='z', uselib_store='ZLIB')
    )
    # Chakra traces alone need it, and are refused without it.
    conf.env['WORKLOAD_REPLAY_CHAKRA'] = bool(
        conf.check_nonfatal(
            header_name='google/protobuf/message_lite.h', lib='protobuf', uselib_store='PROTOBUF'
        )
        and conf.find_program('protoc', mandatory=False)
    )
    conf.report_optional_feature(
        MODULE, 'Workload replay', found,
        'please install nlohmann-json3-dev, libboost-log-dev and zlib1g-dev',
    )
    if not found:
        conf.env['MODULES_NOT_BUILT'].append(MODULE)


def build(bld):
    if MODULE in bld.env['MODULES_NOT_BUILT']:
        return

    chakra = bld.env['WORKLOAD_REPLAY_CHAKRA']
    libraries = ['NLOHMANN_JSON', 'BOOST_LOG', 'ZLIB'] + ['PROTOBUF'] * chakra
    ns3_version = bld.srcnode.find_node('VERSION').read().strip()

    # as in ns-3's own modules, what MPI itself needs comes with its module
    mpi = ['mpi'] if bld.env['ENABLE_MPI'] else []
    module = bld.create_ns3_module(MODULE, DEPENDENCIES + mpi)
    part = 'chakra_sources' if chakra else 'without_chakra_sources'
    module.source = listed_files(bld, 'sources') + [
        'model/workload/' + name for name in cmake_value(bld, part, 'model/workload/files.cmake')
    ]
    if chakra:
        proto = 'model/workload/chakra-trace.proto'
        # declared here, since the module looks for its sources before the rule has run
        code = [bld.path.find_or_declare('chakra-trace.pb.' + end) for end in ('cc', 'h')]
        bld(
            rule='${PROTOC} --proto_path=${SRC[0].parent.abspath()} '
                 '--cpp_out=${TGT[0].parent.abspath()} ${SRC[0].name}',
            source=proto, target=code, before='cxx',
        )
        module.source += code[:1]
    module.includes = getattr(module, 'includes', []) + ['.']
    module.use.extend(libraries)
    module.defines = [
        'JSON_DIAGNOSTICS=1',
        'WORKLOAD_REPLAY_VERSION="%s"' % cmake_value(bld, 'WORKLOAD_REPLAY_VERSION')[0],
        'WORKLOAD_REPLAY_NS3_VERSION="%s"' % ns3_version,
        'WORKLOAD_REPLAY_MODELS="%s"' % bld.path.find_dir('examples/models').abspath(),
        'WORKLOAD_REPLAY_ACCELERATORS="%s"'
        % bld.path.find_dir('examples/accelerators').abspath(),
    ]

    module_test = bld.create_ns3_module_test_library(MODULE)
    module_test.source = [
        name for name in listed_files(bld, 'sources', 'test_folders')
        if chakra or 'chakra-' not in name
    ]
    module_test.use.extend(libraries)
    module_test.defines = ['JSON_DIAGNOSTICS=1']

    # waf puts private headers into a folder of their own, CMake does not: here all are alike
    headers = bld(features='ns3header')
    headers.module = MODULE
    headers.source = listed_files(bld, 'headers') + listed_files(bld, 'private_headers')

    if bld.env['ENABLE_EXAMPLES']:
        bld.recurse('examples')
