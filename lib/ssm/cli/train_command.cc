#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "ssm/base/files.h"
#include "ssm/base/text.h"
#include "ssm/base/workers.h"
#include "ssm/cli/cell_text.h"
#include "ssm/cli/commands.h"
#include "ssm/cli/words.h"
#include "ssm/config/config_file.h"
#include "ssm/experiment/plan.h"
#include "ssm/experiment/preflight.h"
#include "ssm/experiment/resources.h"
#include "ssm/experiment/run_ending.h"
#include "ssm/experiment/run_experiment.h"
#include "ssm/experiment/unseen_time.h"

namespace ssm {
namespace {

using Json = nlohmann::ordered_json;

std::string PlanJson(ExperimentConfig& config, const TrainPlan& plan) {
  const Json json = {
      {"schema", "ssmctl.plan/1"},
      {"d_model", config.model.d_model},
      {"budget", config.has_budget ? Json::parse(WriteConfig(config.budget)) : Json("none")},
      {"params", plan.params},
      {"state_bytes", plan.state_bytes},
      {"flops", plan.flops},
      {"flops_per_step", plan.flops_per_step},
      {"product_flops", plan.product_flops},
      {"peak_bytes", plan.peak_bytes},
      {"checkpoint_bytes", plan.checkpoint_bytes},
      {"disk_bytes", plan.disk_bytes},
      {"seconds", plan.seconds},
      {"seconds_basis", plan.seconds_basis}};
  return json.dump(2) + "\n";
}

std::string PlanText(const ExperimentConfig& config, const TrainPlan& plan) {
  const std::vector<TableColumn> columns = {
      {"", Align::kLeft}, {"", Align::kRight}, {"", Align::kLeft}};
  std::vector<std::vector<std::string>> rows = {
      {"parameters", FormatCount(plan.params), "numbers trained"},
      {"state", FormatBytes(plan.state_bytes), "live, of one stream after a training sequence"},
      {"arithmetic", FlopsText(plan.flops),
       fmt::format("FLOPs, the whole run; at least {:.0f} % in matrix products",
                   std::floor(100 * plan.product_flops / plan.flops))},
      {"memory", FormatBytes(plan.peak_bytes), "at its peak"},
      {"disk", FormatBytes(plan.disk_bytes), "checkpoints that are kept, and one being written"},
      {"time", FormatDuration(plan.seconds), plan.seconds_basis}};
  if (config.has_budget) {
    rows.insert(rows.begin(), {"width", FormatCount(config.model.d_model),
                               "model.d_model, solved from " + config.budget.Words()});
  }
  std::string text = FormatTable(columns, rows);
  return text.substr(text.find('\n') + 1);  // no header line
}

/// The section "eval", which the hash leaves out, as overrides of it.
std::vector<std::string> EvalWords(ExperimentConfig& config) {
  const Json section = Json::parse(WriteConfig(config.eval));
  std::vector<std::string> words;
  for (const auto& [key, value] : section.items()) {
    words.push_back("eval." + key + "=" +
                    (value.is_string() ? value.get<std::string>() : value.dump()));
  }
  return words;
}

std::string HashJson(ExperimentConfig& config) {
  const Json json = {{"schema", "ssmctl.hash/1"},
                     {"config_hash", ConfigHash(config)},
                     {"eval", EvalWords(config)}};
  return json.dump(2) + "\n";
}

int64_t MaxMemory(const TrainCommand& command) {
  return command.max_memory.empty() ? 0 : ParseBytes(command.max_memory).value();
}

/// --dry-run and --hash: everything that would be refused is, and nothing is written.
ExitCode DryRun(const TrainCommand& command, const CommandContext& context) {
  const Catalogue& catalogue = *context.catalogue;
  const ConfigSource source = SourceOf(command.words);
  if (source.file.empty()) {
    throw Error(ExitCode::kUsage,
                fmt::format("train {} needs a config; see \"ssmctl train --help\"",
                            command.hash ? "--hash" : "--dry-run"));
  }
  const Experiment experiment = ReadExperiment(source, catalogue.mixers, catalogue.tasks);
  const int threads = context.threads > 0 ? context.threads : DefaultThreads();
  const int64_t max_memory = MaxMemory(command);
  TrainPlan plan = CountTraining(*experiment.config, threads, max_memory);
  RequireTrainable(*experiment.config);
  WarnOfUnseenTime(*experiment.config);
  if (command.hash) {
    ExperimentConfig& config = *experiment.config;
    context.output->Write(command.json ? HashJson(config) : ConfigHash(config) + "\n");
  } else {
    TimeTraining(*experiment.config, threads, plan, max_memory);
    ExperimentConfig& config = *experiment.config;
    context.output->Write(command.json ? PlanJson(config, plan) : PlanText(config, plan));
  }
  RefuseWhatDoesNotFit(plan, command.out.empty() ? command.root : command.out, max_memory);
  return ExitCode::kDone;
}

std::string OutcomeJson(const TrainOutcome& outcome) {
  Json json = {{"schema", "ssmctl.train/1"},
               {"run", outcome.run},
               {"step", outcome.step},
               {"metric", outcome.metric},
               {"best_step", nullptr},
               {"best_value", nullptr},
               {"early_stopped", outcome.early_stopped},
               {"code", static_cast<int>(outcome.code)},
               {"message", outcome.message}};
  if (outcome.best_step > 0) {
    json["best_step"] = outcome.best_step;
    json["best_value"] = outcome.best_value;
  }
  // A path need not be UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string OutcomeText(const TrainOutcome& outcome) {
  std::string text = fmt::format("run    {}\nsteps  {}{}\n", outcome.run, outcome.step,
                                 outcome.early_stopped ? " (stopped early)" : "");
  if (outcome.best_step > 0) {
    text += fmt::format("best   {} {} on validation, at step {}\n", outcome.metric,
                        FormatDigits(outcome.best_value, 4), outcome.best_step);
  }
  if (!outcome.message.empty()) text += fmt::format("note   {}\n", outcome.message);
  switch (outcome.code) {
    case ExitCode::kDone:
      return text + fmt::format("next   ssmctl eval {}\n", PathArgument(outcome.run));
    case ExitCode::kStopped:
      return text + fmt::format("next   {}\n", ResumeCommand(outcome.run));
    default:
      return text;
  }
}

}  // namespace

ExitCode RunTrain(const TrainCommand& command, const CommandContext& context) {
  if (command.dry_run || command.hash) return DryRun(command, context);
  TrainRequest request;
  request.source = SourceOf(command.words);
  request.root = command.root;
  request.out = command.out;
  request.resume = command.resume;
  request.threads = context.threads;
  request.max_minutes = command.max_minutes;
  request.max_memory = MaxMemory(command);
  request.progress = !context.quiet;
  request.arguments = context.arguments;
  if (command.resume && command.out.empty() && IsDirectory(request.source.file)) {
    request.out = std::exchange(request.source.file, "");  // "train RUN --resume"
  }
  if (command.resume && request.out.empty()) {
    throw Error(ExitCode::kUsage, "train --resume needs to know which run: name it by --out RUN");
  }
  if (request.source.file.empty() && !command.resume) {
    throw Error(ExitCode::kUsage, "train needs a config; see \"ssmctl train --help\"");
  }
  const TrainOutcome outcome =
      TrainExperiment(request, context.catalogue->mixers, context.catalogue->tasks);
  context.output->Write(command.json ? OutcomeJson(outcome) : OutcomeText(outcome));
  return outcome.code;
}

}  // namespace ssm
