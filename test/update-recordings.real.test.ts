import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isRecordable } from "../packages/conformance/src/save-recording.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const shellRecordings = join(root, "packages/adapters/src/shell/fixtures");

/**
 * A test file of an adapter's author. With `defect`, the shell's dialect drops the text of each turn, which breaks
 * `text:whole`.
 */
const testFile = (defect: boolean): string => `
import { adapters } from "@fairlead/adapters";
import { judgeProgram, judgeRecordings } from "@fairlead/conformance/vitest";
import { testBenches } from "@fairlead/lab";
const shell = adapters.find(({ manifest }) => manifest.id === "shell");
const drop = (transition) => ({ ...transition, events: transition.events?.filter(({ type }) => type !== "text.ended") });
const open = (opening) => {
  const conversation = shell.open(opening);
  const { initialState, handle, observe } = conversation.dialect;
  return { ...conversation, dialect: { initialState, handle, observe: (...args) => drop(observe(...args)) } };
};
const adapter = ${defect ? "{ ...shell, open }" : "shell"};
judgeRecordings(adapter, new URL("fixtures/", import.meta.url));
judgeProgram(adapter, testBenches.shell, new URL("fixtures/", import.meta.url));
`;

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "fl-update-"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  mkdirSync(join(folder, "fixtures"));
  // A recording whose events are outdated, as after an intended change of the dialect.
  cpSync(join(shellRecordings, "plain-turn.spool.jsonl"), join(folder, "fixtures/plain-turn.spool.jsonl"));
  writeFileSync(join(folder, "fixtures/plain-turn.events.jsonl"), outdatedEvents);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const outdatedEvents = '{"type":"outdated"}\n';
const readEvents = (): string => readFileSync(join(folder, "fixtures/plain-turn.events.jsonl"), "utf8");

/** Runs vitest in the folder and returns its exit code and its output. */
async function runVitest(test: string, ...options: string[]): Promise<{ code: number; output: string }> {
  writeFileSync(join(folder, "adapter.test.js"), test);
  const path = [join(root, "node_modules/.bin"), dirname(process.execPath), process.env["PATH"]];
  const env = { HOME: folder, NO_COLOR: "1", PATH: path.join(delimiter) };
  return await new Promise((resolve) => {
    execFile("vitest", ["run", ...options], { cwd: folder, env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), output: `${stdout}${stderr}` }),
    );
  });
}

test("an outdated recording fails, and an update replaces it", { timeout: 120_000 }, async () => {
  const { code, output } = await runVitest(testFile(false), "--testNamePattern", "plain-turn");
  expect(code, output).toBe(1);
  expect(output).toContain("dialect:steady");
  const update = await runVitest(testFile(false), "--update");
  expect(update.code, update.output).toBe(0);
  expect(readEvents()).toContain("turn.ended");
});

test("an update does not record a scenario that breaks a clause", { timeout: 120_000 }, async () => {
  const { code, output } = await runVitest(testFile(true), "--update");
  expect(code, output).toBe(1);
  expect(output).toContain("text:whole is broken");
  expect(output).toMatch(/not recorded, because a clause is broken: .*plain turn/);
  expect(readEvents()).toBe(outdatedEvents);
  expect(readdirSync(join(folder, "fixtures"))).toContain("failing-tool.spool.jsonl");
});

test("a scenario with a known failure, or with a broken SHOULD clause, is recorded", () => {
  const finding = { scenario: "plain turn", problem: "It differs." } as const;
  expect(isRecordable([{ ...finding, clause: "text:whole", problem: null }])).toBe(true);
  expect(isRecordable([{ ...finding, clause: "text:whole" }])).toBe(false);
  expect(isRecordable([{ ...finding, clause: "text:whole" }], { "text:whole": "a known defect" })).toBe(true);
  expect(isRecordable([{ ...finding, clause: "session:model" }])).toBe(true);
});
