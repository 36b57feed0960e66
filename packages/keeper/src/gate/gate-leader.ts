import { closeSync, openSync, readSync } from "node:fs";
import { passForwards, passProxy } from "./listen-inside.ts";

/**
 * The first program in a sandbox with a gate: `node gate-leader.ts <ports> <file> <program> [arguments]`. It listens on the
 * loopback inside, passes the listening sockets to the keeper outside, and becomes the agent. It imports little, because the
 * launch waits for it.
 */

/** What the keeper sends when it has the sockets: variables that the agent has and this program does not. */
interface StartMessage {
  readonly env: Readonly<Record<string, string>>;
}

const [portList = "", file = "", program = "", ...args] = process.argv.slice(2);

/** Node ignores these signals, and a program that replaces it would too. One with a handler gets the default instead. */
for (const signal of ["SIGPIPE", "SIGXFSZ"] as const) process.on(signal, () => {});

// The keeper has ended.
process.on("disconnect", () => process.exit());
process.on("message", ({ env }: StartMessage) => becomeAgent(env));

await passForwards(portList.split(",").flatMap((text) => (text === "" ? [] : [Number(text)])));
// Last, so that its port is none of those above.
await passProxy();

/** Replaces this program. The channel to the keeper closes with it. */
function becomeAgent(env: Readonly<Record<string, string>>): void {
  // As execvp does: a script without an interpreter is one for the shell.
  const command = isScriptWithoutInterpreter(file) ? ["/bin/sh", "sh", file, ...args] : [file, program, ...args];
  // Bubblewrap has changed the environment, too.
  const { NODE_CHANNEL_FD: _, NODE_CHANNEL_SERIALIZATION_MODE: __, ...own } = process.env;
  process.execve?.(command[0] ?? file, command.slice(1), { ...own, ...env });
}

function isScriptWithoutInterpreter(path: string): boolean {
  const start = Buffer.alloc(4);
  try {
    const descriptor = openSync(path, "r");
    readSync(descriptor, start);
    closeSync(descriptor);
  } catch {
    return false; // a program that can be executed and not read
  }
  return start.toString("latin1") !== "\x7fELF" && start.toString("latin1", 0, 2) !== "#!";
}
