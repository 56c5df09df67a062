# tessera_batches(TARGET ROOT ...): with TESSERA_BATCHES the target's sources are compiled in batches chosen by
# cmake/batches.py. ROOT: the include directories of #include "...".
function(tessera_batches target)
  if(NOT TESSERA_BATCHES)
    return()
  endif()
  find_package(Python3 QUIET COMPONENTS Interpreter)
  if(NOT Python3_FOUND)
    message(STATUS "tessera: no Python, every source is compiled by itself")
    return()
  endif()
  get_target_property(all ${target} SOURCES)
  set(sources ${all})
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "/generated/")
  list(SORT sources)
  list(REMOVE_ITEM all ${sources})
  list(JOIN ARGN "," roots)
  execute_process(COMMAND ${Python3_EXECUTABLE} "${PROJECT_SOURCE_DIR}/cmake/batches.py" "${CMAKE_CURRENT_BINARY_DIR}/batches/${target}" 24 3000
                          "${roots}" ${sources}
                  OUTPUT_VARIABLE lines OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" lines "${lines}")
  set_property(TARGET ${target} PROPERTY SOURCES ${all} ${lines})
endfunction()
