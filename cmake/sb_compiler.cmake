# Compiler settings shared by every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# "Dev" is optimised just enough that the tests run quickly, keeps every check and builds faster than -O2.
set(CMAKE_CXX_FLAGS_DEV "-O1 -g1")
set(CMAKE_C_FLAGS_DEV "-O2 -g1")
set(CMAKE_EXE_LINKER_FLAGS_DEV "")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")

add_library(sb_flags INTERFACE)
target_compile_options(sb_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Werror -Wno-missing-field-initializers
  # g++ 12 reports these inside libstdc++ and fmt for correct code.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized -Wno-restrict -Wno-dangling-pointer -Wno-stringop-overflow -Wno-array-bounds>)

if(SB_SANITIZE)
  add_compile_options(-fsanitize=${SB_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${SB_SANITIZE})
endif()
if(SB_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()

find_program(SB_LD_GOLD ld.gold)
if(SB_LD_GOLD AND NOT SB_SANITIZE)
  add_link_options(-fuse-ld=gold)
endif()
