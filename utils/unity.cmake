# SPDX-License-Identifier: GPL-2.0-only

# unite_sources(LIST NAME [ALONE SOURCE...] [OWN IDENTIFIER...]): replaces the sources of a list by files
# that include up to 25 of them each, but for those that are to be compiled ALONE. Identifiers that
# several sources define for themselves are made to differ; NS_LOG_COMPONENT_DEFINE defines g_log.
# CMake's own UNITY_BUILD writes the tree's path into the files, so that ccache finds nothing again in
# another tree.
function(unite_sources list name)
  cmake_parse_arguments(arg "" "" "ALONE;OWN" ${ARGN})
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/unity")
  set(united)
  set(number 0)
  foreach(source ${${list}})
    if(source IN_LIST arg_ALONE)
      list(APPEND united ${source})
    else()
      math(EXPR batch "${number} / 25")
      file(RELATIVE_PATH path "${folder}" "${CMAKE_CURRENT_SOURCE_DIR}/${source}")
      foreach(identifier g_log ${arg_OWN})
        string(APPEND content_${batch} "#define ${identifier} ${identifier}_${number}\n")
      endforeach()
      string(APPEND content_${batch} "#include \"${path}\"\n")
      foreach(identifier g_log ${arg_OWN})
        string(APPEND content_${batch} "#undef ${identifier}\n")
      endforeach()
      math(EXPR number "${number} + 1")
    endif()
  endforeach()
  if(number GREATER 0)
    foreach(index RANGE ${batch})
      file(GENERATE OUTPUT "${folder}/${name}-${index}.cc" CONTENT "${content_${index}}")
      set_source_files_properties("${folder}/${name}-${index}.cc" PROPERTIES GENERATED ON)
      list(APPEND united "${folder}/${name}-${index}.cc")
    endforeach()
  endif()
  set(${list} ${united} PARENT_SCOPE)
endfunction()
