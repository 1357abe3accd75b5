# Debian packages, made by `cmake --build BUILD --target sluice_deb` or, of what is built already, by cpack in BUILD:
#   sluice         the program, the library, headers, the CMake package and pkg-config's file. Needs what every Debian has
#                  in its archive: the C++ library, fmt, TBB, libmd
#   sluice-clang   the Clang plugin, and with it 200 MB of LLVM. Nothing but speed depends on it, and not even that where
#                  there is a C++ compiler, so a user chooses: `sluice` recommends one of the two
# Dependencies and their versions are those of the machine that the packages are made on: packages for Debian 12 are made
# there. tests/systems/deb.sh installs them on a system that has nothing.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sluice)
set(CPACK_PACKAGE_VENDOR "Sluice")
set(SLUICE_PACKAGE_CONTACT "The Sluice authors" CACHE STRING "Who maintains the packages: NAME <ADDRESS>")
set(CPACK_PACKAGE_CONTACT ${SLUICE_PACKAGE_CONTACT})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)  # the library has ten times its size of debug information

set(CPACK_COMPONENTS_ALL sluice)
if(TARGET sluice_clang)
  list(APPEND CPACK_COMPONENTS_ALL clang)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Programs that are linked to the library and packaged get their dependency on it from this, and the loader hears of it.
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY "=")

set(CPACK_DEBIAN_SLUICE_PACKAGE_NAME sluice)
set(CPACK_DEBIAN_SLUICE_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_SLUICE_PACKAGE_RECOMMENDS "sluice-clang | g++ | c++-compiler")
set(CPACK_DEBIAN_SLUICE_PACKAGE_SUGGESTS "pkg-config, cmake")
set(CPACK_COMPONENT_SLUICE_DESCRIPTION "compiler for decoders of compressed data
A format is described once, in a small language of fields, runs,
back-references and prefix codes. From that Sluice makes machine code for
CPUs and kernels for GPUs, at run time or ahead of time, that decode it and
never touch memory outside their buffers.
.
This package has the program, the library and what it takes to compile
programs with it. Machine code is made by the Clang plugin (sluice-clang) or
by a C++ compiler; without either an interpreter decodes, slowly.")

set(CPACK_DEBIAN_CLANG_PACKAGE_NAME sluice-clang)
set(CPACK_DEBIAN_CLANG_PACKAGE_SECTION utils)
# Plugin and library are made for each other (jit/clang): of one version or not at all.
set(CPACK_DEBIAN_CLANG_PACKAGE_DEPENDS "sluice (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(CPACK_COMPONENT_CLANG_DESCRIPTION "Clang inside Sluice
Compiles decoders to machine code within the process, without starting a
compiler, by the libraries of LLVM and Clang 19.")
include(CPack)

add_custom_target(sluice_deb
  COMMAND ${CMAKE_CPACK_COMMAND} -G DEB
  DEPENDS sluice sluice_shared $<TARGET_NAME_IF_EXISTS:sluice_clang>
  WORKING_DIRECTORY ${PROJECT_BINARY_DIR} COMMENT "Making Debian packages" VERBATIM)
