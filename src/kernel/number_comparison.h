// Number comparison: sets of numbers by name, of programs on emulated cards or read from files, judged by the accuracy their kind
// of work allows. Any thread; run_for_numbers blocks.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/accuracy.h"
#include "kernel/program.h"

namespace starbridge::kernel {

// What one side says: numbers by name, and for a program the words around them.
struct NumberSet {
  std::map<std::string, std::vector<double>> numbers;
  std::string words;
  bool is_program = false;
};

struct NumberRow {
  std::string name;
  Verdict verdict;
  std::string refused;  // "only-left", "only-right", "count": no figures, since names or sizes differ
  bool agrees() const { return refused.empty() && verdict.agrees; }
};

struct NumberComparison {
  std::vector<NumberRow> rows;
  bool words_differ = false;  // of two programs: the output around the numbers
  bool agrees = false;
};

// A source with kernels, or a folder of such.
bool is_kernel_program(const std::string& path);
// Errors: kernel.compare_failed when the program does not end well, those of run_program.
base::Result<NumberSet> run_for_numbers(const RunRequest& request);
// `reference` (the same in double) may be empty.
NumberComparison compare_numbers(const NumberSet& left, NumberSet right, NumberSet reference, AccuracyClass accuracy,
                                 Precision precision);

}  // namespace starbridge::kernel
