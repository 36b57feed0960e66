import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { Exit } from "@fairlead/contract";
import type { Target } from "../gate/judge-host.ts";
import { forwardedPorts } from "../gate/forwarded-targets.ts";
import { type GateLaunch, leaderLaunch, preparedLaunch } from "../gate/gate-launch.ts";
import type { GateLink } from "../gate/gate-link.ts";
import { settledWithin, systemClock } from "../keeper-clock.ts";
import { namespaceArguments } from "./containment.ts";
import { findOpenFd, isFdFor, readStdinLink } from "./find-open-fd.ts";
import { type ContainedProcess, type LaunchSpec, stdioFor } from "./contained-process.ts";
import { findNamespacedAgent } from "./find-namespaced-agent.ts";
import { findProgram } from "./find-program.ts";
import { ProcessFreezer } from "./process-freezer.ts";
import { readProcessIdentity, isProcessAlive, type ProcessIdentity } from "./process-identity.ts";
import { killSteps, killProcessTree, sweepSteps } from "./kill-process-tree.ts";
import { buildSeccompFilter } from "../sandbox/seccomp-filter.ts";
import { findReplacedMount, listMountedPaths } from "../sandbox/find-replaced-mount.ts";
import { launchSandboxArguments } from "../sandbox/launch-sandbox-arguments.ts";
import { terminalLeaderCommand } from "./terminal.ts";

const pollIntervalMs = 5;
/** The kernel needs a few milliseconds to end a namespace, and the next launch of a session waits for it. */
const exitPollIntervalMs = 1;
/** Bubblewrap does not say when it has mounted everything, and needs a few milliseconds. */
const mountPollIntervalMs = 1;
const finalWaitMs = 2000;
const filterFd = 4;
/** Bubblewrap waits for a byte there before it starts the agent. */
const releaseFd = 5;

/**
 * Runs an agent in a pid namespace. Bubblewrap, outside the namespace, starts its init process, which starts the agent.
 * When bubblewrap exits, the kernel kills the init process and everything in the namespace. Bubblewrap is killed when
 * the keeper exits.
 */
export class NamespaceProcess implements ContainedProcess {
  readonly child: ChildProcess;
  /** All processes of a pid namespace are descendants of bubblewrap, whatever they do. */
  readonly freezer = new ProcessFreezer(() => {
    const { pid } = this.child;
    return pid === undefined || !this.#isRunning ? null : { pid, envMarkers: [] };
  });
  readonly #spec: LaunchSpec;
  readonly #exited: Promise<void>;
  /**
   * Settles when bubblewrap closes its status stream. It reports the pid of the init process and, last, the exit code.
   */
  readonly #statusClosed: Promise<void>;
  readonly #sentSignals = new Set<string>();
  #statusOutput = "";
  /** Read when bubblewrap reports it: later, another process may have the pid. */
  #init: ProcessIdentity | null = null;
  /** Null without a gate. */
  readonly #gate: GateLink | null;
  /** The link below /proc where a process in the namespace last had the agent's stdin open. */
  #stdinFd = "";
  /** Why the keeper did not let the agent start, or null. */
  #problem: string | null = null;
  #signaling: Promise<void> = Promise.resolve();

