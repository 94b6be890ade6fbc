# The examples themselves, on small data: each checks what it comes to.
function(add_torch_example_test name)
  add_test(NAME torch_examples.${name} COMMAND ${ARGN})
  set_tests_properties(torch_examples.${name} PROPERTIES
                       LABELS "torch;examples" TIMEOUT 600 PROCESSORS 2)
endfunction()

# The data sets that some of them make are made anew.
set(data ${CMAKE_CURRENT_BINARY_DIR}/data)
add_torch_example_test(no_data ${CMAKE_COMMAND} -E rm -rf ${data})
set_tests_properties(torch_examples.no_data PROPERTIES FIXTURES_SETUP torch_example_data)
foreach(name IN ITEMS mnist cifar10)
  add_torch_example_test(${name} torch_${name} ${data}/${name})
  set_tests_properties(torch_examples.${name} PROPERTIES FIXTURES_REQUIRED torch_example_data)
endforeach()

if(TARGET torch_cuda_graph)
  add_torch_example_test(cuda_graph torch_cuda_graph)
  set_tests_properties(torch_examples.cuda_graph PROPERTIES
                       LABELS "gpu;torch;examples" SKIP_RETURN_CODE 77)
endif()
