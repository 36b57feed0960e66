import { readFileSync } from "node:fs";
import { freemem } from "node:os";
import { leanFlags } from "@fairlead/keeper";
import { Child } from "../claims/child.ts";
import { Ground } from "../claims/ground.ts";
import { claimOf, type Bench } from "./figure.ts";
import type { ManySessionsOptions } from "./memory/many-sessions.ts";

const counts = { some: 50, many: 200 };
const bounds = { each: 12, all: 1.5 * 1024 };
/** An agent of ours takes so much; with less than that left for all of them, nothing is started. */
const needed = counts.many * 100 * 2 ** 20;

interface Reading {
  /** A node that does as good as nothing, at the same time. */
  readonly bare: number;
  readonly keepers: number;
  readonly runtime: number;
}

export const memoryPerSessionBench: Bench = {
  id: "memory-per-session",
  says: "A session that waits costs little beside its agent.",
  bound: `≤ ${bounds.each} MiB each at ${counts.some}, < ${bounds.all} MiB in all at ${counts.many}, agents left out`,
  async measure() {
    if (freemem() < needed) throw new Error("There is not enough memory for so many agents.");
    const [none, some, many] = await readings([0, counts.some, counts.many]);
    const each = (some.keepers + some.runtime - none.runtime) / counts.some;
    const all = many.keepers + many.runtime;
    const { bare } = some;
    const floor = `${bare.toFixed(1)} MiB a bare node`;
    const share = (some.runtime - none.runtime) / counts.some;
    return [
      {
        name: `memory per idle session at ${counts.some}`,
        measured: `${each.toFixed(1)} MiB, of which runtime ${share.toFixed(2)}`,
        floor,
        ratio: `${(each / bare).toFixed(2)} ×`,
        bound: `≤ ${bounds.each} MiB`,
        holds: each <= bounds.each,
      },
      {
        name: `memory of ${counts.many} idle sessions`,
        measured: `${all.toFixed(0)} MiB, of which runtime ${many.runtime.toFixed(0)}`,
        floor,
        ratio: `${(all / counts.many / bare).toFixed(2)} ×`,
        bound: `< ${bounds.all} MiB`,
        holds: all < bounds.all,
      },
    ];
  },
};

export const memoryPerSession = claimOf(memoryPerSessionBench);

/** What keepers and runtime take at each number of sessions. Ending the ground ends all sessions. */
async function readings<const Counts extends readonly number[]>(
  upTo: Counts,
): Promise<{ [At in keyof Counts]: Reading }> {
  await using ground = new Ground();
  const { environment: env, home } = ground;
  const options: ManySessionsOptions = { home: home.folder, workspace: ground.workspace(), upTo };
  await using host = new Child(new URL("memory/many-sessions.ts", import.meta.url), options, { env });
  const flags = [...leanFlags, "--expose-gc"];
  await using bare = new Child(new URL("memory/bare-node.js", import.meta.url), null, { flags });
  await bare.line();
  const taken: Reading[] = [];
  for (const _ of upTo) {
    const sessions = await host.told<string[]>();
    const keepers = sessions.map((session) => shareOf(ground.keeper(session)?.pid ?? 0));
    const all = keepers.reduce((sum, one) => sum + one, 0);
    taken.push({ bare: shareOf(bare.pid), keepers: all, runtime: shareOf(host.pid) });
    host.say("on");
  }
  return taken as { [At in keyof Counts]: Reading };
}

/** What a process has in memory, in MiB, with its part of what it shares with others. */
function shareOf(pid: number): number {
  const share = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1];
  return Number(share) / 1024;
}
