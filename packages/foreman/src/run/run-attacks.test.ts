import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ForemanBench } from "@fairlead/testing/foreman/foreman-bench.ts";
import { brief, reviewFile, submitStep, writeStep } from "@fairlead/testing/foreman/scripts.ts";
import { expect, test } from "vitest";

const run = "run-1";
const approved = { "b.txt": "two\n", ...reviewFile(submitStep("approve")) };
const command = (text: string): object => ({ tools: [{ name: "run", input: { command: text } }] });

/** A folder that only code outside of the sandbox could write to. */
function createMarkerFolder(): { readonly folder: string } & Disposable {
  const folder = mkdtempSync(join(tmpdir(), "marker-"));
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

test("the filters of a repository in the clone do not run, and it is not pushed", async () => {
  using marker = createMarkerFolder();
  await using bench = await ForemanBench.open({ "a.txt": "one\n" });
  const evil = `mkdir -p vendor && cd vendor && git init -q && echo '* filter=x' > .gitattributes && git config filter.x.clean 'touch $HOME/ran ${marker.folder}/ran; cat' && echo v > v.txt && git add . && git -c user.name=a -c user.email=a@b commit -qm v && echo w > v.txt`;
  // The first command fails, so that a second snapshot is made with the repository in it.
  const next = brief("x", writeStep(approved));
  const task = brief("Go.", command(evil), writeStep({ "next.txt": next, "b.txt": "no\n" }));
  await bench.start(run, { tasks: [{ id: "a", brief: task }], acceptance: ["cat next.txt; grep -q two b.txt"] });
  expect(await bench.result(run)).toMatchObject({ outcome: "failed", reason: expect.stringContaining("vendor") });
  expect(bench.remoteGit("for-each-ref")).toBe("");
  expect(existsSync(join(marker.folder, "ran"))).toBe(false);
  expect(existsSync(join(bench.home.home.runRepository(run), "ran"))).toBe(false);
});

test("the configuration of the run's repository is not used for a push", async () => {
  using marker = createMarkerFolder();
  await using bench = await ForemanBench.open();
  await bench.start(run, { tasks: [{ id: "a", brief: brief("Go.", writeStep(approved)) }] });
  await bench.waitFor(run, "decision.requested");
  const file = join(bench.home.home.runRepository(run), "config");
  execFileSync("git", ["config", "--file", file, `url.ext::touch ${marker.folder}/ran.insteadOf`, bench.remote]);
  execFileSync("git", ["config", "--file", file, "protocol.ext.allow", "always"]);
  await bench.approve(run);
  expect(await bench.result(run)).toMatchObject({ outcome: "done" });
  expect(existsSync(join(marker.folder, "ran"))).toBe(false);
});

test("the setup of a trusted workspace file does not run on an agent's commit", async () => {
  using marker = createMarkerFolder();
  const setup = `setup:\n  - sh ./prepare.sh\n`;
  await using bench = await ForemanBench.open(
    { "fairlead.yaml": setup, "prepare.sh": "true\n", "a.txt": "one\n" },
    {},
    { trusts: () => true },
  );
  const files = { ...approved, "prepare.sh": `touch ${marker.folder}/ran\n` };
  await bench.start(run, { tasks: [{ id: "a", brief: brief("Go.", writeStep(files)) }], acceptance: ["true"] });
  await bench.approve(run);
  expect(await bench.result(run)).toMatchObject({ outcome: "done" });
  expect(existsSync(join(marker.folder, "ran"))).toBe(false);
});

test("what one command writes does not let the next one pass", async () => {
  await using bench = await ForemanBench.open();
  const files = { ...approved, "b.txt": "no\n", "t.sh": "echo ok > b.txt\n" };
  const acceptance = ["sh ./t.sh", "grep -q ok b.txt"];
  await bench.start(run, { tasks: [{ id: "a", brief: brief("Go.", writeStep(files)) }], acceptance, rounds: 0 });
  expect(await bench.result(run)).toMatchObject({ outcome: "exhausted" });
});

test("a run that is canceled while it ends says how it ended", async () => {
  await using bench = await ForemanBench.open();
  await bench.start(run, { tasks: [{ id: "a", brief: brief("Go.", writeStep(approved)) }] });
  const stop = bench.fairlead.stop.bind(bench.fairlead);
  const stopAndCancel: typeof stop = async (session, options) => {
    // The reviewer has ended already, so that this is the end of the run.
    if (session === (await bench.bodies(run, "task.started"))[0]?.session) await bench.workflows.cancel(run);
    return await stop(session, options);
  };
  Object.defineProperty(bench.fairlead, "stop", { value: stopAndCancel });
  await bench.approve(run);
  await bench.result(run).catch(() => {});
  expect((await bench.log.read(run)).at(-1)?.body).toMatchObject({ type: "run.ended", outcome: "done" });
});
