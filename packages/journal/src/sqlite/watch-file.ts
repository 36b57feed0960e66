import { watch } from "node:fs";

const pollIntervalMs = 250;

/**
 * Calls `onChange` whenever another process may have appended, until it is disposed. It combines file notifications and
 * polling, because neither is sufficient. Notifications arrive at once and cost nothing while the file is idle. But some
 * file systems send none, the system can run out of watches, and a writer can be killed between its commit and its
 * notification (see `touch`). Polling four times a second finds the changes that notifications miss.
 */
export function watchFile(file: string, onChange: () => void): Disposable {
  const stack = new DisposableStack();
  const timer = setInterval(onChange, pollIntervalMs);
  stack.defer(() => clearInterval(timer));
  try {
    const watcher = watch(file, onChange);
    watcher.on("error", () => watcher.close());
    stack.defer(() => watcher.close());
  } catch {
    // No notifications here: polling finds all changes.
  }
  return stack;
}
