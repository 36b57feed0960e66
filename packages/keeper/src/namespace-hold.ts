import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { Exit } from "@fairlead/contract";
import { checkProgram } from "./check-program.ts";
import { namespaceArguments } from "./containment.ts";
import { findListener, isHeldAt, standardInputOf } from "./find-listener.ts";
import { type Hold, type Launch, streamsOf } from "./hold.ts";
import { findAgent } from "./namespace-agent.ts";
import { identity, isAlive, type ProcessIdentity } from "./process-identity.ts";
import { killLadder, killTree, sweepLadder } from "./process-tree.ts";
import { settledWithin } from "./settled-within.ts";
import { terminalLeader } from "./terminal.ts";

const lookEvery = 5;
const lastPatience = 2000;

/**
 * Holds everything by the kernel's hand, in a pid namespace: bubblewrap, outside, starts the namespace's first process,
 * which starts the agent. When the outer one ends, so does the first, and with it all that is inside; and the outer
 * one ends when the keeper does.
 */
export class NamespaceHold implements Hold {
  readonly child: ChildProcess;
  readonly #launch: Launch;
  readonly #exited: Promise<void>;
  /** What bubblewrap tells of itself: first the pid of the first process, at the end the agent's exit code. */
  readonly #told: Promise<void>;
  readonly #sent = new Set<string>();
  #status = "";
  /** Where somebody inside was last seen to hold the agent's standard input. */
  #listener = "";
  #signalling: Promise<void> = Promise.resolve();

  constructor(program: string, launch: Launch) {
    const { line, env } = launch;
    this.#launch = launch;
    checkProgram(line, env);
    const own = [...namespaceArguments, "--json-status-fd", "3", "--chdir", line.cwd, "--"];
    const leader = launch.terminal === null ? [] : terminalLeader;
    this.child = spawn(program, [...own, ...leader, line.program, ...line.args], {
      cwd: line.cwd,
      env,
      detached: true,
      stdio: streamsOf(launch, "pipe"),
    });
    this.#exited = new Promise((resolve) => void this.child.once("exit", () => resolve()));
    const status = this.child.stdio[3];
    status?.on("data", (chunk: Buffer) => (this.#status += chunk.toString()));
    this.#told = new Promise((resolve) => void status?.once("close", () => resolve()));
  }

  /** Bubblewrap holds the agent's standard input as well, so it never breaks; but it shows which one it is. */
  isDeaf(): boolean {
    const end = standardInputOf(this.child.pid ?? 0);
    const first = this.#firstPid;
    if (end === null || first === undefined || isHeldAt(this.#listener, end)) return false;
    const listener = findListener(first, end);
    this.#listener = listener ?? "";
    return listener === null && findAgent(first) !== null;
  }

  signal(signal: NodeJS.Signals): void {
    this.#sent.add(signal);
    this.#signalling = this.#signalling.then(() => this.#send(signal));
  }

  async kill(): Promise<void> {
    if (this.child.pid === undefined) return;
    this.signal("SIGTERM");
    await settledWithin(this.#exited, killLadder[0]?.patience ?? 0);
    this.child.kill("SIGKILL");
    await this.#exited;
  }

  async sweep(): Promise<void> {
    await settledWithin(this.#told, lastPatience);
    const first = identity(this.#firstPid ?? 0);
    if (first !== null) await this.#gone(first);
    // Killed before it had arranged to die with its parent, bubblewrap may leave a beginning behind.
    await killTree({ pid: this.child.pid ?? -1, marks: this.#launch.marks }, sweepLadder);
  }

  explain(exit: Exit): Exit {
    const { code } = exit;
    if (code === null) return exit; // the namespace was killed as a whole
    if (!this.#status.includes('"exit-code"')) {
      return { code: null, signal: null, error: `${this.#launch.line.program} could not be started in a namespace.` };
    }
    // A signal is told as 128 and its number, which an agent may also return by itself: be sure, or leave it.
    const signal = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
    const isSure = signal !== undefined && (signal === "SIGKILL" || this.#sent.has(signal));
    return isSure ? { code: null, signal } : exit;
  }

  /** The kernel lets the namespace's first process go when all others are gone. */
  async #gone(first: ProcessIdentity): Promise<void> {
    for (const deadline = performance.now() + lastPatience; isAlive(first) && performance.now() < deadline;) {
      await delay(lookEvery);
    }
  }

  get #firstPid(): number | undefined {
    const found = /"child-pid": *(\d+)/.exec(this.#status)?.[1];
    return found === undefined ? undefined : Number(found);
  }

  /** A signal may be wanted before the agent is there; it waits for it, as long as there is hope. */
  async #send(signal: NodeJS.Signals): Promise<void> {
    while (this.child.exitCode === null && this.child.signalCode === null && this.child.pid !== undefined) {
      const agent = this.#firstPid === undefined ? null : findAgent(this.#firstPid);
      if (agent !== null) {
        if (isAlive(agent)) process.kill(agent.pid, signal);
        return;
      }
      await delay(lookEvery);
    }
  }
}
