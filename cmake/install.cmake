# cmake --install: the program, the headers, and the library for find_package(ssm) as ssm::ssm.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(place ${CMAKE_INSTALL_LIBDIR}/cmake/ssm)
get_property(layers GLOBAL PROPERTY SSM_LAYERS)
add_library(ssm INTERFACE)
target_link_libraries(ssm INTERFACE ssm_cli)

install(TARGETS ssmctl)
install(TARGETS ssm ssm_flags ssm_counting_new ${layers} EXPORT ssm)
install(EXPORT ssm NAMESPACE ssm:: DESTINATION ${place})
install(DIRECTORY lib/ssm TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
# Where each shell looks for what completes ssmctl.
set(bash bash-completion/completions/ssmctl)
set(zsh zsh/site-functions/_ssmctl)
set(fish fish/vendor_completions.d/ssmctl.fish)
foreach(shell bash zsh fish)
  set(script ${PROJECT_BINARY_DIR}/completion/${${shell}})
  get_filename_component(folder ${script} DIRECTORY)
  install(CODE "file(MAKE_DIRECTORY \"${folder}\")
execute_process(COMMAND \"$<TARGET_FILE:ssmctl>\" completion ${shell} OUTPUT_FILE \"${script}\"
                COMMAND_ERROR_IS_FATAL ANY)")
endforeach()
install(DIRECTORY ${PROJECT_BINARY_DIR}/completion/ TYPE DATA)
install(FILES LICENSE README.md TYPE DOC)

configure_package_config_file(cmake/ssm-config.cmake.in ssm-config.cmake
  INSTALL_DESTINATION ${place} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ssm-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ssm-config.cmake ${PROJECT_BINARY_DIR}/ssm-config-version.cmake
              cmake/packages.cmake DESTINATION ${place})
