import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { RemoteFairlead } from "@fairlead/client";
import { nodeTransport } from "@fairlead/client/node";
import { openSqliteLog } from "@fairlead/journal";
import { writeHistory } from "@fairlead/testing/runtime/write-history.ts";
import type { Proof } from "../../measure/claim.ts";
import { median } from "../../measure/quantile.ts";
import { TestHome } from "../../measure/test-home.ts";
import { ensureBuilt } from "../daemon/built.ts";
import { readSize } from "../daemon/size.ts";

const sessions = readSize("history-sessions", 10_000);
const eventsPerSession = readSize("history-events", 250);
const rounds = readSize("history-rounds", 7);
const requestCount = 50;
/** The number of events of a history whose turn has no text. */
const otherEvents = 5;
/** Sessions that are written at the same time, so that they are committed together. */
const groupSize = 200;

/** The cost of a daemon with a long history. Times are medians in milliseconds. */
interface HistoryCost {
  readonly sessions: number;
  readonly events: number;
  /** `fairlead up` in an empty data directory, and in the full one. */
  readonly up: { readonly empty: number; readonly full: number };
  readonly health: { readonly empty: number; readonly full: number };
  /** A session by its name. In the empty directory: a name that no session has. */
  readonly name: { readonly empty: number; readonly full: number };
  readonly firstPage: { readonly empty: number; readonly full: number };
  /** The control: the same directory after its index was removed, as if everything had to be read. */
  readonly withoutIndex: { readonly up: number; readonly name: number; readonly rebuilt: number };
}

const bounds = { up: 1.3, health: 10, name: 10, firstPage: 50 };

/** The bound of the claim, in words. */
export const historyBound = `${sessions} ended sessions with ${sessions * eventsPerSession} events: \`up\` ≤ ${bounds.up} × that of an empty directory, health and a name ≤ ${bounds.health} ms, the first page ≤ ${bounds.firstPage} ms; control: without the index, a name takes more`;

/** Measures a long history and compares it with the bounds. The control must exceed the bound of a name. */
export async function proveHistory(): Promise<Proof> {
  const { up, health, name, firstPage, withoutIndex, ...size } = await measureHistory();
  const ratio = up.full / up.empty;
  const isFlat = ratio <= bounds.up && health.full <= bounds.health && name.full <= bounds.name;
  const [load = 0] = loadavg();
  return {
    holds: isFlat && firstPage.full <= bounds.firstPage && withoutIndex.name > bounds.name,
    measured: [
      `${size.sessions} sessions, ${size.events} events at load ${load.toFixed(1)}; medians, empty / full`,
      `up ${format(up)} (${ratio.toFixed(2)} x)`,
      `health ${format(health)}, name ${format(name)}, first page ${format(firstPage)}`,
      `index removed: up ${withoutIndex.up.toFixed(0)} ms, rebuilt after ${(withoutIndex.rebuilt / 1000).toFixed(1)} s, a name until then ${withoutIndex.name.toFixed(0)} ms`,
    ].join("; "),
  };
}

function format({ empty, full }: { readonly empty: number; readonly full: number }): string {
  return `${empty.toFixed(1)} / ${full.toFixed(1)} ms`;
}

/** Writes a history of ended sessions, and measures what a start and the common queries cost with it and without. */
async function measureHistory(): Promise<HistoryCost> {
  await ensureBuilt();
  await using empty = new DaemonHome();
  await using full = new DaemonHome();
  await full.writeHistory();
  await full.up(); // builds the index
  await full.waitUntilRebuilt();
  await full.down();
  const times: { readonly empty: number[]; readonly full: number[] } = { empty: [], full: [] };
  for (let round = 0; round < rounds; round += 1) {
    // Alternating, so that a change of the machine's load affects both.
    for (const [name, home] of Object.entries({ empty, full }) as ["empty" | "full", DaemonHome][]) {
      times[name].push(await home.up());
      await home.down();
    }
  }
  await Promise.all([empty.up(), full.up()]);
  const name = `name-${Math.floor(sessions / 2)}`;
  const clients = [empty.connect(), full.connect()] as const;
  const queries = {
    health: await compareRequests(clients, (fairlead) => fairlead.health()),
    name: await compareRequests(clients, (fairlead) => fairlead.session(name).catch(() => {})),
    firstPage: await compareRequests(clients, (fairlead) => fairlead.sessions()),
  };
  const found = await clients[1].session(name);
  if (found.name !== name) throw new Error(`The name ${name} was not found.`);
  await full.down();
  return {
    sessions,
    events: sessions * eventsPerSession,
    up: { empty: median(times.empty), full: median(times.full) },
    ...queries,
    withoutIndex: await measureWithoutIndex(full, name),
  };
}

