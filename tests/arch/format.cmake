# cmake -DCLANG_FORMAT=... -DROOT=... -P format.cmake: checks that every source is formatted by .clang-format.
file(GLOB_RECURSE sources "${ROOT}/core/*.h" "${ROOT}/core/*.cpp" "${ROOT}/solver/*.h" "${ROOT}/solver/*.cpp" "${ROOT}/render/*.h"
     "${ROOT}/render/*.cpp" "${ROOT}/app/*.h" "${ROOT}/app/*.cpp" "${ROOT}/tests/*.h" "${ROOT}/tests/*.cpp"
     "${ROOT}/include/*.h" "${ROOT}/examples/*.cpp" "${ROOT}/python/src/*.h" "${ROOT}/python/src/*.cpp")
list(LENGTH sources count)
execute_process(COMMAND ${CLANG_FORMAT} --dry-run --Werror ${sources} RESULT_VARIABLE status ERROR_VARIABLE complaints)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "clang-format would change files; run clang-format -i on them:\n${complaints}")
endif()
message(STATUS "${count} files are formatted")
