#include "api/routes.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/json.h"

namespace starbridge::api {
namespace {

// No job is placed here: placing starts this very program as a supervisor. tests/server/ does that with the real one.
class Routes : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "starbridge-routes-XXXXXX";
    home_ = ::mkdtemp(pattern.data());
    catalog::Catalog catalog = catalog::Catalog::load(SB_DATA_DIR).value();
    pool::Pool pool = pool::default_pool(catalog).value();
    service_ = Service::open(home_, std::move(catalog), std::move(pool), clock_).value();
  }
  void TearDown() override {
    service_.reset();
    std::filesystem::remove_all(home_);
  }
  Response ask(const std::string& method, const std::string& target, const std::string& body = "",
               std::map<std::string, std::string> headers = {}) {
    headers.emplace("host", "localhost:1");
    return handle(*service_, {"secret", "<page>"}, {method, target, body, headers});
  }
  base::ManualClock clock_{1'000'000};
  std::string home_;
  std::unique_ptr<Service> service_;
};

TEST_F(Routes, ReadingNeedsNoTokenAndWritingDoes) {
  EXPECT_EQ(ask("GET", "/").body, "<page>");
  for (const char* path : {"/api/v1/health", "/api/v1/pool", "/api/v1/chips", "/api/v1/jobs", "/api/v1/bill"})
    EXPECT_EQ(ask("GET", path).status, 200) << path;
  for (const char* given : {"", "Bearer", "Bearer ", "Bearer secre", "Bearer secrets", "secret", "bearer secret"})
    EXPECT_EQ(ask("POST", "/api/v1/jobs", "{", {{"authorization", given}}).status, 401) << given;
  EXPECT_EQ(ask("POST", "/api/v1/jobs", "{", {{"authorization", "Bearer secret"}}).status, 400);
}

TEST_F(Routes, OnlyLocalHostNamesAreAnswered) {
  for (const char* host : {"localhost", "127.0.0.1:7450", "[::1]:7450", ""})
    EXPECT_EQ(ask("GET", "/api/v1/health", "", {{"host", host}}).status, 200) << host;
  for (const char* host : {"evil.example", "localhost.evil.example:80", "127.0.0.1.evil.example", "[::2]", "10.0.0.1:7450", "evil:127.0.0.1:1"})
    EXPECT_EQ(ask("GET", "/api/v1/health", "", {{"host", host}}).status, 400) << host;
}

TEST_F(Routes, UnknownPathsAndJobsAreProblemsInTheAskersLanguage) {
  for (const char* path : {"/x", "/api/v1/jobs/a/b", "/api/v1/jobs/", "/api/v1/jobs/job-1", "/api/v1/jobs/../../etc/passwd/log",
                           "/api/v1/jobs/job-1/log", "/api/v1/bill?job=none", "//", "/api/v1/jobs//log", "\xff"})
    EXPECT_EQ(ask("GET", path).status, 404) << path;
  Response problem = ask("GET", "/api/v1/jobs/none", "", {{"accept-language", "zh"}});
  EXPECT_EQ(problem.content_type, "application/problem+json");
  base::Json json = base::parse_json(problem.body, "").value();
  EXPECT_EQ(json["code"], "store.no_job");
  EXPECT_EQ(json["status"], 404);
  EXPECT_NE(json["detail"].get<std::string>().find("没有作业"), std::string::npos);
}

TEST_F(Routes, AJobThatFitsNowhereLeavesNoTrace) {
  Response refused = ask("POST", "/api/v1/jobs", R"({"job": {"name": "x", "script": "true", "card_count": 1000}})",
                         {{"authorization", "Bearer secret"}});
  EXPECT_EQ(refused.status, 409);
  EXPECT_TRUE(base::parse_json(ask("GET", "/api/v1/jobs").body, "").value()["items"].empty());
}

}  // namespace
}  // namespace starbridge::api
