#include <iostream>
#include <string>
#include <vector>

#include "cli/frame.h"

int main(int argument_count, char** arguments) {
  std::ios::sync_with_stdio(false);
  return starbridge::cli::run_command_line(std::vector<std::string>(arguments + 1, arguments + argument_count), std::cout,
                                           std::cerr);
}