async function measureWithoutIndex(full: DaemonHome, name: string): Promise<HistoryCost["withoutIndex"]> {
  full.removeIndex();
  const upTime = await full.up();
  const startedAt = performance.now();
  const rebuilding = full.waitUntilRebuilt();
  await full.connect().session(name);
  const nameTime = performance.now() - startedAt;
  await rebuilding;
  const rebuilt = upTime + performance.now() - startedAt;
  await full.down();
  return { up: upTime, name: nameTime, rebuilt };
}

/** Sends a request to both services in turn, and returns the median times. */
async function compareRequests(
  [empty, full]: readonly [RemoteFairlead, RemoteFairlead],
  request: (fairlead: RemoteFairlead) => Promise<unknown>,
): Promise<{ readonly empty: number; readonly full: number }> {
  const times = { empty: [] as number[], full: [] as number[] };
  for (let count = 0; count < requestCount; count += 1) {
    for (const name of ["empty", "full"] as const) {
      const startedAt = performance.now();
      await request(name === "empty" ? empty : full);
      times[name].push(performance.now() - startedAt);
    }
  }
  return { empty: median(times.empty), full: median(times.full) };
}

/** A data directory whose daemon is started and stopped by the commands that people type. */
class DaemonHome implements AsyncDisposable {
  readonly #testHome = new TestHome();

  /** Writes ended sessions with their events and their folders, as processes left them that are gone. */
  async writeHistory(): Promise<void> {
    const { home } = this.#testHome;
    home.create();
    await using journal = await openSqliteLog({ file: home.journalFile });
    for (let first = 0; first < sessions; first += groupSize) {
      const group = Array.from({ length: Math.min(groupSize, sessions - first) }, (_, index) => first + index);
      await Promise.all(
        group.map(async (number) => {
          const session = `session-${number}`;
          const texts = eventsPerSession - otherEvents;
          const at = Date.UTC(2026, 0, 1) + number * 60_000;
          mkdirSync(join(home.sessionFolder(session), "spool"), { recursive: true });
          await writeHistory(journal, { session, name: `name-${number}`, texts, at, batchSize: 64 });
        }),
      );
    }
  }

  /** Starts the daemon and returns how long the command took, in milliseconds. */
  async up(): Promise<number> {
    const startedAt = performance.now();
    await this.#run("up");
    return performance.now() - startedAt;
  }

  async down(): Promise<void> {
    await this.#run("down");
  }

  connect(): RemoteFairlead {
    return new RemoteFairlead(nodeTransport({ socket: this.#testHome.home.daemonSocket }));
  }

  /** Resolves when the daemon's index has all sessions. */
  async waitUntilRebuilt(): Promise<void> {
    const fairlead = this.connect();
    while ((await fairlead.sessions({ limit: 1 })).pending > 0);
    const counted = await fairlead.sessions({ limit: 1, order: "session" });
    if (counted.sessions.length === 0) throw new Error("The index has no session.");
  }

  removeIndex(): void {
    const { indexFile } = this.#testHome.home;
    for (const suffix of ["", "-wal", "-shm"]) rmSync(indexFile + suffix, { force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.down();
    await this.#testHome[Symbol.asyncDispose]();
  }

  async #run(command: string): Promise<void> {
    const program = new URL("../../packages/cli/dist/src/main.js", import.meta.url).pathname;
    const env = { ...this.#testHome.environment, FAIRLEAD_HOME: this.#testHome.home.folder };
    const child = spawn(process.execPath, ["--conditions=built", program, command], {
      env,
      stdio: ["ignore", "ignore", "inherit"],
    });
    const [code] = (await once(child, "close")) as [number | null];
    if (code !== 0) throw new Error(`fairlead ${command} exited with ${code}.`);
  }
}
