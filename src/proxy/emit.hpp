#pragma once

#include <string>

#include "proxy/plan.hpp"

namespace weir::proxy {

// A C++ program that makes the calls of the plan: one function for each signature and each rule of a grammar,
// tables for what the processes have of their own.
std::string write_program(const Plan& plan);

// How it is compiled: "c++ -std=c++17 -O1 -o app app.cpp -pthread".
std::string compile_command(const Plan& plan, const std::string& source);

}  // namespace weir::proxy
