#include "ssm/cli/run_cli.h"

int main(int argc, char** argv) { return ssm::RunCli(argc, argv); }
