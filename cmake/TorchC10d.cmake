# What there is of c10d, LibTorch's communication between ranks:
#   STOKER_TORCH_C10D  LibTorch was built with it
#   STOKER_TORCH_GLOO, STOKER_TORCH_NCCL  programs can include its process groups over Gloo and NCCL,
#                      for which they need the headers of those too; LibTorch's Python packages have
#                      none of Gloo
set(STOKER_TORCH_C10D FALSE)
set(STOKER_TORCH_GLOO FALSE)
set(STOKER_TORCH_NCCL FALSE)
set(torch_definitions)
foreach(library IN ITEMS torch_cpu torch_cuda)
  if(TARGET ${library})
    get_target_property(definitions ${library} INTERFACE_COMPILE_DEFINITIONS)
    list(APPEND torch_definitions ${definitions})
  endif()
endforeach()

if("USE_DISTRIBUTED" IN_LIST torch_definitions)
  set(STOKER_TORCH_C10D TRUE)
endif()
if("USE_C10D_GLOO" IN_LIST torch_definitions)
  # They must be of the Gloo that LibTorch was built with: its own copy, or the distribution's for the
  # distribution's LibTorch, which is of before 2.
  set(where NO_DEFAULT_PATH)
  if(Torch_VERSION VERSION_LESS 2)
    set(where)
  endif()
  find_path(STOKER_GLOO_INCLUDE_DIR gloo/context.h PATHS ${TORCH_INCLUDE_DIRS} ${where})
  find_library(STOKER_GLOO_LIBRARY gloo PATHS "${TORCH_INSTALL_PREFIX}/lib" ${where})
  mark_as_advanced(STOKER_GLOO_INCLUDE_DIR STOKER_GLOO_LIBRARY)
  if(STOKER_GLOO_INCLUDE_DIR AND STOKER_GLOO_LIBRARY)
    set(STOKER_TORCH_GLOO TRUE)
  endif()
endif()
if("USE_C10D_NCCL" IN_LIST torch_definitions)
  find_path(STOKER_NCCL_INCLUDE_DIR nccl.h PATHS ${TORCH_INCLUDE_DIRS} /usr/local/cuda/include)
  mark_as_advanced(STOKER_NCCL_INCLUDE_DIR)
  if(STOKER_NCCL_INCLUDE_DIR)
    set(STOKER_TORCH_NCCL TRUE)
  endif()
endif()
