# Installs a finished build and uses it as a stranger would: the installed command makes a data set,
# and a copy of the example, configured with nothing but the install prefix, loads it. Where MPI_EXAMPLE
# is given, the example for the component mpi is built and run as one process too; CUDA_EXAMPLE is built.
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY COMMAND_ECHO STDOUT)
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
set(prefix ${SCRATCH}/prefix)
run(${CMAKE_COMMAND} --install ${BUILD} --config ${CONFIGURATION} --prefix ${prefix})

file(GLOB_RECURSE package_files ${prefix}/*/cmake/stoker/*.cmake)
if(NOT package_files)
  message(FATAL_ERROR "no package was installed under ${prefix}")
endif()
foreach(package_file IN LISTS package_files)
  file(READ ${package_file} text)
  string(FIND "${text}" "${SOURCE}" place)
  if(NOT place EQUAL -1)
    message(FATAL_ERROR "${package_file} names the source tree, ${SOURCE}")
  endif()
endforeach()

# Builds a copy of an example in SCRATCH/folder, configured with further arguments.
function(build_example example folder)
  file(COPY ${example}/ DESTINATION ${SCRATCH}/${folder}/source)
  run(${CMAKE_COMMAND} -S ${SCRATCH}/${folder}/source -B ${SCRATCH}/${folder} -G ${GENERATOR}
      -DCMAKE_BUILD_TYPE=${CONFIGURATION} -DCMAKE_CXX_COMPILER=${COMPILER}
      -DCMAKE_PREFIX_PATH=${prefix} ${ARGN})
  run(${CMAKE_COMMAND} --build ${SCRATCH}/${folder} --config ${CONFIGURATION})
endfunction()

# What there is not is told by its name.
file(WRITE ${SCRATCH}/unknown/source/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)
project(unknown LANGUAGES CXX)
find_package(stoker REQUIRED COMPONENTS unknown)
")
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SCRATCH}/unknown/source -B ${SCRATCH}/unknown -G ${GENERATOR}
                        -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${prefix}
                RESULT_VARIABLE status ERROR_VARIABLE errors OUTPUT_QUIET)
if(status EQUAL 0 OR NOT errors MATCHES "no component unknown")
  message(FATAL_ERROR "find_package of an unknown component ended with ${status} and said: ${errors}")
endif()

if(MPI_EXAMPLE)
  build_example(${MPI_EXAMPLE} mpi)
  run(${SCRATCH}/mpi/distributed_epochs)
endif()

if(CUDA_EXAMPLE)
  build_example(${CUDA_EXAMPLE} cuda -DCMAKE_CUDA_COMPILER=${CUDA_COMPILER})
endif()

build_example(${EXAMPLE} build)

run(${prefix}/bin/stoker synth ${SCRATCH}/data --count 8 --classes 2)
execute_process(COMMAND ${SCRATCH}/build/feed_a_loop ${SCRATCH}/data
                OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
message("${output}")
string(REGEX MATCHALL "epoch [01], batch [01]: \\[4, 3, 224, 224\\] of float32" lines "${output}")
list(LENGTH lines count)
if(NOT count EQUAL 4)
  message(FATAL_ERROR "expected two batches of four images in each of two epochs")
endif()
