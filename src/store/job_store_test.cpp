#include "store/job_store.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace starbridge::store {
namespace {

class JobStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "starbridge-store-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    path_ = folder_ + "/starbridge.db";
    open();
  }
  void TearDown() override {
    database_.reset();
    std::filesystem::remove_all(folder_);
  }
  void open() {
    database_.reset();
    base::Result<Database> opened = Database::open(path_);
    ASSERT_TRUE(opened.ok()) << opened.error().render(base::Language::kEnglish);
    database_ = std::make_unique<Database>(std::move(opened).value());
  }
  JobStore store() { return JobStore(*database_); }
  std::string add(const std::string& spec = "{}", const std::string& key = "") {
    JobRow row;
    row.name = "名";
    row.spec = spec;
    row.verdicts = "{}";
    row.submitted_ms = 1000;
    return store().add(row, key).value().id;
  }
  static LeaseRow lease_of(const std::string& id, base::TimeMs open_ms) {
    LeaseRow lease;
    lease.job_id = id;
    lease.chip = "mlu370-x8";
    lease.cards = R"(["n/a","n/b"])";
    lease.open_ms = open_ms;
    lease.price_micro_fen = 5;
    return lease;
  }

  std::string folder_;
  std::string path_;
  std::unique_ptr<Database> database_;
};

TEST_F(JobStoreTest, AJobGoesThroughItsStatesWithItsLease) {
  std::string id = add();
  EXPECT_EQ(id, "job-000001");
  EXPECT_EQ(store().find(id)->state, "waiting");
  ASSERT_TRUE(store().start(id, "{\"d\":1}", lease_of(id, 2000)).ok());
  EXPECT_EQ(store().leased_cards().value(), (std::set<std::string>{"n/a", "n/b"}));
  ASSERT_TRUE(store().run(id, 2100).ok());
  EXPECT_EQ(store().find(id)->state, "running");
  ASSERT_TRUE(store().end(id, "finished", "", 0, 5000).ok());
  JobRow row = store().find(id).value();
  EXPECT_EQ(row.state, "finished");
  EXPECT_EQ(row.started_ms, 2100);
  EXPECT_EQ(row.ended_ms, 5000);
  EXPECT_EQ(row.name, "名");
  EXPECT_TRUE(store().leased_cards()->empty());
  EXPECT_EQ(store().leases(id)->at(0).close_ms, 5000);
  EXPECT_EQ(store().events(id)->size(), 4u);
}

TEST_F(JobStoreTest, NoStateIsLeftTwice) {
  std::string id = add();
  ASSERT_TRUE(store().run(id, 1).ok());  // it is not starting
  EXPECT_EQ(store().find(id)->state, "waiting");
  ASSERT_TRUE(store().end(id, "cancelled", "", std::nullopt, 1500).ok());
  ASSERT_TRUE(store().start(id, "{}", lease_of(id, 2000)).ok());
  EXPECT_TRUE(store().leases(id)->empty()) << "a cancelled job got cards";
  ASSERT_TRUE(store().end(id, "finished", "", 0, 9000).ok());
  EXPECT_EQ(store().find(id)->state, "cancelled");
  EXPECT_EQ(store().find(id)->ended_ms, 1500);
  EXPECT_EQ(store().events(id)->size(), 2u);
}

TEST_F(JobStoreTest, ALeaseNeverEndsBeforeItBegan) {
  std::string id = add();
  ASSERT_TRUE(store().start(id, "{}", lease_of(id, 2000)).ok());
  ASSERT_TRUE(store().end(id, "lost", "", std::nullopt, 1000).ok());  // the clock was set back
  EXPECT_EQ(store().leases(id)->at(0).close_ms, 2000);
}

TEST_F(JobStoreTest, AKeyGivesTheSameJobAndRefusesAnother) {
  std::string id = add("{\"a\":1}", "k");
  EXPECT_EQ(add("{\"a\":1}", "k"), id);
  JobRow other;
  other.spec = "{\"a\":2}";
  EXPECT_EQ(store().add(other, "k").error().code(), "store.idempotency_mismatch");
  EXPECT_EQ(store().list()->size(), 1u);
  EXPECT_EQ(store().find("job-9; DROP TABLE jobs").error().code(), "store.no_job");
}

TEST_F(JobStoreTest, WhatWasWrittenIsThereAfterReopening) {
  std::string id = add();
  open();
  EXPECT_EQ(store().find(id)->name, "名");
  EXPECT_EQ(add(), "job-000002");
}

TEST_F(JobStoreTest, AnErrorRollsTheWholeTransactionBack) {
  base::Status status = database_->transact([&]() -> base::Status {
    SB_TRY_VOID(database_->run("INSERT INTO jobs (id, name, state, spec, verdicts, submitted_ms) VALUES ('j', '', '', '', '', 0)"));
    return database_->run("INSERT INTO no_such_table VALUES (1)");
  });
  EXPECT_FALSE(status.ok());
  EXPECT_TRUE(store().list()->empty());
  EXPECT_EQ(add(), "job-000001") << "a transaction was left open";
}

TEST_F(JobStoreTest, AJobHoldsOneOpenLease) {
  std::string id = add();
  ASSERT_TRUE(store().start(id, "{}", lease_of(id, 2000)).ok());
  EXPECT_FALSE(database_->run("INSERT INTO leases (job_id, chip, cards, open_ms, price_micro_fen, discount_per_mille) "
                              "VALUES (?1, 'c', '[]', 1, 1, 0)", {id}).ok());
}

TEST_F(JobStoreTest, ALaterOrChangedDatabaseIsRefused) {
  ASSERT_TRUE(database_->run("INSERT INTO migrations VALUES ('9999_later', 'x')").ok());
  EXPECT_EQ(Database::open(path_).error().code(), "store.newer");
  ASSERT_TRUE(database_->run("DELETE FROM migrations WHERE name = '9999_later'").ok());
  ASSERT_TRUE(database_->run("UPDATE migrations SET sha256 = 'x'").ok());
  EXPECT_EQ(Database::open(path_).error().code(), "store.damaged");
}

TEST_F(JobStoreTest, AFileThatIsNoDatabaseIsLeftUntouched) {
  std::string other = folder_ + "/other.db";
  std::string junk(5000, 'j');
  std::ofstream(other) << junk;
  EXPECT_EQ(Database::open(other).error().code(), "store.damaged");
  std::ifstream in(other);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), junk);
  EXPECT_FALSE(Database::open(folder_ + "/no/such/folder.db").ok());
}

}  // namespace
}  // namespace starbridge::store
