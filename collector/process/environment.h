// Who the process is and which settings it was started with. Only variables
// whose names stand in the list of environment.cc are recorded, because the
// rest may hold secrets. Called once, when the session begins.
#pragma once

namespace inquest::collector {

void EmitProcess();
void EmitEnvironment();

}  // namespace inquest::collector
