import { once } from "node:events";
import type { ChildProcess } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { startTiedProcess } from "@fairlead/testing/nats/nats-node.ts";

/** The first process of a machine. It ignores the ends of its children, so that the kernel keeps no remains of them. */
const init =
  'open(my $name, ">", "/proc/sys/kernel/hostname"); print $name $ARGV[0]; close $name; $SIG{CHLD} = "IGNORE"; sleep 60 while 1';

export interface TestMachineOptions {
  /** The name that programs see as that of their machine. */
  readonly name: string;
  /** Whether it has a network of its own, without any link. */
  readonly hasNetwork: boolean;
}

/** A stand-in for a machine: namespaces of processes, mounts and the host's name, and the network if asked for. */
export class TestMachine implements AsyncDisposable {
  /** The process id of its first process, as seen from here. */
  readonly pid: number;
  readonly #holder: ChildProcess;
  readonly #hasNetwork: boolean;

  private constructor(holder: ChildProcess, pid: number, hasNetwork: boolean) {
    this.#holder = holder;
    this.pid = pid;
    this.#hasNetwork = hasNetwork;
  }

  static async start({ name, hasNetwork }: TestMachineOptions): Promise<TestMachine> {
    const namespaces = ["--mount", "--uts", "--pid", ...(hasNetwork ? ["--net"] : [])];
    const flags = ["--fork", "--kill-child", "--mount-proc"];
    const holder = startTiedProcess(["unshare", ...namespaces, ...flags, "perl", "-e", init, name]);
    for (;;) {
      if (holder.exitCode !== null || holder.pid === undefined) throw new Error("A machine cannot be created.");
      const [pid] = findChildren(holder.pid);
      // It has the mounts of the machine when it has become the first program.
      if (pid !== undefined && readFileSync(`/proc/${pid}/comm`, "utf8").trim() === "perl")
        return new TestMachine(holder, pid, hasNetwork);
      await delay(5);
    }
  }

  /** The command that runs another command on the machine. */
  get prefix(): readonly string[] {
    return [
      "nsenter",
      `--target=${this.pid}`,
      "--mount",
      "--uts",
      "--pid",
      ...(this.#hasNetwork ? ["--net"] : []),
      "--",
    ];
  }

  /** Ends all its processes at once with SIGKILL, as a machine that loses its power. */
  async kill(): Promise<void> {
    if (this.#holder.exitCode !== null || this.#holder.signalCode !== null) return;
    const exited = once(this.#holder, "exit");
    process.kill(this.pid, "SIGKILL");
    await exited;
  }

  /** Stops all its processes, and looks again until none runs. */
  async pause(): Promise<void> {
    for (let running = this.#list(); running.length > 0; running = this.#list().filter((pid) => !isStopped(pid))) {
      for (const pid of running) signal(pid, "SIGSTOP");
      await delay(5);
    }
  }

  /** Continues all processes. Children continue before their parents, which could otherwise see that they are stopped. */
  resume(): void {
    for (const pid of this.#list().toReversed()) signal(pid, "SIGCONT");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  /** All its processes except the first, which no signal stops; parents before their children. */
  #list(): number[] {
    const parents = readParents();
    const namespace = readNamespace(this.pid);
    const found = new Set([this.pid, ...[...parents.keys()].filter((pid) => readNamespace(pid) === namespace)]);
    for (let size = 0; size < found.size;) {
      size = found.size;
      // A sandbox has a namespace of its own: its processes are found by their parents.
      for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid);
    }
    found.delete(this.pid);
    return [...found].toSorted((one, other) => one - other);
  }
}

/** Returns the ids of the children of a process. */
export function findChildren(pid: number): number[] {
  return [...readParents()].flatMap(([child, parent]) => (parent === pid ? [child] : []));
}

function readParents(): Map<number, number> {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    const stat = /^\d+$/.test(name) ? readStat(Number(name)) : undefined;
    if (stat !== undefined) parents.set(Number(name), Number(stat[1]));
  }
  return parents;
}

/** Returns the state, the parent and what follows; undefined for a process that has ended. */
function readStat(pid: number): readonly string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}

function isStopped(pid: number): boolean {
  const [state = "X"] = readStat(pid) ?? [];
  return "TtZX".includes(state);
}

function readNamespace(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return undefined;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}
