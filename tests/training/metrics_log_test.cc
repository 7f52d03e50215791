#include "ssm/training/metrics_log.h"

#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "ssm/base/log.h"
#include "support/error_of.h"
#include "support/temp_folder.h"

namespace ssm {
namespace {

TEST_CASE("lines are JSON with shortest numbers") {
  StepReport report{200, 0.1, 2.5, 0.003, 4096, {}, {}};
  CHECK(TrainLine(report) ==
        R"({"step":200,"split":"train","loss":0.1,"grad_norm":2.5,"lr":0.003})");
  CHECK(ValidationLine(200, 0.25, "accuracy", 0.5, 256) ==
        R"({"step":200,"split":"validation","loss":0.25,"accuracy":0.5,"examples":256})");
  const auto norms = nlohmann::json::parse(NormsLine(7, 1, {1.5, 1e-9}));
  CHECK(norms["layer"] == 1);
  CHECK(norms["gradient_norm"] == 1e-9);
  const auto timing = nlohmann::json::parse(TimingLine(7, 1.25e6, 3.5));
  CHECK(timing["tokens_per_second"] == 1.25e6);
}

TEST_CASE("what is not finite is null") {
  CHECK(JsonNumber(NAN) == "null");
  CHECK(JsonNumber(-INFINITY) == "null");
  CHECK(JsonNumber(1e300) == "1e+300");
}

TEST_CASE("the log is cut back to what a checkpoint knew") {
  const test::TempFolder folder;
  const std::string path = folder / "metrics.jsonl";
  int64_t kept = 0;
  {
    MetricsLog log(path, 0);
    log.Add("{\"step\":1}");
    kept = log.size();
    log.Add("{\"step\":2}");
    log.Sync();
  }
  MetricsLog log(path, kept);
  CHECK(ReadFile(path) == "{\"step\":1}\n");
  log.Add("{\"step\":2,\"again\":true}");
  CHECK(ReadFile(path) == "{\"step\":1}\n{\"step\":2,\"again\":true}\n");
  CHECK(test::ErrorOf([&] { MetricsLog(path, 10000); }).code == ExitCode::kBadData);
}

TEST_CASE("what is left of a log is kept in whole lines") {
  const test::TempFolder folder;
  const std::string path = folder / "metrics.jsonl";
  SetLogLevel(LogLevel::kError);
  CHECK(KeepableBytes(path, 0) == 0);
  CHECK(KeepableBytes(path, 100) == 0);
  WriteNewFile(path, "one\ntwo\nthr");
  CHECK(KeepableBytes(path, 4) == 4);
  CHECK(KeepableBytes(path, 11) == 11);
  CHECK(KeepableBytes(path, 12) == 8);
  SetLogLevel(LogLevel::kInfo);
}

}  // namespace
}  // namespace ssm
