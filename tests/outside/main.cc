// ssmctl with one more mixer.
#include "decay.h"
#include "ssm/cli/run_cli.h"

int main(int argc, char** argv) {
  ssm::Catalogue catalogue = ssm::LibraryCatalogue();
  catalogue.mixers.Add<outside::DecayOptions>("decay", "a leaky integrator for each channel");
  return ssm::RunCli(argc, argv, catalogue);
}
