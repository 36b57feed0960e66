import { closeSync, openSync } from "node:fs";
import { createRequire } from "node:module";
import { ReadStream } from "node:tty";
import type { TerminalSize } from "@fairlead/contract";

/** What we use of the package: it knows how to ask the kernel for a terminal, which Node does not. */
interface Native {
  open(columns: number, rows: number): { readonly master: number; readonly slave: number };
  resize(master: number, columns: number, rows: number): void;
}

interface Binaries {
  requireBinary(file: string): Native;
}

/**
 * Runs a program as the leader of a session whose terminal its standard input is, so that the terminal's keys (as Ctrl-C)
 * reach it and nobody else. Part of every Linux.
 */
export const terminalLeader: readonly string[] = ["setsid", "-c"];

/** How much of what was typed may wait, in bytes. */
const mostWaiting = 1024 ** 2;

/** A terminal whose far end a process can be given, and whose near end is ours. */
export class Terminal {
  /** What the process shows. It ends, or fails, when nobody holds the far end any more. */
  readonly screen: ReadStream;
  readonly #native: Native;
  readonly #master: number;
  readonly #slave: number;
  readonly #nothing = openSync("/dev/null", "r+");

  constructor({ columns, rows }: TerminalSize) {
    this.#native = native();
    const { master, slave } = this.#native.open(columns, rows);
    this.#master = master;
    this.#slave = slave;
    this.screen = new ReadStream(master);
  }

  /**
   * The streams of a process that is about to be started: the far end three times, and what more it is to have. Our own
   * files would be handed on to it, and whoever holds the near end can type; so it finds nothing in their places.
   */
  streams(more: readonly "pipe"[]): ("pipe" | "ignore" | number)[] {
    const streams = [this.#slave, this.#slave, this.#slave, ...more];
    const ours = new Set([this.#master, this.#slave]);
    const places = Math.max(...ours) + 1;
    return Array.from({ length: places }, (_, at) => streams[at] ?? (ours.has(at) ? this.#nothing : "ignore"));
  }

  /** The process has been started, or never will be. The far end is its alone now, so the screen ends with it. */
  giveAway(): void {
    closeSync(this.#slave);
    closeSync(this.#nothing);
  }

  /** Keys wait for a process that is busy, but not without end: false when it has not been listening for long. */
  type(text: string): boolean {
    if (this.screen.destroyed || this.screen.writableLength > mostWaiting) return false;
    this.screen.write(text);
    return true;
  }

  resize({ columns, rows }: TerminalSize): void {
    if (!this.screen.destroyed) this.#native.resize(this.#master, columns, rows);
  }
}

/** Loaded only when a terminal is wanted: there is a keeper for every session, and few ever hold one. */
function native(): Native {
  const require = createRequire(import.meta.url);
  try {
    // Of the package only this much: the rest of it starts processes, which we do ourselves, in a namespace.
    return (require("@lydell/node-pty/requireBinary.js") as Binaries).requireBinary("pty.node");
  } catch (error) {
    throw new Error("Terminals cannot be held here: @lydell/node-pty is not installed for this system.", {
      cause: error,
    });
  }
}
