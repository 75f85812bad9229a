// SPDX-License-Identifier: Apache-2.0
// The floor under every program's start: this one does nothing.
int main() {
  return 0;
}