  constructor(program: string, spec: LaunchSpec) {
    const { command, env } = spec;
    this.#spec = spec;
    const file = findProgram(command, env);
    const isSandboxed = spec.sandbox.kind !== "none";
    const gate = planGate(program, spec, file);
    const isolation = isSandboxed ? launchSandboxArguments(spec, file, gate?.isInNetwork) : namespaceArguments;
    const filter = isSandboxed ? buildSeccompFilter(process.arch, { nests: spec.sandbox.nests === true }) : null;
    const filterArgs = filter === null ? [] : ["--seccomp", String(filterFd)];
    const extraArgs = [
      ...filterArgs,
      ...(isSandboxed ? ["--block-fd", String(releaseFd)] : []),
      "--json-status-fd",
      "3",
      "--chdir",
      command.cwd,
      "--",
    ];
    const agent = [...(spec.terminal === null ? [] : terminalLeaderCommand), command.program, ...command.args];
    const [first = program, ...bwrapArgs] = gate?.bwrap ?? [program];
    this.child = spawn(first, [...bwrapArgs, ...isolation, ...extraArgs, ...(gate?.leader ?? []), ...agent], {
      cwd: command.cwd,
      env: gate?.env ?? env,
      detached: true,
      stdio: stdioFor(
        spec,
        "pipe",
        ...(isSandboxed ? (["pipe", "pipe"] as const) : []),
        ...(gate?.hasChannel === true ? (["ipc"] as const) : []),
      ),
    });
    // Bubblewrap reads the filter before it does anything else. If it ends first, its exit says why.
    if (isSandboxed) (this.child.stdio[filterFd] as Writable | undefined)?.on("error", () => {}).end(filter ?? "");
    this.#gate = gate?.start(this.child) ?? null;
    this.#exited = new Promise((resolve) => void this.child.once("exit", () => resolve()));
    const status = this.child.stdio[3];
    status?.on("data", (chunk: Buffer) => {
      this.#statusOutput += chunk.toString();
      this.#init ??= readProcessIdentity(this.#initPid ?? 0);
    });
    this.#statusClosed = new Promise((resolve) => void status?.once("close", () => resolve()));
    const streams: readonly (Writable | Readable | null | undefined)[] = this.child.stdio;
    if (isSandboxed) void this.#release(listMountedPaths(isolation), streams[releaseFd] as Writable | undefined);
  }

