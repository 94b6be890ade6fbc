#include "cli/app.hpp"

int main(int argc, char** argv) { return stoker::cli::run(argc, argv); }
