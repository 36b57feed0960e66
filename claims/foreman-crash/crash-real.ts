/** Kills services while real agents build and review, and prints what happened as JSON: `node crash-real.ts KILLS SEED`. */
import { Plan } from "@fairlead/api";
import { SeededRandom } from "../../measure/seeded-random.ts";
import { RealForeman, writeCommand } from "../foreman/real-foreman.ts";
import { createRepository, killForeman, type KilledRun } from "./kill-foreman.ts";

async function crashReal(
  random: SeededRandom,
  kills: number,
  [builder, reviewer]: readonly [string, string],
): Promise<KilledRun> {
  await using foreman = await RealForeman.open([builder, reviewer]);
  const { workspace, remote } = createRepository(foreman.folder, "crashed");
  const repaired = { "b.txt": "right", "zz-review.txt": foreman.review(reviewer, "approve") };
  const what = foreman.commands(builder, writeCommand(repaired));
  const findings = [{ path: "b.txt", what, severity: "error" }];
  const first = { "b.txt": "wrong", "zz-review.txt": foreman.review(reviewer, "changes", findings) };
  const plan = Plan.parse({
    goal: "Do it",
    builder: { agent: builder, mode: "full-auto", settings: foreman.settingsOf(builder) },
    reviewer: { agent: reviewer, settings: foreman.settingsOf(reviewer) },
    tasks: [{ id: "write", brief: foreman.commands(builder, writeCommand(first)) }],
    acceptance: ["test -s b.txt"],
    forge: { kind: "git" },
  });
  const options = { home: foreman.home.folder, workspace, remote, plan, kills, oneOf: 8, maxDelay: 1500 };
  // The process that is killed is another one than this, which has the lab.
  return await killForeman(random, { ...options, environment: foreman.environment });
}

if (import.meta.main) {
  const kills = Number(process.argv[2]);
  const random = new SeededRandom(Number(process.argv[3]));
  console.log(JSON.stringify(await crashReal(random, kills, ["claude-code", "codex"])));
  console.log(JSON.stringify(await crashReal(random, kills, ["codex", "claude-code"])));
}
