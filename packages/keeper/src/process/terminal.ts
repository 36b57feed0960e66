import { closeSync, openSync } from "node:fs";
import { createRequire } from "node:module";
import { ReadStream } from "node:tty";
import type { TerminalSize } from "@fairlead/contract";
import { TerminalInput, type TypingOutcome } from "./terminal-input.ts";

/** The part of the native module that the keeper uses. It opens a pseudo terminal, which Node cannot do. */
interface PtyBinding {
  open(columns: number, rows: number): { readonly master: number; readonly slave: number };
  resize(master: number, columns: number, rows: number): void;
}

interface PtyModule {
  requireBinary(file: string): PtyBinding;
}

/**
 * Runs a program as the leader of a session whose controlling terminal is its stdin, so that the terminal's keys, such
 * as Ctrl-C, reach only that program. Part of every Linux distribution (util-linux).
 */
export const terminalLeaderCommand: readonly string[] = ["setsid", "-c"];

/** A pseudo terminal: a process gets the slave end, the keeper has the master end. */
export class Terminal {
  /** The output of the process. It ends, or fails, when no process has the slave end open. */
  readonly screen: ReadStream;
  readonly #pty: PtyBinding;
  readonly #master: number;
  readonly #slave: number;
  readonly #input: TerminalInput;
  readonly #devNull = openSync("/dev/null", "r+");

  constructor({ columns, rows }: TerminalSize) {
    this.#pty = loadPtyBinding();
    const { master, slave } = this.#pty.open(columns, rows);
    this.#master = master;
    this.#slave = slave;
    this.screen = new ReadStream(master);
    this.#input = new TerminalInput(this.screen, master);
  }

  /**
   * Returns the `stdio` option for a process: the slave end three times, followed by `extraStreams`. The child would
   * inherit the keeper's own descriptors, and a process that has the master end can type. So their numbers are mapped
   * to /dev/null.
   */
  stdio(extraStreams: readonly ("pipe" | "ipc")[]): ("pipe" | "ipc" | "ignore" | number)[] {
    const streams = [this.#slave, this.#slave, this.#slave, ...extraStreams];
    const ownFds = new Set([this.#master, this.#slave]);
    const fdCount = Math.max(...ownFds, streams.length - 1) + 1;
    return Array.from({ length: fdCount }, (_, fd) => streams[fd] ?? (ownFds.has(fd) ? this.#devNull : "ignore"));
  }

  /**
   * Closes the keeper's copy of the slave end once the process has started or failed to. The screen then ends with it.
   */
  closeSlave(): void {
    closeSync(this.#slave);
    closeSync(this.#devNull);
  }

  type(text: string): TypingOutcome {
    return this.#input.type(text);
  }

  resize({ columns, rows }: TerminalSize): void {
    if (!this.screen.destroyed) this.#pty.resize(this.#master, columns, rows);
  }
}

/** Loads the native module on first use: one keeper runs per session, and few ever open a terminal. */
function loadPtyBinding(): PtyBinding {
  const require = createRequire(import.meta.url);
  try {
    // Load only the native part. The rest of the package starts processes, which the keeper does itself, in a
    // namespace.
    return (require("@lydell/node-pty/requireBinary.js") as PtyModule).requireBinary("pty.node");
  } catch (error) {
    throw new Error("The terminal could not be opened: @lydell/node-pty is not installed for this system.", {
      cause: error,
    });
  }
}
