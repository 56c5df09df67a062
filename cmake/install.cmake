# cmake --install installs the program with its assets, and the library: headers, archives, a package for
# find_package(tessera), tessera.pc. Components: tessera_program, tessera_development.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

if(TESSERA_CLI)
  install(TARGETS tessera RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tessera_program)
  install(DIRECTORY assets/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tessera COMPONENT tessera_program PATTERN desktop EXCLUDE)
  if(NOT CMAKE_CROSSCOMPILING)  # it runs the program
    include(cmake/package.cmake)
  endif()
endif()

# Each archive needs only archives that were made before it, so the reverse is a valid order for a linker.
get_property(archives GLOBAL PROPERTY TESSERA_ARCHIVES)
list(REMOVE_ITEM archives tessera_cli tessera_app tessera_desktop)
set_target_properties(tessera_layout PROPERTIES EXPORT_NAME layout)
set_target_properties(tessera_library PROPERTIES EXPORT_NAME tessera)
install(TARGETS ${archives} tessera_core tessera_solver tessera_render EXPORT tesseraTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT tessera_development
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/tessera DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT tessera_development)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/tessera)
install(EXPORT tesseraTargets NAMESPACE tessera:: DESTINATION ${package} COMPONENT tessera_development)
configure_package_config_file(cmake/tesseraConfig.cmake.in "${CMAKE_CURRENT_BINARY_DIR}/tesseraConfig.cmake" INSTALL_DESTINATION ${package})
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/tesseraConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/tesseraConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/tesseraConfigVersion.cmake"
        DESTINATION ${package} COMPONENT tessera_development)

# tessera_pc(NAME WHAT ARCHIVES REQUIRES LIBS): all archives are static, so every program needs all their dependencies.
# There is no --static.
function(tessera_pc name what archives requires libs)
  list(TRANSFORM archives PREPEND "-l" OUTPUT_VARIABLE links)
  list(JOIN links " " links)
  list(JOIN requires " " requires)
  file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/${name}.pc" "prefix=\${pcfiledir}/${up}
libdir=\${prefix}/${CMAKE_INSTALL_LIBDIR}
includedir=\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}

Name: ${name}
Description: ${what}
Version: ${PROJECT_VERSION}
Requires: ${requires}
Libs: -L\${libdir} ${links} ${libs}
Cflags: -I\${includedir}
")
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/${name}.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT tessera_development)
endfunction()
list(REVERSE archives)
set(requires "")
if(NOT TESSERA_CARRIED)
  list(APPEND requires fmt)
endif()
set(all_requires ${requires})
if(TESSERA_HAVE_Z3)
  list(APPEND all_requires z3)
endif()
if(TESSERA_HAVE_CAIRO)
  list(APPEND all_requires cairo)
endif()
set(dl "")
if(CMAKE_DL_LIBS)
  set(dl "-l${CMAKE_DL_LIBS}")
endif()
tessera_pc(tessera "Tensor layouts: proofs, pictures, kernels, HLO modules" "${archives}" "${all_requires}" "-pthread ${dl}")
tessera_pc(tessera-layout "Tensor layouts: read, ask, translate"
           "tessera_layout;tessera_language;tessera_notation" "${requires}" "")
