# Read by cpack for each generator: an archive has one folder, a Debian package begins at the root.
if(CPACK_GENERATOR STREQUAL TGZ)
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
endif()
