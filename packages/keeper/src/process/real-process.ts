import { once } from "node:events";
import { existsSync } from "node:fs";
import type { Readable } from "node:stream";
import type { Exit } from "@fairlead/contract";
import type { Target } from "../gate/judge-host.ts";
import { settledWithin, systemClock } from "../keeper-clock.ts";
import { DescendantsProcess } from "./descendants-process.ts";
import type { ContainedProcess, LaunchSpec } from "./contained-process.ts";
import type { LaunchedProcess, LaunchedProcessOptions } from "./launched-process.ts";
import { NamespaceProcess } from "./namespace-process.ts";
import { StdinWatcher } from "./stdin-watcher.ts";
import { Terminal } from "./terminal.ts";

/** How long a grandchild may keep the pipes of an exited process open, before and after it gets a signal itself. */
const drainTimeoutMs = 500;
const finalDrainTimeoutMs = 100;

/**
 * A child process of the keeper. Only the stdin watcher uses the clock of the options. Waits for the kernel and for
 * other processes use real time, because a simulated clock does not move them.
 */
export class RealProcess implements LaunchedProcess {
  readonly ended: Promise<Exit>;
  readonly terminal: Terminal | null = null;
  readonly #options: LaunchedProcessOptions;
  readonly #contained: ContainedProcess | null;
  readonly #stdinWatcher: StdinWatcher;
  #pendingWrites = 0;

  constructor(options: LaunchedProcessOptions) {
    this.#options = options;
    this.#stdinWatcher = new StdinWatcher({
      isClosed: () => this.#contained?.isStdinClosed() ?? false,
      onClosed: () => options.onStdinClosed(),
      clock: options.clock,
    });
    try {
      const { stdin, size } = options.command;
      this.terminal = stdin === "terminal" && size !== undefined ? new Terminal(size) : null;
      this.terminal?.screen.on("error", () => {}); // the read fails when no process has the terminal open
      const contained = startContained(options, this.terminal);
      // A broken pipe means that the process has closed its stdin. The exit or the stdin watcher reports that.
      for (const stream of contained.child.stdio) stream?.on("error", () => {});
      this.#contained = contained;
      this.ended = this.#awaitEnd(contained);
    } catch (error) {
      // `spawn` throws some failures and emits others. The spool records both as an exit with an error.
      this.#contained = null;
      this.terminal?.screen.destroy();
      this.ended = Promise.resolve(failedExit(error));
    }
    this.terminal?.closeSlave();
  }

  write(text: string): void {
    const stdin = this.#contained?.child.stdin;
    if (stdin?.writable === true) {
      stdin.write(text);
      this.#stdinWatcher.notifyWrite();
    }
  }

  closeStdin(): void {
    this.#stdinWatcher[Symbol.dispose]();
    this.#contained?.child.stdin?.end();
    // The kernel sends SIGHUP to a session whose terminal is gone.
    if (this.terminal !== null) this.#contained?.signal("SIGHUP");
  }

  answerNetwork(target: Target, isAllowed: boolean): void {
    this.#contained?.answerNetwork(target, isAllowed);
  }

  signal(signal: NodeJS.Signals): void {
    this.#contained?.signal(signal);
  }

  async kill(): Promise<void> {
    this.#stdinWatcher[Symbol.dispose]();
    await this.#contained?.kill();
  }

  async killAtOnce(): Promise<void> {
    this.#stdinWatcher[Symbol.dispose]();
    await this.#contained?.killAtOnce();
  }

  freeze(): void {
    this.#contained?.freezer.freeze();
  }

  thaw(): void {
    this.#contained?.freezer.thaw();
  }

  async #awaitEnd(contained: ContainedProcess): Promise<Exit> {
    const { child } = contained;
    if (child.pid === undefined) {
      this.terminal?.screen.destroy();
      const [error] = (await once(child, "error")) as [Error];
      const { cwd } = this.#options.command;
      return failedExit(existsSync(cwd) ? error : new Error(`The folder ${cwd} does not exist.`));
    }
    child.on("error", () => {}); // a signal could not be sent: the process is still alive
    const screen = this.terminal?.screen ?? null;
    const outputDone = Promise.all([
      this.#forwardOutput("out", child.stdout),
      this.#forwardOutput("err", child.stderr),
      this.#forwardOutput("screen", screen),
    ]);
    const exit = await new Promise<Exit>((resolve) => {
      child.once("exit", (code, signal) => resolve({ code, signal }));
    });
    this.#stdinWatcher[Symbol.dispose]();
    this.#options.onExit();
    contained.freezer.release();
    await this.#drain(outputDone, drainTimeoutMs);
    await contained.sweep();
    await this.#drain(outputDone, finalDrainTimeoutMs);
    for (const stream of [...child.stdio, screen]) stream?.destroy();
    await outputDone;
    return contained.interpretExit(exit);
  }

  /** Uses events: the promises of an async iterator would cost as much as writing the records. */
  async #forwardOutput(name: "out" | "err" | "screen", stream: Readable | null): Promise<void> {
    if (stream === null) return;
    let pending: Promise<void> | undefined;
    stream.on("data", (bytes: Buffer) => {
      pending = this.#options.onOutput(name, bytes);
      if (pending === undefined) return;
      stream.pause();
      this.#pendingWrites++;
      void pending.then(() => {
        this.#pendingWrites--;
        stream.resume();
      });
    });
    await new Promise((closed) => stream.once("close", closed));
    await pending;
  }

  /**
   * Waits for the end of the streams. While output waits for the spool, the keeper is slow and the timeout restarts.
   */
  async #drain(outputDone: Promise<unknown>, timeoutMs: number): Promise<void> {
    do await settledWithin(systemClock, outputDone, timeoutMs);
    while (this.#pendingWrites > 0);
  }
}

function startContained(options: LaunchedProcessOptions, terminal: Terminal | null): ContainedProcess {
  const { command, number, sessionName, containment, sandbox } = options;
  const { credential, clock, onVerdict, gates } = options;
  const markers = {
    FAIRLEAD_KEEPER: String(process.pid),
    FAIRLEAD_PROCESS: String(number),
    FAIRLEAD_SESSION: sessionName,
  };
  const spec: LaunchSpec = {
    command,
    env: { ...command.env, PWD: command.cwd, ...markers },
    envMarkers: Object.entries(markers).map(([name, value]) => `${name}=${value}`),
    sandbox,
    network: { credential, clock, onVerdict, gates },
    terminal,
  };
  // An agent never runs with fewer limits than its session states.
  if (containment.kind !== "namespace" && sandbox.kind !== "none") {
    throw new Error("The sandbox is not available: bubblewrap does not work on this machine.");
  }
  if (sandbox.network === "gate" && sandbox.gate === undefined) throw new Error("The launch names no gate.");
  return containment.kind === "namespace"
    ? new NamespaceProcess(containment.program, spec)
    : new DescendantsProcess(spec);
}

function failedExit(error: unknown): Exit {
  return { code: null, signal: null, error: error instanceof Error ? error.message : String(error) };
}
