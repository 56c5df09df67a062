# Run when a package is made: manual pages, completions and the documents of a Debian package, below `described`.
# Input: program, described, version, source, maintainer (cmake/package.cmake).
file(REMOVE_RECURSE "${described}")
file(MAKE_DIRECTORY "${described}/man1" "${described}/doc")

# describe(FILE WHAT...): the output of `tessera describe WHAT...`
function(describe file)
  execute_process(COMMAND "${program}" describe ${ARGN} OUTPUT_FILE "${file}" RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "tessera describe ${ARGN}: ${failed}")
  endif()
endfunction()
# As small as possible and without the time, as Debian asks.
function(compress file)
  execute_process(COMMAND gzip -9nf "${file}" RESULT_VARIABLE failed)
  if(failed)
    message(STATUS "not compressed, there is no gzip: ${file}")
  endif()
endfunction()

describe("${described}/tessera.bash" bash)
describe("${described}/_tessera" zsh)
describe("${described}/tessera.fish" fish)
set(page "${described}/man1/tessera.1")
describe("${page}" man)
file(STRINGS "${page}" entries REGEX "^\\.BR tessera")
foreach(entry ${entries})
  string(REGEX REPLACE "^\\.BR tessera[\\]-([a-z]+).*" "\\1" command "${entry}")
  describe("${described}/man1/tessera-${command}.1" man ${command})
  compress("${described}/man1/tessera-${command}.1")
endforeach()
compress("${page}")

file(READ "${source}/LICENSE" license)
string(REGEX MATCH "Copyright \\(c\\) ([^\n]*)" ignored "${license}")
set(owner "${CMAKE_MATCH_1}")
string(REGEX REPLACE "^MIT License\n+Copyright[^\n]*\n+" "" license "${license}")
string(REGEX REPLACE "\n\n" "\n.\n" license "${license}")
string(REGEX REPLACE "\n" "\n " license "${license}")
string(STRIP "${license}" license)
file(WRITE "${described}/doc/copyright" "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Tessera

Files: *
Copyright: ${owner}
License: Expat
 ${license}
")
file(COPY "${source}/CHANGELOG.md" DESTINATION "${described}/doc")
file(RENAME "${described}/doc/CHANGELOG.md" "${described}/doc/changelog")
compress("${described}/doc/changelog")
# The date of the version in CHANGELOG.md: "## [0.2.0] - 2026-11-24".
file(STRINGS "${source}/CHANGELOG.md" released REGEX "^## \\[${version}\\]")
string(REGEX REPLACE ".* - " "" released "${released}")
execute_process(COMMAND date -u -R -d "${released}" OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
if(NOT failed)
  file(WRITE "${described}/doc/changelog.Debian" "tessera (${version}-1) unstable; urgency=medium

  * Version ${version}; changelog.gz lists the changes.

 -- ${maintainer}  ${date}
")
  compress("${described}/doc/changelog.Debian")
endif()
