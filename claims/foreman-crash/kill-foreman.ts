import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Plan } from "@fairlead/api";
import { ChildProgram } from "../../measure/child-program.ts";
import type { SeededRandom } from "../../measure/seeded-random.ts";
import type { ForemanProcessOptions, ForemanReport, RunSummary } from "./foreman-process.ts";

export interface KillOptions {
  readonly home: string;
  readonly workspace: string;
  readonly remote: string;
  readonly plan: Plan;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** How often the process is killed at most. */
  readonly kills: number;
  /** One of how many lines kills. */
  readonly oneOf: number;
  /** The longest time between a line and the kill, in milliseconds. */
  readonly maxDelay: number;
  readonly randomKeys?: boolean;
}

export interface KilledRun {
  readonly kills: number;
  /** The moments of the kills, as `STEP MOMENT`. */
  readonly moments: readonly string[];
  readonly summary: RunSummary;
  /** How often the branch of the run changed in the remote. */
  readonly pushes: number;
}

/** Runs a plan in a process that is killed again and again, at and inside its steps. */
export async function killForeman(random: SeededRandom, options: KillOptions): Promise<KilledRun> {
  const { home, workspace, remote, plan, environment, randomKeys = false } = options;
  const argument: ForemanProcessOptions = { home, request: { plan, workspace }, key: `crash-${workspace}`, randomKeys };
  const moments: string[] = [];
  for (;;) {
    await using service = new ChildProgram(new URL("foreman-process.ts", import.meta.url), argument, {
      env: environment,
    });
    for (;;) {
      const report = await service.readJson<ForemanReport>();
      if ("summary" in report) {
        const { summary } = report;
        return { kills: moments.length, moments, summary, pushes: countPushes(remote, summary.run) };
      }
      if (moments.length >= options.kills || random.nextBelow(options.oneOf) > 0) continue;
      // Between nothing and the longest time after the line: at a step, or inside it.
      await wait(random.nextBelow(3) === 0 ? 0 : random.nextBelow(options.maxDelay));
      moments.push(`${report.step} ${report.moment}`);
      break;
    }
  }
}

/** Creates a repository with a bare remote that records every change of a branch. */
export function createRepository(folder: string, name: string): { workspace: string; remote: string } {
  const workspace = join(folder, name);
  const remote = join(folder, `${name}.git`);
  const git = (...args: string[]): string => execFileSync("git", args, { encoding: "utf8" });
  git("init", "--quiet", "--bare", remote);
  git("-C", remote, "config", "core.logAllRefUpdates", "always");
  git("init", "--quiet", "--initial-branch=main", workspace);
  const person = ["-c", "user.name=Person", "-c", "user.email=person@example.com"];
  git("-C", workspace, ...person, "commit", "--quiet", "--allow-empty", "-m", "first");
  git("-C", workspace, "remote", "add", "origin", remote);
  return { workspace, remote };
}

function countPushes(remote: string, run: string): number {
  const file = join(remote, "logs/refs/heads/fairlead", run);
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").length : 0;
}
