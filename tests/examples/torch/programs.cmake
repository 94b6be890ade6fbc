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

add_torch_example_test(custom_dataset torch_custom_dataset)

find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_torch_example_test(drawn
  Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/drawn_test.py
  $<TARGET_FILE:torch_mnist> $<TARGET_FILE:torch_cifar10>)
# Adds what a script of the example's name tests, which starts the example several times.
function(add_torch_example_script name)
  add_torch_example_test(${name}
    Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/${name}_test.py
    --program $<TARGET_FILE:torch_${name}>)
  set_tests_properties(torch_examples.${name} PROPERTIES TIMEOUT 1500)
endfunction()
add_torch_example_script(imagenet)
if(TARGET torch_ddp AND STOKER_TORCH_GLOO)
  add_torch_example_script(ddp)
endif()

if(TARGET torch_cuda_graph)
  add_torch_example_test(cuda_graph torch_cuda_graph)
  set_tests_properties(torch_examples.cuda_graph PROPERTIES
                       LABELS "gpu;torch;examples" SKIP_RETURN_CODE 77)
endif()
