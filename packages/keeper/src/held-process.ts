import { once } from "node:events";
import { existsSync } from "node:fs";
import type { Readable } from "node:stream";
import type { Exit, LaunchLine } from "@fairlead/contract";
import type { Containment } from "./containment.ts";
import { DescendantsHold } from "./descendants-hold.ts";
import type { Hold, Launch } from "./hold.ts";
import { InputWatch } from "./input-watch.ts";
import { NamespaceHold } from "./namespace-hold.ts";
import { settledWithin } from "./settled-within.ts";
import { Terminal } from "./terminal.ts";

/** How long a grandchild may hold the pipes of a process that has ended, before and after it is told to end too. */
const drainPatience = 500;
const lastDrainPatience = 100;

export interface HeldProcessOptions {
  readonly number: number;
  /** The session's name, for the process to know where it runs. */
  readonly session: string;
  readonly line: LaunchLine;
  readonly containment: Containment;
  /**
   * Takes what was heard: now, or later as it promises, and then it never rejects. Until it is taken the stream is not
   * read on, so the process must wait.
   */
  readonly heard: (stream: "out" | "err" | "screen", bytes: Uint8Array) => Promise<void> | undefined;
  /** The process lives but has closed its standard input, and not because we hung up or want it to end. */
  readonly deafened: () => void;
  /** The process is no more; what comes now are its last words. */
  readonly exited: () => void;
}

/** One process that a keeper has launched, with everything that it starts. */
export class HeldProcess {
  /** Settles, and never rejects, when the process has ended, all it said was taken and nothing it started is left. */
  readonly ended: Promise<Exit>;
  /** The terminal that it runs in, if it does. */
  readonly terminal: Terminal | null = null;
  readonly #options: HeldProcessOptions;
  readonly #hold: Hold | null;
  readonly #inputWatch: InputWatch;
  #untaken = 0;

  constructor(options: HeldProcessOptions) {
    this.#options = options;
    this.#inputWatch = new InputWatch({
      isClosed: () => this.#hold?.isDeaf() ?? false,
      closed: () => options.deafened(),
    });
    try {
      const { stdin, size } = options.line;
      this.terminal = stdin === "terminal" && size !== undefined ? new Terminal(size) : null;
      this.terminal?.screen.on("error", () => {}); // nobody holds the far end any more
      const hold = start(options, this.terminal);
      // A broken pipe only says that the process no longer listens; its exit will say the rest, or the watch.
      for (const stream of hold.child.stdio) stream?.on("error", () => {});
      this.#hold = hold;
      this.ended = this.#awaitEnd(hold);
    } catch (error) {
      // Some failures are thrown, others arrive as an event; to the spool they are the same.
      this.#hold = null;
      this.terminal?.screen.destroy();
      this.ended = Promise.resolve(failed(error));
    }
    this.terminal?.giveAway();
  }

  say(text: string): void {
    const stdin = this.#hold?.child.stdin;
    if (stdin?.writable === true) {
      stdin.write(text);
      this.#inputWatch.said();
    }
  }

  hangup(): void {
    this.#inputWatch[Symbol.dispose]();
    this.#hold?.child.stdin?.end();
    // What a terminal says to its session when it is no more.
    if (this.terminal !== null) this.#hold?.signal("SIGHUP");
  }

  signal(signal: NodeJS.Signals): void {
    this.#hold?.signal(signal);
  }

  /** Ends the process and everything it started, with patience and then without; `ended` comes a little later. */
  async kill(): Promise<void> {
    this.#inputWatch[Symbol.dispose]();
    await this.#hold?.kill();
  }

  async #awaitEnd(hold: Hold): Promise<Exit> {
    const { child } = hold;
    if (child.pid === undefined) {
      this.terminal?.screen.destroy();
      const [error] = (await once(child, "error")) as [Error];
      const { cwd } = this.#options.line;
      return failed(existsSync(cwd) ? error : new Error(`The folder ${cwd} does not exist.`));
    }
    child.on("error", () => {}); // a signal that could not be sent: the process lives on
    const screen = this.terminal?.screen ?? null;
    const heard = Promise.all([
      this.#hear("out", child.stdout),
      this.#hear("err", child.stderr),
      this.#hear("screen", screen),
    ]);
    const exit = await new Promise<Exit>((resolve) => {
      child.once("exit", (code, signal) => resolve({ code, signal }));
    });
    this.#inputWatch[Symbol.dispose]();
    this.#options.exited();
    await this.#drain(heard, drainPatience);
    await hold.sweep();
    await this.#drain(heard, lastDrainPatience);
    for (const stream of [...child.stdio, screen]) stream?.destroy();
    await heard;
    return hold.explain(exit);
  }

  /** By events: the promises of an iterator would cost a keeper as much as to write down what it hears. */
  async #hear(name: "out" | "err" | "screen", stream: Readable | null): Promise<void> {
    if (stream === null) return;
    let taking: Promise<void> | undefined;
    stream.on("data", (bytes: Buffer) => {
      taking = this.#options.heard(name, bytes);
      if (taking === undefined) return;
      stream.pause();
      this.#untaken++;
      void taking.then(() => {
        this.#untaken--;
        stream.resume();
      });
    });
    await new Promise((closed) => stream.once("close", closed));
    await taking;
  }

  /** Waits for the end of the streams; while something of them waits to be taken, it is we who are slow. */
  async #drain(heard: Promise<unknown>, patience: number): Promise<void> {
    do await settledWithin(heard, patience);
    while (this.#untaken > 0);
  }
}

function start({ line, number, session, containment }: HeldProcessOptions, terminal: Terminal | null): Hold {
  const marks = {
    FAIRLEAD_KEEPER: String(process.pid),
    FAIRLEAD_PROCESS: String(number),
    FAIRLEAD_SESSION: session,
  };
  const launch: Launch = {
    line,
    env: { ...line.env, PWD: line.cwd, ...marks },
    marks: Object.entries(marks).map(([name, value]) => `${name}=${value}`),
    terminal,
  };
  return containment.kind === "namespace"
    ? new NamespaceHold(containment.program, launch)
    : new DescendantsHold(launch);
}

function failed(error: unknown): Exit {
  return { code: null, signal: null, error: error instanceof Error ? error.message : String(error) };
}
