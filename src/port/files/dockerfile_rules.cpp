// What a Dockerfile needs on a target.
#include "port/files/dockerfile.h"
#include "port/files/images.h"
#include "port/python/sinks.h"
#include "port/versions.h"
#include "port/words.h"

namespace starbridge::port {
namespace {

using base::text;

bool is_cuda_image(std::string_view image) {
  return image.find("cuda") != std::string_view::npos || image.find("nvidia") != std::string_view::npos ||
         image.find("nvcr.") != std::string_view::npos;
}

void judge_image(const DockerInstruction& instruction, Sheet& sheet) {
  if (instruction.words.empty() || sheet.target().is_cuda_named()) return;
  for (const ByteSpan& word : instruction.words) {
    std::string_view image = sheet.text(word.begin, word.end);
    if (image.substr(0, 2) == "--") continue;
    pin_image(image, word.begin, sheet);
    if (!is_cuda_image(image)) return;
    sheet
        .find(word.begin, "cuda-image", Severity::kWork,
              text("the image {} brings CUDA", "镜像 {} 自带 CUDA", base::sanitize_utf8(image)))
        .advice = text("build on the vendor's image for {}", "改用 {} 厂商的基础镜像", sheet.target().chip->name);
    return;
  }
}

void judge_setting(ByteSpan name, ByteSpan value, bool can_repeat, Sheet& sheet) {
  if (sheet.text(name.begin, name.end) == "CANN_VERSION") {
    std::string_view written = base::trim(sheet.text(value.begin, value.end));
    while (!written.empty() && (written[0] == '"' || written[0] == '\'')) written = written.substr(1, written.size() - 2);
    if (parse_version(written)) sheet.pin(value.begin, "cann", "==" + std::string(written));
  }
  can_repeat ? sheet.assignment(name.begin, name.end, value.end) : sheet.variable(name.begin, name.end);
  const python::TextRole* role = python::role_of_name(base::to_lower(sheet.text(name.begin, name.end)));
  if (role == nullptr) return;
  std::string_view written = sheet.text(value.begin, value.end);
  if (written.size() >= 2 && (written[0] == '"' || written[0] == '\'') && written.back() == written[0]) {
    ++value.begin;
    --value.end;
  }
  if (*role == python::TextRole::kDevice) sheet.device_word(value.begin, value.end);
  if (*role == python::TextRole::kCollective) sheet.collective_word(value.begin, value.end);
}

// "ENV A=1 B=2", the old "ENV A 1", "ARG A" and "ARG A=1".
void judge_settings(const DockerInstruction& instruction, Sheet& sheet) {
  for (std::size_t index = 0; index < instruction.words.size(); ++index) {
    ByteSpan word = instruction.words[index];
    std::size_t equals = sheet.text(word.begin, word.end).find('=');
    if (equals != std::string_view::npos) {
      judge_setting({word.begin, word.begin + equals}, {word.begin + equals + 1, word.end}, instruction.name == "env", sheet);
      continue;
    }
    bool is_old_form = instruction.name == "env" && index == 0 && instruction.words.size() > 1;
    judge_setting(word, is_old_form ? instruction.words[1] : ByteSpan{word.end, word.end}, false, sheet);
    if (is_old_form) return;
  }
}

}  // namespace

std::vector<TargetResult> analyze_dockerfile(const SourceFile& file, const Context& context) {
  std::vector<DockerInstruction> instructions = read_dockerfile(file.bytes);
  std::vector<ShellReading> readings;
  for (const DockerInstruction& instruction : instructions) {
    bool is_command = instruction.name == "run" || instruction.name == "cmd" || instruction.name == "entrypoint" ||
                      instruction.name == "healthcheck";
    if (!is_command) continue;
    if (instruction.is_exec_form) {
      readings.push_back(read_command(file.bytes, instruction.words, context));
    } else {
      readings.push_back(read_shell(instruction.script, instruction.arguments.begin, context));
    }
    for (const ByteSpan& body : instruction.here_documents) {
      readings.push_back(read_shell(std::string_view(file.bytes).substr(body.begin, body.end - body.begin), body.begin, context));
    }
  }
  return per_target(file, context, [&](Sheet& sheet) {
    for (const DockerInstruction& instruction : instructions) {
      if (instruction.name == "from") judge_image(instruction, sheet);
      if (instruction.name == "env" || instruction.name == "arg") judge_settings(instruction, sheet);
    }
    for (const ShellReading& reading : readings) judge_shell(reading, sheet);
  });
}

}  // namespace starbridge::port
