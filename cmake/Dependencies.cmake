# Each comes from the distribution's packages: scripts/install-dependencies names them,
# docs/decisions/001-dependencies.md says why each is there.
find_package(Threads REQUIRED)
find_package(JPEG REQUIRED)
find_package(hwy REQUIRED)
find_package(tl-expected REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
find_package(Boost REQUIRED)  # Lockfree and Sort, headers only
if(STOKER_EXECUTOR STREQUAL "tbb")
  find_package(TBB REQUIRED)
endif()

if(NOT STOKER_WITH_OPENCV STREQUAL "OFF")
  if(STOKER_WITH_OPENCV STREQUAL "ON")
    find_package(OpenCV REQUIRED COMPONENTS core imgproc imgcodecs)
  else()
    find_package(OpenCV QUIET COMPONENTS core imgproc imgcodecs)
  endif()
endif()

if(NOT STOKER_WITH_MPI STREQUAL "OFF")
  set(MPI_CXX_SKIP_MPICXX TRUE)  # the C++ interface that MPI itself has given up
  if(STOKER_WITH_MPI STREQUAL "ON")
    find_package(MPI REQUIRED COMPONENTS CXX)
  else()
    find_package(MPI QUIET COMPONENTS CXX)
  endif()
endif()

# Sanitizers would find fault with LibTorch, which is built without them.
if(STOKER_WITH_TORCH STREQUAL "ON")
  find_package(Torch REQUIRED)
elseif(STOKER_WITH_TORCH STREQUAL "AUTO" AND NOT STOKER_SANITIZE)
  find_package(Torch QUIET)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/TorchC10d.cmake)

# Linked statically and without the driver, which is looked for when a device is asked for.
if(NOT STOKER_WITH_CUDA STREQUAL "OFF")
  if(STOKER_WITH_CUDA STREQUAL "ON")
    find_package(CUDAToolkit 12.5 REQUIRED)
  else()
    find_package(CUDAToolkit 12.5 QUIET)
  endif()
endif()
set(STOKER_CUDA_FOUND ${CUDAToolkit_FOUND})
if(STOKER_CUDA_FOUND AND NOT CMAKE_CUDA_COMPILER)
  # nvcc need not be on the PATH, may be missing beside the headers, or not take this C++ compiler.
  include(CheckLanguage)
  if(NOT DEFINED ENV{CUDACXX})
    set(ENV{CUDACXX} "${CUDAToolkit_NVCC_EXECUTABLE}")
  endif()
  check_language(CUDA)
  if(NOT CMAKE_CUDA_COMPILER AND STOKER_WITH_CUDA STREQUAL "AUTO")
    message(STATUS "The CUDA compiler does not work here: building without CUDA")
    set(STOKER_CUDA_FOUND FALSE)
  endif()
endif()
if(STOKER_CUDA_FOUND)
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    # Code for Ampere's and Hopper's data centre GPUs, and what a driver compiles for all others
    # from Turing on.
    set(CMAKE_CUDA_ARCHITECTURES 75-virtual 80-real 90-real)
  endif()
  set(CMAKE_CUDA_STANDARD 20)
  enable_language(CUDA)
endif()

# Headers only, part of the CUDA toolkit; the profiler's library is loaded where there is one.
set(STOKER_NVTX_FOUND FALSE)
if(NOT STOKER_WITH_NVTX STREQUAL "OFF")
  find_path(STOKER_NVTX_INCLUDE_DIR nvtx3/nvToolsExt.h
            HINTS ${CUDAToolkit_INCLUDE_DIRS} ENV CUDA_PATH PATHS /usr/local/cuda
            PATH_SUFFIXES include)
  mark_as_advanced(STOKER_NVTX_INCLUDE_DIR)
  if(STOKER_NVTX_INCLUDE_DIR)
    set(STOKER_NVTX_FOUND TRUE)
  elseif(STOKER_WITH_NVTX STREQUAL "ON")
    message(FATAL_ERROR "nvtx3/nvToolsExt.h was not found: STOKER_NVTX_INCLUDE_DIR says where it is")
  endif()
endif()

# Other libjpegs have neither crop-only nor scanline-skipping decode.
include(CheckSymbolExists)
include(CMakePushCheckState)
cmake_push_check_state(RESET)
set(CMAKE_REQUIRED_LIBRARIES JPEG::JPEG)
check_symbol_exists(jpeg_crop_scanline "stddef.h;stdio.h;jpeglib.h" STOKER_JPEG_IS_TURBO)
cmake_pop_check_state()
if(NOT STOKER_JPEG_IS_TURBO)
  message(FATAL_ERROR "The JPEG library found (${JPEG_LIBRARIES}) is not libjpeg-turbo >= 1.5.")
endif()

# What a program that links the static library has to link as well: stokerConfig.cmake finds these.
set(STOKER_LINKED_LIBRARIES JPEG::JPEG hwy::hwy fmt::fmt)
if(STOKER_EXECUTOR STREQUAL "tbb")
  list(APPEND STOKER_LINKED_LIBRARIES TBB::tbb)
endif()
if(OpenCV_FOUND)
  list(APPEND STOKER_LINKED_LIBRARIES ${OpenCV_LIBS})
endif()
if(STOKER_CUDA_FOUND)
  list(APPEND STOKER_LINKED_LIBRARIES CUDA::cudart_static)
endif()
if(STOKER_NVTX_FOUND)
  list(APPEND STOKER_LINKED_LIBRARIES ${CMAKE_DL_LIBS})
endif()

# What the library's own sources and tests of private parts compile against.
add_library(stoker_private INTERFACE)
target_link_libraries(stoker_private INTERFACE
  ${STOKER_LINKED_LIBRARIES} Boost::headers nlohmann_json::nlohmann_json)
# Highway builds for AVX-512 as of Ice Lake and Zen 4 only where it is asked to. All files must ask
# for the same targets: inline functions of Highway's count them.
target_compile_definitions(stoker_private INTERFACE HWY_WANT_AVX3_DL)
if(STOKER_EXECUTOR STREQUAL "tbb")
  target_compile_definitions(stoker_private INTERFACE STOKER_WITH_TBB)
endif()
if(OpenCV_FOUND)
  target_include_directories(stoker_private SYSTEM INTERFACE ${OpenCV_INCLUDE_DIRS})
  target_compile_definitions(stoker_private INTERFACE STOKER_WITH_OPENCV)
endif()
if(STOKER_NVTX_FOUND)
  target_compile_definitions(stoker_private INTERFACE STOKER_WITH_NVTX)
endif()
