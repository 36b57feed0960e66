import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Fairlead } from "@fairlead/api";
import { RemoteFairlead } from "@fairlead/client";
import { nodeTransport } from "@fairlead/client/node";
import { daemonNodeFlags } from "../../packages/daemon/src/daemon-command.ts";
import { ChildProgram } from "../../measure/child-program.ts";
import { TestHome } from "../../measure/test-home.ts";
import { endProcessesOfHome } from "../../scripts/end-processes-of-home.ts";
import { ensureBuilt } from "../daemon/built.ts";
import { mapConcurrently } from "../daemon/map-concurrently.ts";
import type { BadServiceOptions } from "./bad-service.ts";
import type { LatencyReaderOptions, SessionAges } from "./latency-reader.ts";

export interface TestBedOptions {
  /** Number of healthy sessions. */
  readonly healthy: number;
  readonly off?: BadServiceOptions["off"];
  readonly environment?: Readonly<Record<string, string>>;
  readonly testHome?: (environment: Readonly<Record<string, string | undefined>>) => TestHome;
}

/** The folder with the programs that stand in for vendors' agents. Each runs the script that it gets as its message. */
const standIns = new URL("../attack-closed/stand-ins/", import.meta.url).pathname;

/** A real daemon process with healthy sessions that print the time ten times a second, and a client of each. */
export class TestBed implements AsyncDisposable {
  readonly testHome: TestHome;
  readonly workspace: string;
  healthy: readonly string[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), "b-"));
  readonly #options: TestBedOptions;
  #daemon: ChildProgram | null = null;
  #reader: ChildProgram | null = null;

  private constructor(options: TestBedOptions) {
    this.#options = options;
    const bin = join(this.#folder, "bin");
    mkdirSync(bin);
    copyFileSync(join(standIns, "hostile-agent.cjs"), join(bin, "hostile-agent.cjs"));
    for (const agent of ["claude", "goose"]) {
      copyFileSync(join(standIns, `${agent}.cjs`), join(bin, agent));
      chmodSync(join(bin, agent), 0o755);
    }
    const environment = {
      PATH: [bin, join(process.execPath, ".."), process.env["PATH"]].join(":"),
      HOME: this.#folder,
      LANG: "C.UTF-8",
      // Segments of 6 MB, so that records can be trimmed. A smaller limit would be reached before the first snapshot.
      FAIRLEAD_SPOOL_BYTES: "24000000",
      ...options.environment,
    };
    this.testHome = options.testHome?.(environment) ?? new TestHome(environment);
    this.workspace = this.testHome.workspace();
  }

  static async open(options: TestBedOptions): Promise<TestBed> {
    const bed = new TestBed(options);
    try {
      await bed.startDaemon();
      await bed.#startHealthy();
      return bed;
    } catch (error) {
      await bed[Symbol.asyncDispose]();
      throw error;
    }
  }

  get socket(): string {
    return this.testHome.home.daemonSocket;
  }

  connect(): Fairlead {
    return new RemoteFairlead(nodeTransport({ socket: this.socket }), { retryTimeoutMs: 5000 });
  }

  async startDaemon(): Promise<void> {
    const { home, environment } = this.testHome;
    mkdirSync(home.daemonFolder, { recursive: true, mode: 0o700 });
    const { off } = this.#options;
    const options: BadServiceOptions = { home: home.folder, socket: this.socket, ...(off && { off }) };
    await ensureBuilt();
    // A defense can be turned off only in the sources.
    const nodeFlags = off === undefined ? [...daemonNodeFlags, "--conditions=built"] : daemonNodeFlags;
    this.#daemon = new ChildProgram(new URL("bad-service.ts", import.meta.url), options, {
      env: environment,
      nodeFlags,
    });
    await this.#daemon.readLine();
  }

  async killDaemon(): Promise<void> {
    await this.#daemon?.kill();
  }

  /** Kills the daemon and starts the next one. Returns the ids that it lists. */
  async restartDaemon(): Promise<string[]> {
    await this.killDaemon();
    await this.startDaemon();
    const { sessions } = await this.connect().sessions({ limit: 1000 });
    return sessions.map(({ session }) => session);
  }

  /** Waits while the healthy sessions print, or until the signal, and returns the ages of their output. */
  async measure(
    during: (signal: AbortSignal) => Promise<void>,
    milliseconds: number,
    signal?: AbortSignal,
  ): Promise<readonly SessionAges[]> {
    const stopping = new AbortController();
    const begin = Date.now();
    const activity = during(stopping.signal);
    await delay(milliseconds, undefined, { ...(signal && { signal }) }).catch(() => {});
    const end = Date.now();
    stopping.abort();
    this.#reader?.writeLine(`${begin} ${end}`);
    const ages = await this.#reader?.readJson<readonly SessionAges[]>();
    await activity;
    return ages ?? [];
  }

  async #startHealthy(): Promise<void> {
    const fairlead = this.connect();
    this.healthy = await mapConcurrently(4, Array.from({ length: this.#options.healthy }), async () => {
      const { session } = await fairlead.start({ agent: "scripted", workspace: this.workspace });
      await fairlead.send(session, "Begin.");
      return session;
    });
    const options: LatencyReaderOptions = { socket: this.socket, sessions: this.healthy };
    this.#reader = new ChildProgram(new URL("latency-reader.ts", import.meta.url), options);
    await this.measure(async () => {}, 1000); // until the first output of all has arrived
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader?.kill();
    await this.killDaemon();
    await endProcessesOfHome(this.#folder); // a frozen keeper ends only by SIGKILL
    await this.testHome[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
