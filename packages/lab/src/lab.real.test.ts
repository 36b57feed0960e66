import { spawn } from "node:child_process";
import { mkdtempDisposable, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll, expect, test } from "vitest";
import { agentProgram } from "./agents.ts";
import { assertOffline } from "./assert-offline.ts";
import { isolatedEnvironment } from "./isolation.ts";
import { openLab } from "./lab.ts";
import { script } from "./script.ts";
import type { Step } from "./step.ts";

/** The parts of what the real program prints that these tests look at. */
interface Printed {
  readonly type: string;
  readonly subtype?: string;
  readonly message?: { readonly content: readonly Record<string, unknown>[] };
  readonly event?: { readonly delta?: { readonly type?: string; readonly text?: string } };
  readonly usage?: Readonly<Record<string, number>>;
}

beforeAll(assertOffline);

/** Runs the real program once, with a script as its prompt, in folders of its own. */
async function openStage() {
  const lab = await openLab();
  const folder = await mkdtempDisposable(join(tmpdir(), "lab-real-"));
  const environment = { ...isolatedEnvironment(folder.path, lab), CLAUDE_CODE_MAX_RETRIES: "1" };
  return {
    lab,
    folder: folder.path,
    async run(steps: readonly Step[]) {
      const format = ["--output-format", "stream-json", "--verbose", "--include-partial-messages"];
      const line = ["-p", ...format, "--permission-mode", "acceptEdits", "--", script(steps)];
      const child = spawn(agentProgram("claude-code"), line, {
        cwd: folder.path,
        env: environment,
        stdio: ["ignore", "pipe", "inherit"],
      });
      const lines = (await text(child.stdout)).trim().split("\n");
      const printed = lines.map((each) => JSON.parse(each) as Printed);
      return { printed, result: printed.find((each) => each.type === "result") };
    },
    async [Symbol.asyncDispose]() {
      await lab[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

function spoken(printed: readonly Printed[]): unknown[] {
  return printed.flatMap((each) => (each.type === "assistant" ? (each.message?.content ?? []) : []));
}

const slow = { timeout: 60_000 };

test("says a text in as many deltas as asked for, and reports the usage that the lab stated", slow, async () => {
  await using stage = await openStage();
  const { printed, result } = await stage.run([{ text: "Hello from the lab.", chunks: 4 }]);
  expect(result).toMatchObject({ subtype: "success", is_error: false, result: "Hello from the lab." });
  expect(printed.filter((each) => each.event?.delta?.type === "text_delta")).toHaveLength(4);
  expect(stage.lab.served).toHaveLength(1);
  const { input, cacheRead, cacheWrite, output } = stage.lab.served[0]!;
  expect(result?.usage).toMatchObject({
    input_tokens: input,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
    output_tokens: output,
  });
});

test("uses a tool and goes on to the next step", slow, async () => {
  await using stage = await openStage();
  const file = join(stage.folder, "made.txt");
  const write = { name: "Write", input: { file_path: file, content: "made by a script\n" } };
  const { printed, result } = await stage.run([{ text: "I write.", tools: [write] }, { text: "Written." }]);
  expect(await readFile(file, "utf8")).toBe("made by a script\n");
  expect(spoken(printed)).toMatchObject([
    { text: "I write." },
    { type: "tool_use", name: "Write" },
    { text: "Written." },
  ]);
  expect(result).toMatchObject({ is_error: false, result: "Written." });
  const outputs = stage.lab.served.map((served) => served.output);
  expect(result?.usage?.["output_tokens"]).toBe(outputs.reduce((sum, output) => sum + output));
});

test("thinks", slow, async () => {
  await using stage = await openStage();
  const { printed } = await stage.run([{ think: "What is asked?", text: "Done." }]);
  expect(spoken(printed)).toMatchObject([{ type: "thinking", thinking: "What is asked?" }, { text: "Done." }]);
});

test("takes an error for one", slow, async () => {
  await using stage = await openStage();
  const { result } = await stage.run([{ error: { status: 400, message: "made up" } }]);
  expect(result).toMatchObject({ is_error: true, api_error_status: 400, result: "API Error: 400 made up" });
  expect(stage.lab.served).toEqual([]);
});

test("sees the first delta of a cut stream, then an error", slow, async () => {
  await using stage = await openStage();
  const { printed, result } = await stage.run([{ text: "abcdef", chunkDelay: 500, cut: true }]);
  const deltas = printed.flatMap((each) => each.event?.delta?.text ?? []);
  expect(new Set(deltas)).toEqual(new Set(["ab"]));
  expect(result).toMatchObject({ is_error: true, api_error_status: null });
  expect(stage.lab.served.every((served) => !served.complete)).toBe(true);
});

test("cannot reach a lab that refuses", slow, async () => {
  await using stage = await openStage();
  stage.lab.refuse();
  const { result } = await stage.run([{ text: "never" }]);
  expect(result).toMatchObject({ is_error: true, result: expect.stringContaining("ECONNREFUSED") as string });
  expect(stage.lab.requests).toEqual([]);
});
