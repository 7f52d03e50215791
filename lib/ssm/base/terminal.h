// What the other end of a descriptor is.
#pragma once

namespace ssm {

bool IsTerminal(int descriptor);
/// A terminal, NO_COLOR empty or unset, TERM set and not "dumb".
bool WantsColor(int descriptor);
/// Columns; 80 when it is no terminal or does not say.
int TerminalWidth(int descriptor);

}  // namespace ssm
