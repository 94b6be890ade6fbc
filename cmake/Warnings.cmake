# Warnings for our own targets: target_link_libraries(<target> PRIVATE stoker_warnings). For C++ only:
# the CUDA compiler has options of its own.
set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-align
             -Woverloaded-virtual -Wimplicit-fallthrough)
if(STOKER_WARNINGS_AS_ERRORS)
  list(APPEND warnings -Werror)
  # These come from flow analysis behind inlining: each compiler version draws other conclusions, so
  # they stop the build only for the version that they are checked with.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
    list(APPEND warnings
         -Wno-error=array-bounds -Wno-error=dangling-reference -Wno-error=free-nonheap-object
         -Wno-error=maybe-uninitialized -Wno-error=restrict
         -Wno-error=stringop-overflow -Wno-error=stringop-overread)
  endif()
endif()
add_library(stoker_warnings INTERFACE)
target_compile_options(stoker_warnings INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${warnings}>")
