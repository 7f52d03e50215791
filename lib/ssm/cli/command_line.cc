#include "ssm/cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>

#include "ssm/base/build_info.h"
#include "ssm/base/log.h"
#include "ssm/base/text.h"
#include "ssm/cli/command_flags.h"
#include "ssm/cli/commands.h"
#include "ssm/cli/completion.h"
#include "ssm/cli/flag_checks.h"
#include "ssm/cli/help.h"
#include "ssm/cli/sweep_range.h"

namespace ssm {
namespace {

/// The whole command line: subcommands, their flags, and what each runs.
class CommandLine {
 public:
  CommandLine(const Catalogue& catalogue, Output& output, int argc, char** argv)
      : context_{.catalogue = &catalogue, .output = &output, .arguments = {argv, argv + argc}},
        app_("ssmctl: what does a sequence model remember, for how long, at what cost in state?",
             "ssmctl") {
    app_.set_help_flag();
    AddTrain();
    AddEval();
    AddApply();
    AddImport();
    AddExport();
    AddCheck();
    AddInspect();
    AddTable();
    AddCompare();
    AddIdentify();
    AddReproduce();
    AddTask();
    AddList();
    AddDescribe();
    AddCompletion();
  }

  ExitCode Run() {
    const std::vector<std::string>& words = context_.arguments;
    if (words.size() < 2) {
      throw UsageError("no command", TopHelp());
    }
    const std::string& first = words[1];
    if (first == "--version") {
      context_.output->Write(DescribeBuild());
      return ExitCode::kDone;
    }
    if (first == "--help" || first == "-h" || first == "help") return Help();
    if (Find(first) == nullptr) UnknownCommand(first);
    return Parse();
  }

 private:
  using Runner = std::function<ExitCode()>;

  CLI::App& Add(const std::string& name, const std::string& summary, const std::string& usage,
                const std::vector<std::string>& examples, Runner run) {
    CLI::App& command = *app_.add_subcommand(name, summary);
    command.set_help_flag("-h,--help", "show this and exit");
    command.add_flag("-q,--quiet", context_.quiet, "warnings and errors only on stderr");
    commands_.push_back({name, usage, examples, std::move(run)});
    return command;
  }

  void AddThreads(CLI::App& command) {
    command
        .add_option("--threads", context_.threads,
                    "threads; default SSMCTL_THREADS, SLURM_CPUS_PER_TASK, then the CPUs this "
                    "process may use; results do not depend on it")
        ->type_name("N")
        ->check(WholeNumberIn(1, 1024));
  }

  void AddTrain() {
    CLI::App& c = Add("train", "train a model on a task, as one JSON file says",
                      "ssmctl train CONFIG [KEY=VALUE...] [options]",
                      {"ssmctl train configs/quickstart/evidence_track.json train.steps=500",
                       "ssmctl train --resume --out runs/track train.steps=4000"},
                      [this] { return RunTrain(train_, context_); });
    AddFlags(c, train_);
    AddThreads(c);
  }

  void AddEval() {
    CLI::App& c =
        Add("eval", "score a trained run on fresh sequences, beside ceiling, heuristics and chance",
            "ssmctl eval RUN [KEY=VALUE...] [options]",
            {"ssmctl eval runs/track 'eval.lengths=[512,4096]' eval.mode=step",
             "ssmctl eval runs/decide eval.split=probe eval.examples=20000 --plot plots"},
            [this] { return RunEval(eval_, context_); });
    AddFlags(c, eval_);
    AddThreads(c);
  }

  void AddApply() {
    CLI::App& c =
        Add("apply", "run a trained or imported model over an array of your own",
            "ssmctl apply RUN --input X.npy --output Y.npy [options]",
            {"ssmctl apply runs/track --input x.npy --output y.npy",
             "ssmctl apply runs/track --input x.npy --output y.npy --state-out s.safetensors"},
            [this] { return RunApply(apply_, context_); });
    AddFlags(c, apply_);
  }

