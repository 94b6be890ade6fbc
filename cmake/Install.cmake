# Installs the library, its headers, the command and the package that find_package(stoker) reads.
include(CMakePackageConfigHelpers)
set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/stoker)

install(TARGETS stoker EXPORT stokerTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/stoker TYPE INCLUDE FILES_MATCHING PATTERN "*.hpp")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE TYPE DOC)
if(TARGET stoker_command)
  install(TARGETS stoker_command)
  file(RELATIVE_PATH library_from_command /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
  set_target_properties(stoker_command PROPERTIES INSTALL_RPATH "$ORIGIN/${library_from_command}")
endif()

get_target_property(STOKER_LIBRARY_TYPE stoker TYPE)
# A component with an export of its own, so that only who asks for it needs MPI.
if(TARGET stoker_mpi)
  install(TARGETS stoker_mpi EXPORT stokerMpiTargets INCLUDES DESTINATION
          ${CMAKE_INSTALL_INCLUDEDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/bindings/mpi/include/stoker TYPE INCLUDE
          FILES_MATCHING PATTERN "*.hpp")
  install(EXPORT stokerMpiTargets NAMESPACE stoker:: DESTINATION ${package_directory})
endif()
if(TARGET stoker_torch)
  install(TARGETS stoker_torch EXPORT stokerTorchTargets INCLUDES DESTINATION
          ${CMAKE_INSTALL_INCLUDEDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/bindings/torch/include/stoker TYPE INCLUDE
          FILES_MATCHING PATTERN "*.hpp")
  install(EXPORT stokerTorchTargets NAMESPACE stoker:: DESTINATION ${package_directory})
endif()
install(EXPORT stokerTargets NAMESPACE stoker:: DESTINATION ${package_directory})
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/stokerConfig.cmake.in ${PROJECT_BINARY_DIR}/stokerConfig.cmake
  INSTALL_DESTINATION ${package_directory} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a new minor version may change the API.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/stokerConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/stokerConfig.cmake
              ${PROJECT_BINARY_DIR}/stokerConfigVersion.cmake
        DESTINATION ${package_directory})
