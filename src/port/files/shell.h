// Shell: the words of a shell text that porting looks at, by the grammar of bash. Also for commands written as lists of arguments
// (Dockerfile, Kubernetes). Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "port/words.h"

namespace starbridge::port {

struct ByteSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// One argument of a command as far as its text is known before running it.
struct ShellArgument {
  ByteSpan head;          // the literal beginning, inside the quotes; empty when it starts with an expansion
  bool is_whole = false;  // the head is all of it
  std::string variable;   // of "$X", "${X:-word}" or head followed by it: X
  ByteSpan fallback;      // the word of ${X:-word}; empty when there is none
  std::size_t end = 0;    // one past the argument with its quotes
};

struct ShellWord {
  enum class Kind { kVariable, kCommand, kDevice, kCollective, kModule, kContainerCards };
  Kind kind;
  ByteSpan span;
  std::size_t assignment_end = 0;  // kVariable that is assigned, exported or unset: where the assignment ends; 0: it is read
};

// An option of sbatch, srun or salloc, from "#SBATCH" lines and from commands.
struct SlurmOption {
  ByteSpan name;  // "--gres", "-G"
  ByteSpan value;
};

struct PackageInstall {
  bool is_conda = false;
  std::vector<ShellArgument> packages;
  struct Index {
    ByteSpan option;  // --index-url, --extra-index-url, -i, -f, without its value
    ByteSpan value;
  };
  std::vector<Index> indexes;
};

struct ShellReading {
  std::vector<ShellWord> words;
  std::vector<SlurmOption> slurm;
  std::vector<PackageInstall> installs;
  bool is_expanded = false;  // a shell reads it: "$(...)" is a command there
  bool is_complete = true;   // false: the text could not be parsed within the time limit
};

// Offsets are into the file: `base` is where `script` begins in it.
ShellReading read_shell(std::string_view script, std::size_t base, const Context& context);
// A command given as its arguments, the program first; spans are into `bytes`.
ShellReading read_command(std::string_view bytes, const std::vector<ByteSpan>& arguments, const Context& context);

// Edits and findings of what was read.
void judge_shell(const ShellReading& reading, Sheet& sheet);

}  // namespace starbridge::port