  void AddImport() {
    CLI::App& c =
        Add("import", "make a run of a published model",
            "ssmctl import mamba|rwkv4 FILE.safetensors [CONFIG.json] --out RUN [options]",
            {"ssmctl import mamba model.safetensors config.json --out runs/mamba"},
            [this] { return RunImport(import_, context_); });
    AddFlags(c, import_);
  }

  void AddExport() {
    CLI::App& c = Add("export", "write a run's parameters under published names",
                      "ssmctl export RUN --out FILE.safetensors [options]",
                      {"ssmctl export runs/mamba --out model.safetensors --config config.json"},
                      [this] { return RunExport(export_, context_); });
    AddFlags(c, export_);
  }

  void AddCheck() {
    CLI::App& c = Add("check", "ask every law of an experiment's mixers, model, operations, task",
                      "ssmctl check CONFIG [KEY=VALUE...] [options]",
                      {"ssmctl check configs/quickstart/evidence_track.json",
                       "ssmctl check my.json --law split --seed 17 --T 33"},
                      [this] { return RunCheck(check_, context_); });
    AddFlags(c, check_);
  }

  void AddInspect() {
    CLI::App& c = Add("inspect", "what linear systems and layers keep, before and after training",
                      "ssmctl inspect RUN|CONFIG|SYSTEM [KEY=VALUE...] [options]",
                      {"ssmctl inspect runs/track", "ssmctl inspect runs/track my.json --cost",
                       "ssmctl inspect my.json model.block.mixer.init=inv",
                       "ssmctl inspect configs/systems/oscillator.json --dt 0.1"},
                      [this] { return RunInspect(inspect_, context_); });
    AddFlags(c, inspect_);
  }

  void AddTable() {
    CLI::App& c =
        Add("table", "one table over the results of runs", "ssmctl table RUN... [options]",
            {"ssmctl table runs/*", "ssmctl table runs/relocate_* --by \"hidden moves\""},
            [this] { return RunTable(table_, context_); });
    AddFlags(c, table_);
  }

  void AddCompare() {
    CLI::App& c =
        Add("compare", "set arms of several seeds against each other",
            "ssmctl compare RUNS... [options]",
            {"ssmctl compare runs/sweep", "ssmctl compare runs/s4d runs/gru --success 0.99"},
            [this] { return RunCompare(compare_, context_); });
    AddFlags(c, compare_);
  }

  void AddIdentify() {
    CLI::App& c = Add("identify", "find a linear system in a record of inputs and outputs",
                      "ssmctl identify DATA --input COLUMNS --output COLUMNS [options]",
                      {"ssmctl identify data/buck_converter/buck_id.csv --input 1 --output y",
                       "ssmctl identify my.csv --input u1,u2 --output y --out my_system.json"},
                      [this] { return RunIdentify(identify_, context_); });
    AddFlags(c, identify_);
  }

  void AddReproduce() {
    CLI::App& c = Add("reproduce", "compute a published result again, against its gates",
                      "ssmctl reproduce ID [KEY=VALUE...] [options]",
                      {"ssmctl reproduce P2", "ssmctl reproduce P7 --quick"},
                      [this] { return RunReproduce(reproduce_, context_); });
    AddFlags(c, reproduce_);
    AddThreads(c);
  }

  void AddTask() {
    CLI::App& c = Add("task", "describe a task, measure its references, write its sequences",
                      "ssmctl task FILE [KEY=VALUE...] [options]",
                      {"ssmctl task configs/quickstart/evidence_track.json task.tau=100",
                       "ssmctl task my_task.json --out sequences --examples 1000 --split train"},
                      [this] { return RunTask(task_, context_); });
    AddFlags(c, task_);
    AddThreads(c);
  }

