#include "ssm/cli/help.h"

#include <algorithm>

#include "ssm/base/text.h"

namespace ssm {
namespace {

constexpr size_t kWidth = 80;
constexpr size_t kWidestName = 26;

std::string RenderSection(const HelpSection& section) {
  size_t widest = 0;
  for (const HelpEntry& entry : section.entries) {
    if (entry.name.size() <= kWidestName) widest = std::max(widest, entry.name.size());
  }
  const size_t column = widest + 4;
  std::string text = "\n" + section.title + ":\n";
  for (const HelpEntry& entry : section.entries) {
    std::string line = "  " + entry.name;
    if (line.size() + 2 > column) {
      text += line + "\n";
      line.clear();
    }
    line.append(column - line.size(), ' ');
    text += line + WrapText(entry.text, kWidth - column, column) + "\n";
  }
  return text;
}

}  // namespace

std::string WrapText(const std::string& text, size_t width, size_t indent) {
  std::string wrapped;
  size_t used = 0;
  for (const std::string& word : SplitText(text, ' ')) {
    if (used > 0 && used + 1 + word.size() > width) {
      wrapped += "\n" + std::string(indent, ' ');
      used = 0;
    } else if (used > 0) {
      wrapped += ' ';
      ++used;
    }
    wrapped += word;
    used += word.size();
  }
  return wrapped;
}

std::string RenderHelp(const HelpPage& page) {
  std::string text = WrapText(page.summary, kWidth, 0) + "\n";
  if (!page.usage.empty()) text += "\nusage: " + WrapText(page.usage, kWidth - 7, 9) + "\n";
  for (const HelpSection& section : page.sections) {
    if (!section.entries.empty()) text += RenderSection(section);
  }
  if (!page.examples.empty()) {
    text += page.examples.size() == 1 ? "\nexample:\n" : "\nexamples:\n";
    for (const std::string& example : page.examples) text += "  " + example + "\n";
  }
  return text;
}

HelpPage ExitCodePage() {
  return {"What ssmctl ends with.",
          "",
          {{"exit codes",
            {{"0", "done"},
             {"1", "ran, but a check failed: a law, a gate, a cell"},
             {"10", "training met NaN or infinity; the last good checkpoint is kept"},
             {"64", "wrong flags or subcommand"},
             {"65", "a file that exists is wrong: damaged, not of its format"},
             {"66", "a file that does not exist"},
             {"69", "this machine lacks something the build needs"},
             {"70", "a fault of this program; please report it"},
             {"71", "refused before the start: memory, disk, a run in use"},
             {"73", "an output cannot be created"},
             {"74", "reading or writing failed: a full disk, a device error"},
             {"75",
              "stopped by SIGTERM, SIGUSR1 or --max-minutes after saving; run again to "
              "continue"},
             {"78", "wrong config"}}}},
          {}};
}

}  // namespace ssm
