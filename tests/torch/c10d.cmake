# Ranks that exchange bytes over c10d: as threads, and as processes of the program c10d_rank.
set(c10d_tests c10d_test.cpp c10d_store_test.cpp c10d_processes_test.cpp)
add_library(c10d_meeting INTERFACE)
target_link_libraries(c10d_meeting INTERFACE stoker_torch)
if(STOKER_TORCH_GLOO)
  list(APPEND c10d_tests c10d_gloo_test.cpp)
  target_compile_definitions(c10d_meeting INTERFACE STOKER_TORCH_GLOO)
  target_include_directories(c10d_meeting SYSTEM INTERFACE ${STOKER_GLOO_INCLUDE_DIR})
  target_link_libraries(c10d_meeting INTERFACE ${STOKER_GLOO_LIBRARY})
endif()

add_executable(c10d_rank c10d_rank.cpp)
target_include_directories(c10d_rank PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(c10d_rank PRIVATE c10d_meeting stoker_private stoker_warnings)
stoker_add_tests(torch_c10d LABELS torch concurrent SOURCES ${c10d_tests} LIBRARIES c10d_meeting)
target_compile_definitions(torch_c10d_tests PRIVATE STOKER_C10D_RANK="$<TARGET_FILE:c10d_rank>")
add_dependencies(torch_c10d_tests c10d_rank)

if(STOKER_TORCH_NCCL AND STOKER_CUDA_FOUND)
  stoker_add_tests(torch_nccl LABELS gpu multi_gpu torch SOURCES c10d_nccl_test.cpp
                   LIBRARIES c10d_meeting)
  target_include_directories(torch_nccl_tests SYSTEM PRIVATE
    ${STOKER_NCCL_INCLUDE_DIR} ${CUDAToolkit_INCLUDE_DIRS})
endif()