  void AddList() {
    CLI::App& c = Add("list", "name what there is", "ssmctl list [mixers|tasks|all] [options]",
                      {"ssmctl list mixers"}, [this] { return RunList(list_, context_); });
    AddFlags(c, list_);
  }

  void AddDescribe() {
    CLI::App& c = Add("describe", "every field of a type: default, range, meaning",
                      "ssmctl describe TYPE [options]",
                      {"ssmctl describe s4d", "ssmctl describe experiment --schema",
                       "ssmctl describe configs/results/P2.json"},
                      [this] { return RunDescribe(describe_, context_); });
    AddFlags(c, describe_);
  }

  void AddCompletion() {
    CLI::App& c = Add("completion", "print a script that completes what is typed in a shell",
                      "ssmctl completion bash|zsh|fish",
                      {"source <(ssmctl completion bash)",
                       "ssmctl completion fish > ~/.config/fish/completions/ssmctl.fish"},
                      [this] { return PrintCompletion(); });
    AddCompletionFlags(c, shell_);
  }

  ExitCode PrintCompletion() const {
    std::vector<CompletionCommand> all;
    for (const Entry& entry : commands_) {
      const CLI::App& command = *app_.get_subcommand(entry.name);
      CompletionCommand& one = all.emplace_back();
      one.name = entry.name;
      one.help = command.get_description();
      one.words = WordsOf(entry.name);
      for (const CLI::Option* option : command.get_options()) {
        if (option->get_positional() || option->get_group().empty()) continue;
        for (const std::string& name : option->get_lnames()) {
          const std::vector<std::string>& shorts = option->get_snames();
          one.flags.push_back({"--" + name, shorts.empty() ? "" : "-" + shorts.front(),
                               option->get_description(), option->get_expected_max() > 0});
        }
      }
    }
    all.push_back({"help", "show what there is", {}, CommandNames()});
    all.back().words.push_back("exit-codes");
    context_.output->Write(CompletionScript(shell_, all));
    return ExitCode::kDone;
  }

  /// What the argument of a command may be, where that is a word.
  std::vector<std::string> WordsOf(const std::string& command) const {
    if (command == "completion") return CompletionShells();
    if (command == "list") return {"mixers", "tasks", "all"};
    if (command == "import") return FamilyNames();
    if (command == "describe") return DescribedNames(*context_.catalogue);
    return {};
  }

  std::vector<std::string> CommandNames() const {
    std::vector<std::string> names;
    for (const Entry& entry : commands_) names.push_back(entry.name);
    return names;
  }

  struct Entry {
    std::string name, usage;
    std::vector<std::string> examples;
    Runner run;
  };

  const Entry* Find(const std::string& name) const {
    for (const Entry& entry : commands_) {
      if (entry.name == name) return &entry;
    }
    return nullptr;
  }

  [[noreturn]] void UnknownCommand(const std::string& name) const {
    const std::string kind = name.starts_with("-") ? "flag" : "command";
    std::vector<std::string> names = CommandNames();
    if (kind == "flag") names = {"--help", "--version"};
    throw UsageError(fmt::format("unknown {} {}{}", kind, Quote(name), DidYouMean(name, names)),
                     "run \"ssmctl --help\" for what there is");
  }

  /// Names and texts of a command's flags (or of its arguments).
  static std::vector<HelpEntry> EntriesOf(const CLI::App& command, bool positional) {
    std::vector<HelpEntry> entries;
    for (const CLI::Option* option : command.get_options()) {
      if (option->get_positional() != positional || option->get_group().empty()) continue;
      std::string name = option->get_name(false, !positional);
      if (const size_t comma = name.find(','); comma != std::string::npos) {
        name.insert(comma + 1, " ");
      }
      if (!positional && option->get_expected_max() > 0) {
        const std::string type = option->get_type_name();  // with what its check allows
        name += " " + type.substr(0, type.find_first_of(": "));
      }
      entries.push_back({name, option->get_description()});
    }
    return entries;
  }

