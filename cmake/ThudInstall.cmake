# cmake --install: library, headers, program, man page, pkg-config file and CMake package, in three components (runtime,
# development, program), which are the three Debian packages that `cpack -G DEB` makes. Target uninstall undoes the last install.
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/thud)
install(TARGETS ${THUD_LIBRARIES} EXPORT thudTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/thud DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
if(THUD_BUILD_PROGRAM)
  install(TARGETS thud RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/thud COMPONENT program)
  install(FILES ${PROJECT_SOURCE_DIR}/docs/thud.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
  install(FILES ${PROJECT_SOURCE_DIR}/tools/thud.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    RENAME thud COMPONENT program)
  install(FILES ${PROJECT_SOURCE_DIR}/tools/thud.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
    RENAME _thud COMPONENT program)
endif()
install(EXPORT thudTargets NAMESPACE thud:: DESTINATION ${package} COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/thudConfig.cmake.in ${PROJECT_BINARY_DIR}/thudConfig.cmake
  INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/thudConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/thudConfig.cmake ${PROJECT_BINARY_DIR}/thudConfigVersion.cmake DESTINATION ${package}
  COMPONENT development)
file(RELATIVE_PATH THUD_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)   # from the .pc file up to the prefix
list(JOIN THUD_PC_REQUIRES ", " THUD_PC_REQUIRES_TEXT)
configure_file(${PROJECT_SOURCE_DIR}/cmake/thud.pc.in ${PROJECT_BINARY_DIR}/thud.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/thud.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -DBINARY_DIR=${CMAKE_BINARY_DIR}
    -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake VERBATIM)
endif()

if(PROJECT_IS_TOP_LEVEL)
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGE_VENDOR "Thud")
  set(CPACK_PACKAGE_CONTACT "Thud's maintainers <thud@localhost>")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_COMPONENTS_ALL development)
  if(BUILD_SHARED_LIBS)
    list(APPEND CPACK_COMPONENTS_ALL runtime)
  endif()
  if(THUD_BUILD_PROGRAM)
    list(APPEND CPACK_COMPONENTS_ALL program)
  endif()
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_SECTION science)
  set(CPACK_STRIP_FILES ON)
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libthud${PROJECT_VERSION_MAJOR})
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/triggers)
  set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "Rigid multibody dynamics with hard contact: shared library")
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libthud-dev)
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS libexpat1-dev)
  set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Rigid multibody dynamics with hard contact: headers and static library")
  if(BUILD_SHARED_LIBS)
    set(CPACK_COMPONENT_DEVELOPMENT_DEPENDS runtime)
  endif()
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME thud)
  set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "Rigid multibody dynamics with hard contact: program and scenes")
  include(CPack)
endif()
