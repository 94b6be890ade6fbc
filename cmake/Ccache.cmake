# Compiles through ccache where it is installed, so that a second build folder or a fresh clone does
# not compile the same files again. CCACHE_BASEDIR and CCACHE_NOHASHDIR let clones in different
# directories share results.
option(STOKER_CCACHE "Compile through ccache where it is found" ${PROJECT_IS_TOP_LEVEL})
if(STOKER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(STOKER_CCACHE_PROGRAM ccache)
  mark_as_advanced(STOKER_CCACHE_PROGRAM)
  if(STOKER_CCACHE_PROGRAM)
    set(CMAKE_CXX_COMPILER_LAUNCHER
        env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${STOKER_CCACHE_PROGRAM})
  endif()
endif()
