# Each comes from the distribution's packages; scripts/install-dependencies names them.
find_package(Threads REQUIRED)
find_package(JPEG REQUIRED)
find_package(hwy REQUIRED)
find_package(tl-expected REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
find_package(Boost REQUIRED)  # Lockfree, headers only
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

# What the library's own sources and tests of private parts compile against.
add_library(stoker_private INTERFACE)
target_link_libraries(stoker_private INTERFACE
  JPEG::JPEG hwy::hwy Boost::headers fmt::fmt nlohmann_json::nlohmann_json)
if(STOKER_EXECUTOR STREQUAL "tbb")
  target_link_libraries(stoker_private INTERFACE TBB::tbb)
  target_compile_definitions(stoker_private INTERFACE STOKER_WITH_TBB)
endif()
if(OpenCV_FOUND)
  target_link_libraries(stoker_private INTERFACE ${OpenCV_LIBS})
  target_include_directories(stoker_private SYSTEM INTERFACE ${OpenCV_INCLUDE_DIRS})
  target_compile_definitions(stoker_private INTERFACE STOKER_WITH_OPENCV)
endif()
