# Warnings for our own targets: target_link_libraries(<target> PRIVATE stoker_warnings).
add_library(stoker_warnings INTERFACE)
target_compile_options(stoker_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-align
  -Woverloaded-virtual -Wnull-dereference -Wimplicit-fallthrough
  $<$<BOOL:${STOKER_WARNINGS_AS_ERRORS}>:-Werror>)
