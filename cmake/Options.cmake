# What is built, beside the library itself.
option(STOKER_BUILD_CLI "Build the stoker command" ${PROJECT_IS_TOP_LEVEL})
option(STOKER_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(STOKER_BUILD_BENCHMARKS "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(STOKER_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(STOKER_INSTALL "Install the library, its headers and the command" ${PROJECT_IS_TOP_LEVEL})
option(STOKER_WARNINGS_AS_ERRORS "Treat warnings as errors" OFF)
option(BUILD_SHARED_LIBS "Build the library as a shared one" OFF)

# What is used where it is found. AUTO takes it where it is there, ON demands it, OFF leaves it out.
set(STOKER_WITH_OPENCV AUTO CACHE STRING "Formats other than JPEG, and cv::Mat transforms")
set(STOKER_WITH_TORCH AUTO CACHE STRING "stoker::torch, and the comparison with LibTorch's loader")
set(STOKER_WITH_MPI AUTO CACHE STRING "stoker::mpi: the ranks' agreement over MPI")
set(STOKER_WITH_CUDA AUTO CACHE STRING "Batches on CUDA devices")
set(STOKER_WITH_NVTX AUTO CACHE STRING "Stages as ranges in a profiler's trace")
set(STOKER_EXECUTOR tbb CACHE STRING "Worker threads: tbb or threads (for ThreadSanitizer)")
set_property(CACHE STOKER_WITH_OPENCV STOKER_WITH_TORCH STOKER_WITH_CUDA STOKER_WITH_NVTX
             STOKER_WITH_MPI PROPERTY STRINGS AUTO ON OFF)
set_property(CACHE STOKER_EXECUTOR PROPERTY STRINGS tbb threads)
set(STOKER_SANITIZE "" CACHE STRING "Sanitizers for -fsanitize, e.g. address,undefined or thread")

if(NOT STOKER_EXECUTOR MATCHES "^(tbb|threads)$")
  message(FATAL_ERROR "STOKER_EXECUTOR is \"${STOKER_EXECUTOR}\"; it can be tbb or threads")
endif()
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(STOKER_SANITIZE)
  # -g1 is enough for the lines of a stack trace and keeps compiling and linking short.
  add_compile_options(-fsanitize=${STOKER_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all -g1)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  # The compilers of some distributions link only what is used, but not in sanitized programs; loading
  # all that OpenCV brings along would cost more than most tests.
  add_link_options(-fsanitize=${STOKER_SANITIZE} -Wl,--as-needed)
endif()
