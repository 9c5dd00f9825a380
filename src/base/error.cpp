#include "base/error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/check.h"
#include "base/json.h"

namespace starbridge::base {

const std::vector<ErrorCode>& error_codes() {
  static const std::vector<ErrorCode> codes = {
#define SB_ERROR_CODE(code, exit_code, http_status, en, zh) {code, ExitCode::exit_code, http_status, en, zh},
#include "base/error_codes.def"
#undef SB_ERROR_CODE
  };
  return codes;
}

const ErrorCode* find_error_code(std::string_view code) {
  const auto& codes = error_codes();
  auto found = std::find_if(codes.begin(), codes.end(), [&](const ErrorCode& row) { return row.code == code; });
  return found == codes.end() ? nullptr : &*found;
}

std::string Place::to_string() const {
  std::string where = file;
  if (line > 0) where += ":" + std::to_string(line);
  if (line > 0 && column > 0) where += ":" + std::to_string(column);
  if (field.empty()) return where;
  return where.empty() ? field : where + " (" + field + ")";
}

Error::Error(std::string_view code, Text message) : code_(code), message_(std::move(message)) {
  if (find_error_code(code_) == nullptr) check_failed("error code is listed in error_codes.def", __FILE__, __LINE__, code_);
}

Error&& Error::at(std::string file, int line, int column) && {
  place_.file = std::move(file);
  place_.line = line;
  place_.column = column;
  return std::move(*this);
}

Error&& Error::at(Place place) && {
  place_ = std::move(place);
  return std::move(*this);
}

Error&& Error::in_field(std::string field) && {
  place_.field = std::move(field);
  return std::move(*this);
}

Error&& Error::next(Text next_step) && {
  next_step_ = std::move(next_step);
  return std::move(*this);
}

Error&& Error::while_doing(Text context) && {
  contexts_.push_back(std::move(context));
  return std::move(*this);
}

ExitCode Error::exit_code() const { return find_error_code(code_)->exit_code; }
int Error::http_status() const { return find_error_code(code_)->http_status; }

std::string Error::render(Language language) const {
  std::string out = place_.empty() ? "" : place_.to_string() + ": ";
  out += message_.in(language) + " [" + code_ + "]";
  bool zh = language == Language::kChinese;
  for (const Text& context : contexts_) out += (zh ? "\n  当时正在：" : "\n  while ") + context.in(language);
  if (!next_step_.empty()) out += (zh ? "\n  下一步：" : "\n  next: ") + next_step_.in(language);
  return out;
}

Json Error::to_json(Language language) const {
  Json json = {{"schema", "starbridge.error/1"}, {"code", code_}, {"message", message_.in(language)}};
  if (!place_.empty()) {
    Json place = Json::object();
    if (!place_.file.empty()) place["file"] = place_.file;
    if (place_.line > 0) place["line"] = place_.line;
    if (place_.column > 0) place["column"] = place_.column;
    if (!place_.field.empty()) place["field"] = place_.field;
    json["place"] = place;
  }
  if (!contexts_.empty()) {
    Json contexts = Json::array();
    for (const Text& context : contexts_) contexts.push_back(context.in(language));
    json["context"] = contexts;
  }
  if (!next_step_.empty()) json["next_step"] = next_step_.in(language);
  json["exit_code"] = static_cast<int>(exit_code());
  return json;
}

Error io_error(int errno_value, Text what, const std::string& path) {
  std::string reason = std::strerror(errno_value);
  Text message = {what.en + ": " + reason, what.zh + "：" + reason};
  switch (errno_value) {
    case ENOENT:
      return Error("base.file_not_found", std::move(message)).at(path).next(text("check the path", "请检查路径"));
    case ENOSPC:
    case EDQUOT:
      return Error("base.disk_full", std::move(message))
          .at(path)
          .next(text("free some space and run the same command again", "请释放空间后重新运行同一命令"));
    case EACCES:
    case EPERM:
    case EROFS:
      return Error("base.no_permission", std::move(message))
          .at(path)
          .next(text("grant access or choose another folder", "请授予权限或换一个目录"));
    case EEXIST:
      return Error("base.file_exists", std::move(message)).at(path).next(text("choose another name", "请换一个名字"));
    case ENOTDIR:
      return Error("base.not_a_directory", std::move(message)).at(path).next(text("check the path", "请检查路径"));
    case EISDIR:
      return Error("base.not_a_file", std::move(message)).at(path).next(text("name a file", "请给出文件名"));
    default:
      return Error("base.io_failed", std::move(message)).at(path);
  }
}

}  // namespace starbridge::base
