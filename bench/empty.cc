// The floor under every program's start: this one does nothing.
int main() {
  return 0;
}
