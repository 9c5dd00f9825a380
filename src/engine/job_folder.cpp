#include "engine/job_folder.h"

#include "base/files.h"
#include "base/json.h"

namespace starbridge::engine {

using base::Json;
using base::text;

namespace {

template <class Record, class Read>
std::optional<Record> read_record(const std::string& path, Read read) {
  base::Result<Json> json = base::read_json(path);
  if (!json.ok()) return std::nullopt;
  try {
    return read(*json);
  } catch (const Json::exception&) {
    return std::nullopt;  // records are written whole or not at all, so this is another hand's file
  }
}

}  // namespace

base::Status JobFolder::write(const Launch& launch) const {
  Json json = {{"script", launch.script},
               {"project", launch.project},
               {"working_directory", launch.working_directory},
               {"chip", launch.chip},
               {"card_indices", launch.card_indices},
               {"is_emulated", launch.is_emulated},
               {"environment", launch.environment},
               {"time_limit_ms", launch.time_limit_ms}};
  return base::write_file_atomically(path_ + "/launch.json", base::to_string(json) + "\n", 0600);
}

base::Status JobFolder::write(const StartRecord& record) const {
  Json json = {{"supervisor_pid", record.supervisor_pid},
               {"supervisor_start_ticks", record.supervisor_start_ticks},
               {"process_pid", record.process_pid},
               {"started_ms", record.started_ms}};
  return base::write_file_atomically(path_ + "/start.json", base::to_string(json) + "\n");
}

base::Status JobFolder::write(const ExitRecord& record) const {
  Json json = {
      {"outcome", record.outcome}, {"exit_code", record.exit_code}, {"reason", record.reason}, {"ended_ms", record.ended_ms}};
  return base::write_file_atomically(path_ + "/exit.json", base::to_string(json) + "\n");
}

base::Result<Launch> JobFolder::read_launch() const {
  SB_TRY(Json json, base::read_json(path_ + "/launch.json"));
  try {
    Launch launch;
    json.at("script").get_to(launch.script);
    json.at("project").get_to(launch.project);
    json.at("working_directory").get_to(launch.working_directory);
    json.at("chip").get_to(launch.chip);
    json.at("card_indices").get_to(launch.card_indices);
    json.at("is_emulated").get_to(launch.is_emulated);
    json.at("environment").get_to(launch.environment);
    json.at("time_limit_ms").get_to(launch.time_limit_ms);
    return launch;
  } catch (const Json::exception& failure) {
    return base::Error("engine.cannot_start", text("the launch file is not complete: {}", "启动文件不完整：{}", failure.what()))
        .at(path_ + "/launch.json");
  }
}

std::optional<StartRecord> JobFolder::read_start() const {
  return read_record<StartRecord>(path_ + "/start.json", [](const Json& json) {
    return StartRecord{json.at("supervisor_pid").get<std::int64_t>(), json.at("supervisor_start_ticks").get<std::int64_t>(),
                       json.at("process_pid").get<std::int64_t>(), json.at("started_ms").get<base::TimeMs>()};
  });
}

std::optional<ExitRecord> JobFolder::read_exit() const {
  return read_record<ExitRecord>(path_ + "/exit.json", [](const Json& json) {
    return ExitRecord{json.at("outcome").get<std::string>(), json.at("exit_code").get<int>(),
                      json.at("reason").get<std::string>(), json.at("ended_ms").get<base::TimeMs>()};
  });
}

std::optional<base::TimeMs> JobFolder::last_heartbeat_ms() const {
  return read_record<base::TimeMs>(heartbeat_path(), [](const Json& json) { return json.get<base::TimeMs>(); });
}

void JobFolder::beat(base::TimeMs now_ms) const {
  // A missed beat costs accuracy only when the supervisor itself is killed later; a full disk must not end the job.
  base::Status written = base::write_file_atomically(heartbeat_path(), std::to_string(now_ms));
  static_cast<void>(written.ok());
}

}  // namespace starbridge::engine
