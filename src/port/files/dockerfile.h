// Dockerfile: its instructions and where their words stand, continuation lines, comments and here-documents included.
// Pure; any thread. Follows the Dockerfile reference of Docker (frontend 1.x).
#pragma once

#include <string>
#include <vector>

#include "port/files/shell.h"

namespace starbridge::port {

struct DockerInstruction {
  std::string name;  // lower case, "run"; of ONBUILD the instruction behind it
  ByteSpan arguments;
  // The arguments as one line of shell, byte for byte as long: comments and options blanked, the escape character a backslash.
  std::string script;
  std::vector<ByteSpan> words;  // of the exec form: the strings of ["a", "b"]; else words split at blanks, quotes kept
  bool is_exec_form = false;
  std::vector<ByteSpan> here_documents;  // bodies after `RUN <<EOF`
};

std::vector<DockerInstruction> read_dockerfile(std::string_view bytes);

}  // namespace starbridge::port
