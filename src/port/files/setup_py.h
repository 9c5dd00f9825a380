// setup.py: what a call of setup() asks for. Pure; any thread.
#pragma once

#include "port/python/syntax.h"
#include "port/words.h"

namespace starbridge::port {

bool is_setup_py(std::string_view path);

// Requirements of install_requires and extras_require as they stand in the call or in a name that holds the list, and
// python_requires. What is computed is not read.
void judge_setup_py(const python::Syntax& syntax, Sheet& sheet);

}  // namespace starbridge::port