  /**
   * Bubblewrap has the agent's stdin open too, so a write never fails. But its own link shows which pipe to look for.
   */
  isStdinClosed(): boolean {
    const endpoint = readStdinLink(this.child.pid ?? 0);
    const initPid = this.#initPid;
    if (endpoint === null || initPid === undefined || isFdFor(this.#stdinFd, endpoint)) return false;
    const stdinFd = findOpenFd(initPid, endpoint);
    this.#stdinFd = stdinFd ?? "";
    return stdinFd === null && this.#findAgent() !== null;
  }

  answerNetwork(target: Target, isAllowed: boolean): void {
    this.#gate?.answer(target, isAllowed);
  }

  signal(signal: NodeJS.Signals): void {
    this.#sentSignals.add(signal);
    this.#signaling = this.#signaling.then(() => this.#send(signal));
  }

  async kill(): Promise<void> {
    if (this.child.pid === undefined) return;
    this.signal("SIGTERM");
    await settledWithin(systemClock, this.#exited, killSteps[0]?.waitMs ?? 0);
    this.child.kill("SIGKILL");
    await this.#exited;
  }

  async killAtOnce(): Promise<void> {
    this.freezer.release();
    // The kernel ends the namespace with its init process, or with bubblewrap if there is none yet.
    if (this.#init !== null && isProcessAlive(this.#init)) process.kill(this.#init.pid, "SIGKILL");
    this.child.kill("SIGKILL");
    if (this.child.pid !== undefined) await this.#exited;
  }

  async sweep(): Promise<void> {
    this.#gate?.[Symbol.dispose]();
    await settledWithin(systemClock, this.#statusClosed, finalWaitMs);
    const init = this.#init;
    if (init !== null) await this.#waitForExit(init);
    // An agent can make bubblewrap exit while its init process runs on: it may trace that process. This ends them all.
    if (init !== null && isProcessAlive(init)) process.kill(init.pid, "SIGKILL");
    // If bubblewrap is killed before it has set up the parent-death signal, its first child survives.
    await killProcessTree({ pid: this.child.pid ?? -1, envMarkers: this.#spec.envMarkers }, sweepSteps);
    this.#gate?.release();
  }

  interpretExit(exit: Exit): Exit {
    const { code } = exit;
    const { program } = this.#spec.command;
    if (this.#problem !== null) return { code: null, signal: null, error: this.#problem };
    if (code === null) return exit; // the namespace was killed as a whole
    if (!this.#statusOutput.includes('"exit-code"')) {
      return { code: null, signal: null, error: `${program} could not be started in a namespace.` };
    }
    // Bubblewrap reports a signal as 128 plus its number. An agent may also exit with that code, so report a signal
    // only if the keeper sent it, or if it is SIGKILL.
    const signal = Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
    const isSignal = signal !== undefined && (signal === "SIGKILL" || this.#sentSignals.has(signal));
    if (isSignal) return { code: null, signal };
    return this.#gate?.isAgentNext === false ? { code: null, signal: null, error: unopenedGate(program) } : exit;
  }

  /** Lets bubblewrap start the agent, if the gate is open and the mounts are what they should be. Otherwise ends it. */
  async #release(mountedPaths: readonly string[], stream: Writable | undefined): Promise<void> {
    stream?.on("error", () => {}); // bubblewrap has ended
    this.#problem = await this.#findProblem(mountedPaths);
    if (this.#problem === null) stream?.end("\n");
    else this.child.kill("SIGKILL");
  }

  async #findProblem(mountedPaths: readonly string[]): Promise<string | null> {
    const { program } = this.#spec.command;
    if ((await this.#gate?.opened) === false) return unopenedGate(program);
    try {
      const replaced = await this.#findReplacedMount(mountedPaths);
      return replaced === null ? null : `${program} was not started: ${replaced} was replaced meanwhile.`;
    } catch (error) {
      return `${program} was not started: its sandbox could not be checked. ${(error as Error).message}`;
    }
  }

  async #findReplacedMount(paths: readonly string[]): Promise<string | null> {
    while (this.#isRunning) {
      const replaced = this.#initPid === undefined ? undefined : findReplacedMount(this.#initPid, paths);
      if (replaced !== undefined) return replaced;
      await delay(mountPollIntervalMs);
    }
    return null;
  }

  get #isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null && this.child.pid !== undefined;
  }

  /** The init process ends after all other processes of its namespace. */
  async #waitForExit(init: ProcessIdentity): Promise<void> {
    for (const deadline = performance.now() + finalWaitMs; isProcessAlive(init) && performance.now() < deadline;) {
      await delay(exitPollIntervalMs);
    }
  }

  /** Returns null until the agent has replaced bubblewrap's child and the leader of the gate. */
  #findAgent(): ProcessIdentity | null {
    if (this.#initPid === undefined || this.#gate?.isAgentNext === false) return null;
    return findNamespacedAgent(this.#initPid);
  }

  get #initPid(): number | undefined {
    const pid = /"child-pid": *(\d+)/.exec(this.#statusOutput)?.[1];
    return pid === undefined ? undefined : Number(pid);
  }

  /**
   * Sends a signal to the agent. If bubblewrap has not started the agent yet, waits until it has or bubblewrap exits.
   */
  async #send(signal: NodeJS.Signals): Promise<void> {
    while (this.#isRunning) {
      const agent = this.#findAgent();
      if (agent !== null) {
        if (isProcessAlive(agent)) process.kill(agent.pid, signal);
        return;
      }
      await delay(pollIntervalMs);
    }
  }
}

const unopenedGate = (program: string): string => `The network gate of ${program} could not be opened.`;

/**
 * Plans how a process gets the gate of its sandbox, or returns null if it has none. If a network namespace is prepared, the
 * process enters it. Otherwise, a leader creates the sockets in the sandbox and becomes the agent.
 */
function planGate(bwrap: string, spec: LaunchSpec, file: string | null): GateLaunch | null {
  const { env, sandbox, network } = spec;
  const { gates, ...others } = network;
  if (sandbox.network === "gate" && sandbox.gate !== undefined) {
    const link = { gate: sandbox.gate, env, ...others };
    const ports = forwardedPorts(sandbox.gate);
    const namespace = gates?.take(ports) ?? null;
    if (gates !== undefined && namespace !== null) return preparedLaunch(link, { namespace, gates });
    const prepareNext = (): void => void gates?.prepareNext(bwrap);
    return leaderLaunch(link, bwrap, findLeaderTarget(spec, file), prepareNext);
  }
  // What was prepared needs memory, and the launches of a session are alike.
  gates?.discard();
  return null;
}

/** Returns the file that the leader of the gate becomes: the agent, or the leader of its terminal. */
function findLeaderTarget({ command, env, terminal }: LaunchSpec, file: string | null): string {
  const [program = command.program] = terminal === null ? [] : terminalLeaderCommand;
  return (terminal === null ? file : findProgram({ ...command, program }, env)) ?? command.program;
}
