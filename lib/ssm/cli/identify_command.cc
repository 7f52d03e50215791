#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/base/text.h"
#include "ssm/cli/commands.h"
#include "ssm/io/csv.h"
#include "ssm/systems/control_form.h"
#include "ssm/systems/identification.h"
#include "ssm/systems/system_file.h"

namespace ssm {
namespace {

/// The columns "u1,u2" of a table, side by side; `found` gets their names.
Matrix ColumnsOf(const Table& table, const std::string& path, const std::string& flag,
                 const std::string& names, std::vector<std::string>& found) {
  std::vector<int64_t> columns;
  for (const std::string& name : SplitText(names, ',')) {
    const std::optional<int64_t> column = table.Column(name);
    if (!column) {
      throw Error(ExitCode::kBadData,
                  fmt::format("{}: it has no column {} ({}); it has {}, also by number from 0",
                              QuotePath(path), Quote(name), flag, Join(table.columns, ", ")));
    }
    columns.push_back(*column);
    found.push_back(table.columns[static_cast<size_t>(*column)]);
  }
  Matrix matrix(table.rows(), std::ssize(columns));
  const int64_t width = table.values.shape()[1];
  for (int64_t i = 0; i < matrix.rows; ++i) {
    for (int64_t j = 0; j < matrix.cols; ++j) {
      matrix(i, j) = table.values[i * width + columns[static_cast<size_t>(j)]];
    }
  }
  return matrix;
}

struct ColumnNames {
  std::vector<std::string> inputs, outputs;
};

InputOutputRecord ReadRecord(const std::string& path, const IdentifyCommand& command,
                             ColumnNames& names) {
  const Table table = ReadTable(path);
  names = {};
  InputOutputRecord record{ColumnsOf(table, path, "--input", command.input, names.inputs),
                           ColumnsOf(table, path, "--output", command.output, names.outputs)};
  const std::vector<std::string> faults = FaultsOf(record);
  if (faults.empty()) return record;
  std::vector<std::string> lines;
  for (const std::string& fault : faults) lines.push_back(QuotePath(path) + ": " + fault);
  throw Error(ExitCode::kBadData, Join(lines, "\n"));
}

struct Records {
  InputOutputRecord used, held;
  std::string held_name;  // empty: nothing is held out
  ColumnNames names;
};

Records ReadRecords(const IdentifyCommand& command) {
  Records records;
  records.used = ReadRecord(command.data, command, records.names);
  if (!command.validate.empty()) {
    ColumnNames names;
    records.held = ReadRecord(command.validate, command, names);
    records.held_name = command.validate;
    return records;
  }
  const int64_t n = records.used.samples();
  const int64_t kept = n - std::llround(command.hold_out * static_cast<double>(n));
  if (kept == n) return records;
  auto [first, rest] = SplitRecord(records.used, kept);
  records.used = std::move(first);
  records.held = std::move(rest);
  records.held_name = fmt::format("last {} samples", FormatCount(n - kept));
  return records;
}

IdentificationOptions OptionsOf(const IdentifyCommand& command) {
  IdentificationOptions options;
  options.method = IdentificationMethodOf(command.method).value();
  options.order = command.order == "auto" ? 0 : ParseInteger(command.order).value();
  options.offsets = command.offsets == "none" ? Offsets::kNone : Offsets::kMean;
  options.refinement.estimate_offset = options.offsets == Offsets::kMean;
  return options;
}

std::vector<NamedFit> FitsOf(const Identification& found, const Records& records, int64_t horizon) {
  std::vector<NamedFit> fits;
  const auto add = [&](const std::string& name, const InputOutputRecord& record) {
    for (const int64_t h : {int64_t{0}, int64_t{1}, horizon}) {
      if (h == 1 && horizon == 1) continue;
      fits.push_back({name, h, FitOf(found.model, record, {.horizon = h})});
    }
  };
  add("identification", records.used);
  if (!records.held_name.empty()) add("held out", records.held);
  return fits;
}

std::string PolesText(const std::vector<std::complex<double>>& poles, bool color) {
  const std::vector<TableColumn> columns = {{"pole", Align::kLeft},
                                            {"|pole|", Align::kRight},
                                            {"half-life, samples", Align::kRight},
                                            {"period, samples", Align::kRight}};
  std::vector<std::vector<std::string>> rows;
  for (const std::complex<double>& pole : poles) {
    if (pole.imag() < 0) continue;
    const double radius = std::abs(pole), angle = std::arg(pole);
    const std::string value =
        pole.imag() == 0
            ? FormatDigits(pole.real(), 5)
            : fmt::format("{} +- {}i", FormatDigits(pole.real(), 5), FormatDigits(pole.imag(), 5));
    rows.push_back(
        {value, FormatDigits(radius, 5),
         radius > 0 && radius < 1 ? FormatDigits(-std::numbers::ln2 / std::log(radius), 4) : "-",
         angle > 0 ? FormatDigits(2 * std::numbers::pi / angle, 4) : "-"});
  }
  return FormatTable(columns, rows, {.bold_header = color, .indent = ""});
}

/// Fits worse than this say nothing by their digits.
constexpr double kLeastFit = -1000;

/// What a reader of the figures should not miss.
std::string WarningsText(const Identification& found, const std::vector<NamedFit>& fits) {
  std::string text;
  const auto add = [&text](const std::string& what) { text += "note  " + what + "\n"; };
  if (!found.stable) {
    add("the model is not stable: its simulation grows, whatever its predictions are worth");
  }
  const std::vector<double>& simulated = fits.front().fit.percent;
  if (std::all_of(simulated.begin(), simulated.end(), [](double fit) { return !(fit > 0); })) {
    add("simulated from the inputs the model is no better than the outputs' mean, on the very "
        "record it\n      was found in: nothing was found that outputs owe to inputs");
  }
  return text.empty() ? text : "\n" + text;
}

std::string FitsText(const std::vector<NamedFit>& fits, bool color) {
  std::vector<TableColumn> columns = {
      {"fit on", Align::kLeft}, {"by", Align::kLeft}, {"scored from", Align::kRight}};
  const size_t outputs = fits.front().fit.percent.size();
  for (size_t i = 0; i < outputs; ++i) {
    columns.push_back({outputs == 1 ? "fit" : fmt::format("fit of output {}", i), Align::kRight});
  }
  std::vector<std::vector<std::string>> rows;
  for (const NamedFit& named : fits) {
    std::vector<std::string>& row = rows.emplace_back();
    row = {named.record,
           named.horizon == 0   ? "simulation"
           : named.horizon == 1 ? "1 step ahead"
                                : fmt::format("{} steps ahead", named.horizon),
           FormatCount(named.fit.warm_up)};
    for (const double percent : named.fit.percent) {
      row.push_back(percent < kLeastFit ? fmt::format("below {:.0f} %", kLeastFit)
                                        : fmt::format("{:.2f} %", percent));
    }
  }
  return FormatTable(columns, rows, {.bold_header = color, .indent = ""});
}

std::string ToText(const Identification& found, const std::vector<NamedFit>& fits,
                   const Records& records, const std::string& order, bool color) {
  std::vector<std::string> values;
  constexpr size_t kShown = 10;
  for (size_t i = 0; i < std::min(kShown, found.singular_values.size()); ++i) {
    values.push_back(FormatDigits(found.singular_values[i] / found.singular_values[0], 3));
  }
  std::string text = fmt::format(
      "method           {}\nsamples          {}{}\norder            {}{}\n"
      "singular values  {} (of the largest)\nexcitation       the input is exciting of order {}\n"
      "stable           {}\n",
      NameOf(found.method), FormatCount(found.samples),
      records.held_name.empty() ? "" : "; held out: " + records.held_name, found.order,
      order == "auto" ? ", at the largest gap between singular values" : "", Join(values, "  "),
      found.excitation.order, found.stable ? "yes" : "no");
  if (found.refinement) {
    text += fmt::format("refinement       {} steps from {}{}\n", found.refinement->steps,
                        NameOf(found.start.value()),
                        found.refinement->converged ? "" : ", not converged");
  }
  return text + "\n" + PolesText(found.poles, color) + "\n" + FitsText(fits, color) +
         "\nfit: 100 (1 - |error| / |y - its mean|) percent; 100 is exact, 0 is the mean. The "
         "samples before\n\"scored from\" set the state.\n" +
         WarningsText(found, fits);
}

/// In the time convention of sequence models, about the operating point, which the file tells.
SystemFile FileOf(const Identification& found, const ColumnNames& names,
                  const IdentifyCommand& command) {
  SystemFile file;
  file.name = "identified";
  const auto numbers = [](const std::vector<double>& values) {
    std::vector<std::string> texts;
    for (const double value : values) texts.push_back(FormatNumber(value));
    return Join(texts, ", ");
  };
  file.about =
      fmt::format("Identified by {} from {} of {}. Inputs are measured from {}, outputs from {}.",
                  NameOf(found.method), command.output, BaseName(command.data),
                  numbers(found.model.input_offset), numbers(found.model.output_offset));
  file.input_names = names.inputs;
  file.output_names = names.outputs;
  DiscreteSystem system = FromControl(found.model.system);
  if (const int64_t more = system.states() - found.order; more > 0) {
    file.about += fmt::format(
        " Of its {} states {} hold what a step of the identified system "
        "forgets.",
        system.states(), more);
  }
  file.system = std::move(system);
  file.dt = command.dt;
  return file;
}

}  // namespace

ExitCode RunIdentify(const IdentifyCommand& command, const CommandContext& context) {
  const std::string folder = ParentPath(command.out);
  if (!command.out.empty() && !IsDirectory(folder)) {
    throw Error(ExitCode::kCannotCreate,
                fmt::format("--out {}: there is no folder {}; make it first",
                            PathArgument(command.out), QuotePath(folder)));
  }
  const Records records = ReadRecords(command);
  const Identification found = Identify(records.used, OptionsOf(command));
  const std::vector<NamedFit> fits = FitsOf(found, records, command.horizon);
  if (!command.out.empty()) WriteSystemFile(command.out, FileOf(found, records.names, command));
  Output& output = *context.output;
  output.Write(command.json ? IdentificationJson(found, fits)
                            : ToText(found, fits, records, command.order, output.color()));
  return ExitCode::kDone;
}

}  // namespace ssm
