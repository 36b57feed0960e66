import { watch } from "node:fs";

const safetyNet = 250;

/**
 * Calls `look` whenever another process may have appended, until it is disposed of. Two ways, since each alone falls
 * short: the file's own notices come at once and cost nothing while all is quiet, but some file systems send none,
 * the system can run out of them, and a writer can die after its commit and before it has given one (see `touch`).
 * A look four times a second finds whatever the notices have missed.
 */
export function lookOut(file: string, look: () => void): Disposable {
  const stack = new DisposableStack();
  const timer = setInterval(look, safetyNet);
  stack.defer(() => clearInterval(timer));
  try {
    const watcher = watch(file, look);
    watcher.on("error", () => watcher.close());
    stack.defer(() => watcher.close());
  } catch {
    // No notices here: the safety net does it alone.
  }
  return stack;
}
