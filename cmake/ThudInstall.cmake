# cmake --install: library, headers, program, man page, pkg-config file and CMake package.
include(CMakePackageConfigHelpers)
install(TARGETS thud_shared EXPORT thudTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS thud RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/thud DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/thud)
install(FILES ${CMAKE_SOURCE_DIR}/docs/thud.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${CMAKE_SOURCE_DIR}/tools/thud.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME thud)
install(FILES ${CMAKE_SOURCE_DIR}/tools/thud.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _thud)
install(EXPORT thudTargets NAMESPACE thud:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/thud)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/thudConfig.cmake.in ${CMAKE_BINARY_DIR}/thudConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/thud)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/thudConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/thudConfig.cmake ${CMAKE_BINARY_DIR}/thudConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/thud)
file(RELATIVE_PATH THUD_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)   # from the .pc file up to the prefix
configure_file(${CMAKE_SOURCE_DIR}/cmake/thud.pc.in ${CMAKE_BINARY_DIR}/thud.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/thud.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
