// Help pages, at most 80 columns wide.
#pragma once

#include <string>
#include <vector>

namespace ssm {

struct HelpEntry {
  std::string name;  // "--threads N"
  std::string text;
};

struct HelpSection {
  std::string title;  // "options"
  std::vector<HelpEntry> entries;
};

struct HelpPage {
  std::string summary;
  std::string usage;
  std::vector<HelpSection> sections;
  std::vector<std::string> examples;
};

/// Entries in two columns, their texts wrapped; every line ended by a newline.
std::string RenderHelp(const HelpPage& page);

/// `text` broken at blanks so that no line is wider than `width`, each after the first indented.
std::string WrapText(const std::string& text, size_t width, size_t indent);

/// What each exit code says.
HelpPage ExitCodePage();

}  // namespace ssm
