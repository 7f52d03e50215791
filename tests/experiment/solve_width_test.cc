#include "ssm/experiment/solve_width.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "ssm/base/files.h"
#include "ssm/base/text.h"
#include "ssm/experiment/plan.h"
#include "support/error_of.h"
#include "support/temp_folder.h"

namespace ssm {
namespace {

/// Every type of the library over a short task.
struct Budgeted {
  test::TempFolder folder;
  MixerRegistry mixers;
  TaskRegistry tasks;
  std::string file = folder / "c.json";

  Budgeted() {
    RegisterMixers(mixers);
    RegisterTasks(tasks);
    WriteNewFile(file, R"({"task": {"type": "evidence.track", "steps": 48},
      "model": {"layers": 2, "block": {"mixer": {"type": "gru"}}},
      "train": {"steps": 20, "batch": 4, "warmup": 2, "eval_every": 0}})");
  }
  Experiment Read(const std::vector<std::string>& overrides) const {
    return ReadExperiment({file, overrides}, mixers, tasks);
  }
  std::string Refusal(const std::vector<std::string>& overrides) const {
    const auto thrown = test::ErrorOf([&] { Read(overrides); });
    CHECK(thrown.code == ExitCode::kBadConfig);
    return thrown.message;
  }
};

class FaultCount final : public Faults {
 public:
  void Add(std::string_view, std::string_view) override { ++count; }
  int count = 0;
};

/// A width the model's checks accept, and what it costs.
struct Width {
  int64_t d_model = 0;
  double params = 0, state_bytes = 0;
};

/// Every accepted width up to `most`, without a search.
std::vector<Width> WidthsUpTo(const Budgeted& budgeted, const std::string& type, int64_t most) {
  const Experiment experiment = budgeted.Read({"model.block.mixer.type=" + type});
  ExperimentConfig& config = *experiment.config;
  std::vector<Width> widths;
  for (int64_t d = 1; d <= most; ++d) {
    config.model.d_model = d;
    FaultCount faults;
    config.model.Check(faults);
    if (faults.count > 0) continue;
    const auto model = MakeModel<float>(config, InitialValues::kLayout);
    widths.push_back(
        {d, static_cast<double>(model->parameters().count()), CountStateBytes(config)});
  }
  return widths;
}

/// The accepted width whose number of parameters is nearest, and by how much of it it is off.
std::pair<int64_t, double> NearestTo(const std::vector<Width>& widths, double params) {
  std::pair<int64_t, double> best{0, HUGE_VAL};
  for (const Width& width : widths) {
    const double off = std::abs(width.params - params) / params;
    if (off < best.second) best = {width.d_model, off};
  }
  return best;
}

TEST_CASE("every mixer meets a number of parameters within 2 %, or says how near it comes") {
  const Budgeted budgeted;
  int64_t met = 0;
  for (const auto& entry : budgeted.mixers.entries()) {
    CAPTURE(entry.type);
    const std::vector<Width> widths = WidthsUpTo(budgeted, entry.type, 160);
    REQUIRE(widths.back().params > 160000);
    for (const double params : {20000.0, 150000.0}) {
      CAPTURE(params);
      const auto [nearest, off] = NearestTo(widths, params);
      const std::vector<std::string> asked = {"model.block.mixer.type=" + entry.type,
                                              "budget.params=" + FormatNumber(params)};
      if (off > 0.02) {
        const std::string refusal = budgeted.Refusal(asked);
        const bool between = widths.front().params < params;
        CHECK(refusal.find(between ? "within 2 %" : "less than any width takes") !=
              std::string::npos);
        CHECK(refusal.find(fmt::format("d_model {} takes", nearest)) != std::string::npos);
        continue;
      }
      ++met;
      const Experiment experiment = budgeted.Read(asked);
      CHECK(experiment.config->model.d_model == nearest);
      const auto model = MakeModel<float>(*experiment.config);
      CHECK(std::abs(static_cast<double>(model->parameters().count()) - params) <= 0.02 * params);
    }
  }
  CHECK(met >= static_cast<int64_t>(budgeted.mixers.entries().size()));
}

TEST_CASE("a state is never larger than its budget, and the widest that is not") {
  const Budgeted budgeted;
  for (const auto& entry : budgeted.mixers.entries()) {
    CAPTURE(entry.type);
    const std::vector<Width> widths = WidthsUpTo(budgeted, entry.type, 130);
    constexpr double kBytes = 5000;
    const std::vector<std::string> asked = {"model.block.mixer.type=" + entry.type,
                                            "budget.state_bytes=5000"};
    if (widths.front().state_bytes == widths.back().state_bytes) {
      CHECK(budgeted.Refusal(asked).find("more than any width takes") != std::string::npos);
      continue;
    }
    if (widths.front().state_bytes > kBytes) {
      CHECK(budgeted.Refusal(asked).find("less than any width takes") != std::string::npos);
      continue;
    }
    const Experiment experiment = budgeted.Read(asked);
    const int64_t found = experiment.config->model.d_model;
    CHECK(static_cast<double>(CountTraining(*experiment.config).state_bytes) <= kBytes);
    for (const Width& width : widths) {
      CAPTURE(width.d_model);
      if (width.d_model <= found) CHECK(width.state_bytes <= kBytes);
      if (width.d_model > found) CHECK(width.state_bytes > kBytes);
    }
  }
}

TEST_CASE("FLOPs of the whole training are met within 5 %") {
  const Budgeted budgeted;
  for (const char* mixer : {"gru", "s4d", "mamba", "attention"}) {
    CAPTURE(mixer);
    const Experiment experiment =
        budgeted.Read({std::string("model.block.mixer.type=") + mixer, "budget.flops=2e9"});
    CHECK(CountTraining(*experiment.config).flops == doctest::Approx(2e9).epsilon(0.05));
  }
  // Twice the steps are half the arithmetic a step.
  const auto width = [&](const std::string& steps) {
    return budgeted.Read({"budget.flops=2e9", steps}).config->model.d_model;
  };
  CHECK(width("train.steps=40") < width("train.steps=20"));
}

TEST_CASE("what must divide the width decides which there are") {
  const Budgeted budgeted;
  const std::string mixer = R"(model.block.mixer={"type": "attention", "heads": 7})";
  const Experiment experiment = budgeted.Read({mixer, "budget.params=77000"});
  CHECK(experiment.config->model.d_model % 7 == 0);
  // Heads of an even width each: accepted widths are 32 apart.
  const std::string refusal = budgeted.Refusal(
      {R"(model.block.mixer={"type": "retention", "heads": 16})", "budget.params=40000"});
  CHECK(refusal.find("budget.params = 40,000 is met by no width within 2 %") == 0);
  CHECK(refusal.find("d_model 32 takes") != std::string::npos);
  CHECK(refusal.find("d_model 64 takes") != std::string::npos);
}

TEST_CASE("the resolved config states budget and width, and is the experiment of that width") {
  const Budgeted budgeted;
  const Experiment solved = budgeted.Read({"budget.params=20000"});
  const int64_t width = solved.config->model.d_model;
  const std::string config = WriteConfig(*solved.config);
  CHECK(config.find("\"params\": 20000") != std::string::npos);
  WriteNewFile(budgeted.folder / "again.json", config);
  const Experiment again =
      ReadExperiment({budgeted.folder / "again.json", {}}, budgeted.mixers, budgeted.tasks);
  CHECK(WriteConfig(*again.config) == config);
  const Experiment plain = budgeted.Read({fmt::format("model.d_model={}", width)});
  CHECK_FALSE(plain.config->has_budget);
  CHECK(ConfigHash(*plain.config) == ConfigHash(*solved.config));
  CHECK(budgeted.Read({}).config->model.d_model == 64);
}

TEST_CASE("a budget and another width, two budgets or none are faults") {
  const Budgeted budgeted;
  const std::string both = budgeted.Refusal({"budget.params=20000", "model.d_model=5"});
  CHECK(both.find("model.d_model is 5, but budget.params = 20,000 asks for ") == 0);
  budgeted.Read({"budget.params=20000", "model.d_model=5", "model.d_model=null"});
  budgeted.Read({"budget.params=20000", "model.d_model=5", "budget=none"});
  CHECK(budgeted.Refusal({"budget.params=20000", "budget.flops=1e9"}).find("asks for two of") !=
        std::string::npos);
  CHECK(budgeted.Refusal({"budget={}"}).find("asks for none of") != std::string::npos);
  CHECK(budgeted.Refusal({"budget.params=9e15"}).find("d_model 65536 takes ") != std::string::npos);
  CHECK(budgeted.Refusal({"budget.params=10"}).find("d_model 1 takes ") != std::string::npos);
}

}  // namespace
}  // namespace ssm