  std::string TopHelp() const {
    HelpPage page{app_.get_description(), "ssmctl COMMAND [options]", {{"commands", {}}}, {}};
    for (const Entry& entry : commands_) {
      page.sections[0].entries.push_back(
          {entry.name, app_.get_subcommand(entry.name)->get_description()});
    }
    page.sections.push_back({"more",
                             {{"COMMAND --help", "its options, with an example"},
                              {"help exit-codes", "what ssmctl ends with"},
                              {"--version", "what this program was built from"}}});
    page.examples = {"ssmctl train configs/quickstart/evidence_track.json --out runs/track",
                     "ssmctl eval runs/track", "ssmctl table runs/track"};
    return RenderHelp(page);
  }

  std::string CommandHelp(const Entry& entry) const {
    const CLI::App& command = *app_.get_subcommand(entry.name);
    return RenderHelp(
        {"ssmctl " + entry.name + ": " + command.get_description(),
         entry.usage,
         {{"arguments", EntriesOf(command, true)}, {"options", EntriesOf(command, false)}},
         entry.examples});
  }

  ExitCode Help() const {
    const std::string topic = context_.arguments.size() > 2 ? context_.arguments[2] : "";
    if (topic.empty() || topic == "--help" || topic == "-h") {
      context_.output->Write(TopHelp());
    } else if (topic == "exit-codes") {
      context_.output->Write(RenderHelp(ExitCodePage()));
    } else if (const Entry* entry = Find(topic)) {
      context_.output->Write(CommandHelp(*entry));
    } else {
      UnknownCommand(topic);
    }
    return ExitCode::kDone;
  }

  ExitCode Parse() {
    const Entry& entry = *Find(context_.arguments[1]);
    CLI::App& command = *app_.get_subcommand(entry.name);
    std::vector<std::string> words(context_.arguments.rbegin(), context_.arguments.rend() - 1);
    try {
      app_.parse(words);
    } catch (const CLI::CallForHelp&) {
      context_.output->Write(CommandHelp(entry));
      return ExitCode::kDone;
    } catch (const CLI::ParseError& error) {
      throw UsageError(Explain(error, command),
                       fmt::format("run \"ssmctl {} --help\" for its options", entry.name));
    }
    if (context_.quiet) SetLogLevel(LogLevel::kWarning);
    return entry.run();
  }

  /// The parser's complaint as one sentence.
  std::string Explain(const CLI::ParseError& error, const CLI::App& command) const {
    const std::string what = error.what();
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
      return what.substr(0, what.find(':')) + " needs a value";
    }
    const std::vector<std::string> rest = app_.remaining(/*recurse=*/true);
    if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr || rest.empty()) return what;
    const std::string word = rest.front().substr(0, rest.front().find('='));
    if (!word.starts_with("-")) {
      return fmt::format("{} takes no argument {}", command.get_name(), Quote(word));
    }
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& name : option->get_lnames()) {
        if (!option->get_group().empty()) names.push_back("--" + name);
      }
    }
    return fmt::format("{} has no flag {}{}", command.get_name(), Quote(word),
                       DidYouMean(word, names));
  }

  CommandContext context_;
  CLI::App app_;
  std::vector<Entry> commands_;
  TrainCommand train_;
  EvalCommand eval_;
  ApplyCommand apply_;
  ImportCommand import_;
  ExportCommand export_;
  CheckCommand check_;
  InspectCommand inspect_;
  IdentifyCommand identify_;
  ReproduceCommand reproduce_;
  TableCommand table_;
  CompareCommand compare_;
  TaskCommand task_;
  ListCommand list_;
  DescribeCommand describe_;
  std::string shell_;
};

}  // namespace

ExitCode RunCommandLine(const Catalogue& catalogue, Output& output, int argc, char** argv) {
  return CommandLine(catalogue, output, argc, argv).Run();
}

}  // namespace ssm
