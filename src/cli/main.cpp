#include "cli/program.hpp"

int main(int argc, char** argv) { return weir::cli::run_program(argc, argv); }
