import { readFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";

/** What a process has had in memory at most, in MiB. */
export function peakMemory(pid: number): number {
  return kilobytes(pid, "VmHWM") / 1024;
}

/** The most that a process has in memory from now on, in MiB, until disposed of: looked at twice a second. */
export class MemoryWatch implements Disposable {
  readonly #timer: NodeJS.Timeout;
  #most: number;

  constructor(pid: number) {
    this.#most = memory(pid);
    this.#timer = setInterval(() => (this.#most = Math.max(this.#most, memory(pid))), 500);
  }

  get most(): number {
    return this.#most;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

/** What a process has in memory now, in MiB. */
export function memory(pid: number): number {
  return kilobytes(pid, "VmRSS") / 1024;
}

/** The seconds of a processor that a process has used. */
export function processorTime(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = 100; // a second, as the kernel tells it to programs
  return (Number(fields[11]) + Number(fields[12])) / ticks;
}

/** How busy some processes are, from now on. */
export class Busy {
  readonly #pids: readonly number[];
  readonly #began = performance.now();
  readonly #before: number;

  constructor(pids: readonly number[]) {
    this.#pids = pids;
    this.#before = this.#used;
  }

  /** Of one core, in percent. */
  get share(): string {
    const seconds = (performance.now() - this.#began) / 1000;
    return `${((100 * (this.#used - this.#before)) / seconds).toFixed(0)} %`;
  }

  get #used(): number {
    return this.#pids.reduce((sum, pid) => sum + processorTime(pid), 0);
  }
}

/** The machine in a few words, for beside a figure that depends on it. */
export function machine(): string {
  return `node ${process.version}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}`;
}

function kilobytes(pid: number, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}
