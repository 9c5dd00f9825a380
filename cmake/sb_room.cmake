# sb_room(<name> [DEPS <targets>...] [DEFINES ...])
# A room is a folder of src/. Its sources become the library sb_<name>; its *_test.cpp files, when tests are built, become the
# program test_<name>, whose cases are registered with ctest under the label "unit".
function(sb_room name)
  cmake_parse_arguments(room "" "" "DEPS;DEFINES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$|/main\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  if(sources)
    add_library(sb_${name} STATIC ${sources})
    target_include_directories(sb_${name} PUBLIC "${CMAKE_SOURCE_DIR}/src")
    target_link_libraries(sb_${name} PUBLIC ${room_DEPS} PRIVATE sb_flags)
    target_compile_definitions(sb_${name} PRIVATE ${room_DEFINES})
  else()
    add_library(sb_${name} INTERFACE)
    target_link_libraries(sb_${name} INTERFACE ${room_DEPS})
  endif()
  if(SB_BUILD_TESTS AND tests)
    sb_test(test_${name} LABEL unit SOURCES ${tests} DEPS sb_${name})
  endif()
endfunction()

# sb_test(<target> LABEL <label> SOURCES ... DEPS ... [TIMEOUT s]): a GoogleTest program, each case registered with ctest.
# SB_SOURCE_DIR and SB_DATA_DIR name the tree and its data for tests that read them.
function(sb_test target)
  cmake_parse_arguments(test "" "LABEL;TIMEOUT" "SOURCES;DEPS" ${ARGN})
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 120)
  endif()
  add_executable(${target} ${test_SOURCES})
  target_link_libraries(${target} PRIVATE ${test_DEPS} sb_flags GTest::gmock GTest::gtest GTest::gtest_main)
  target_compile_definitions(${target} PRIVATE SB_SOURCE_DIR="${CMAKE_SOURCE_DIR}" SB_DATA_DIR="${CMAKE_SOURCE_DIR}/data"
    SB_BINARY_DIR="${CMAKE_BINARY_DIR}")
  gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES PROPERTIES LABELS ${test_LABEL} TIMEOUT ${test_TIMEOUT})
endfunction()

# sb_script_test(<name> LABEL <label> COMMAND ... [TIMEOUT s]): a unittest or script run by ctest.
function(sb_script_test name)
  cmake_parse_arguments(test "" "LABEL;TIMEOUT" "COMMAND;ENVIRONMENT" ${ARGN})
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 600)
  endif()
  add_test(NAME ${name} COMMAND ${test_COMMAND} WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
  set_tests_properties(${name} PROPERTIES LABELS ${test_LABEL} TIMEOUT ${test_TIMEOUT}
    ENVIRONMENT "STARBRIDGE_BIN=${CMAKE_BINARY_DIR}/src/cli/starbridge;SB_BINARY_DIR=${CMAKE_BINARY_DIR};${test_ENVIRONMENT}")
endfunction()
