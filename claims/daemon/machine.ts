import { readFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";

/** The peak memory of a process, in MiB. */
export function readPeakMemory(pid: number): number {
  return readKilobytes(pid, "VmHWM") / 1024;
}

/** Measures the peak memory of a process from now until disposed, in MiB, twice a second. */
export class MemorySampler implements Disposable {
  readonly #timer: NodeJS.Timeout;
  #peak: number;

  constructor(pid: number) {
    this.#peak = readMemory(pid);
    this.#timer = setInterval(() => (this.#peak = Math.max(this.#peak, readMemory(pid))), 500);
  }

  get peak(): number {
    return this.#peak;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

/** The current memory of a process, in MiB. */
export function readMemory(pid: number): number {
  return readKilobytes(pid, "VmRSS") / 1024;
}

/** The CPU seconds that a process has used. */
export function readCpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = 100; // per second, as the kernel reports to programs
  return (Number(fields[11]) + Number(fields[12])) / ticks;
}

/** Measures the CPU use of processes from now on. */
export class CpuMeter {
  readonly #pids: readonly number[];
  readonly #began = performance.now();
  readonly #before: number;

  constructor(pids: readonly number[]) {
    this.#pids = pids;
    this.#before = this.#used;
  }

  /** In percent of one core. */
  get corePercent(): string {
    const seconds = (performance.now() - this.#began) / 1000;
    return `${((100 * (this.#used - this.#before)) / seconds).toFixed(0)} %`;
  }

  get #used(): number {
    return this.#pids.reduce((sum, pid) => sum + readCpuSeconds(pid), 0);
  }
}

/** Measures the CPU use of the whole machine from now on. */
export class MachineMeter {
  readonly #began = performance.now();
  readonly #before = readBusySeconds();

  /** In percent of one core. */
  get corePercent(): string {
    return `${(100 * this.#busyCores).toFixed(0)} %`;
  }

  /** The part of all cores that is busy: 1 if none has time left. */
  get busyShare(): number {
    return this.#busyCores / cpus().length;
  }

  get #busyCores(): number {
    const seconds = (performance.now() - this.#began) / 1000;
    return (readBusySeconds() - this.#before) / seconds;
  }
}

function readBusySeconds(): number {
  const times = cpus().map(({ times: { user, nice, sys, irq } }) => user + nice + sys + irq);
  return times.reduce((sum, one) => sum + one, 0) / 1000;
}

/** A short description of the machine, printed beside figures that depend on it. */
export function describeMachine(): string {
  return `node ${process.version}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}`;
}

function readKilobytes(pid: number, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}
