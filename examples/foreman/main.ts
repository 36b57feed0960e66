/** Runs a plan with two scripted agents, inside this program: `node examples/foreman/main.ts`. Works in the current folder. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { adapters } from "@fairlead/adapters";
import type { Adapter } from "@fairlead/contract";
import { parsePlan } from "@fairlead/foreman";
import { Home } from "@fairlead/runtime";
import { LocalFairlead } from "@fairlead/service";

const git = (...args: string[]): string => execFileSync("git", args, { encoding: "utf8" }).trim();
git("init", "--quiet", "--bare", "remote.git");
git("init", "--quiet", "project");
const person = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
git("-C", "project", ...person, "commit", "--quiet", "--allow-empty", "--message", "start");
git("-C", "project", "remote", "add", "origin", resolve("remote.git"));

// The scripted agent under another name, as if another vendor made it: a plan needs two.
const scripted = adapters.find(({ manifest }) => manifest.id === "scripted") as Adapter;
const second = { ...scripted, manifest: { ...scripted.manifest, id: "scripted-second", vendor: "Second" } };
await using fairlead = await LocalFairlead.open({ home: new Home(".fairlead"), adapters: [...adapters, second] });

const plan = parsePlan(readFileSync(new URL("foreman.yaml", import.meta.url), "utf8"));
const { run } = await fairlead.startRun({ plan, workspace: resolve("project") });
for (let after = 0, ended = false; !ended;) {
  const page = await fairlead.runEvents({ run, after, wait: 10_000 });
  for (const { seq, body } of page.events) {
    console.log(seq, body.type);
    if (body.type === "decision.requested") await fairlead.answer(run, body.decision, { type: "allow" });
    after = seq;
  }
  ({ ended } = page);
}
const { outcome, reason } = await fairlead.run(run);
console.log(`${outcome}: ${reason}`);
console.log(git("-C", "remote.git", "ls-tree", "--name-only", `fairlead/${run}`));
process.exitCode = outcome === "done" ? 0 : 1;
