# cpack -G DEB makes tessera_VERSION_ARCH.deb, cpack -G TGZ an archive that runs wherever it is unpacked. Both have the
# component tessera_program (cmake/install.cmake) and what a desktop needs: entry, icons, types of files, manual pages,
# completions. Pages and completions are written by the installed program itself (`tessera describe`).
set(TESSERA_MAINTAINER "The Tessera authors <tessera@localhost.localdomain>" CACHE STRING "maintainer of the Debian package")

if(TESSERA_HAVE_GUI)
  install(FILES assets/desktop/tessera.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications COMPONENT tessera_program)
  install(FILES assets/desktop/tessera.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages COMPONENT tessera_program)
  set(icons ${CMAKE_INSTALL_DATADIR}/icons/hicolor)
  install(FILES assets/desktop/tessera.svg DESTINATION ${icons}/scalable/apps COMPONENT tessera_program)
  foreach(size 48 128 256)
    install(FILES assets/desktop/tessera-${size}.png DESTINATION ${icons}/${size}x${size}/apps RENAME tessera.png COMPONENT tessera_program)
  endforeach()
endif()

set(described "${CMAKE_CURRENT_BINARY_DIR}/described")
install(CODE "
  set(program \"$<TARGET_FILE:tessera>\")
  set(described \"${described}\")
  set(version \"${PROJECT_VERSION}\")
  set(source \"${CMAKE_CURRENT_SOURCE_DIR}\")
  set(maintainer \"${TESSERA_MAINTAINER}\")
  include(\"${CMAKE_CURRENT_SOURCE_DIR}/cmake/describe.cmake\")" COMPONENT tessera_program)
install(DIRECTORY "${described}/man1" DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT tessera_program)
install(FILES "${described}/tessera.bash" DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME tessera
        COMPONENT tessera_program)
install(FILES "${described}/_tessera" DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT tessera_program)
install(FILES "${described}/tessera.fish" DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT tessera_program)
install(DIRECTORY "${described}/doc/" DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tessera COMPONENT tessera_program)

set(CPACK_PACKAGE_NAME tessera)
set(CPACK_PACKAGE_VENDOR "The Tessera authors")
set(CPACK_PACKAGE_CONTACT "${TESSERA_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "tensor layouts: pictures, proofs and kernels")
set(CPACK_PACKAGE_DESCRIPTION
"Tessera reads tensor layouts in the notations of CuTe, Axe, Triton, XLA and
Graphene, draws them, and proves claims about them for all coordinates:
injective, free of bank conflicts, equal to another layout. It runs compiled
GPU kernels on the CPU and reports the races of every schedule.
.
This package has the window, the command line and the lessons.")
set(CPACK_COMPONENTS_ALL tessera_program)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
    WORLD_EXECUTE)
set(CPACK_GENERATOR TGZ)
set(CPACK_SYSTEM_NAME "${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_PROJECT_CONFIG_FILE "${CMAKE_CURRENT_SOURCE_DIR}/cmake/package_kind.cmake")
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PACKAGE_NAME tessera)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The window falls back to other fonts; its libraries of OpenGL are opened at run time.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "fonts-inter, fonts-jetbrains-mono, libegl1, libgl1, libgl1-mesa-dri")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
