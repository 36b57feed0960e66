import { spawn } from "node:child_process";
import { mkdtempDisposable, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll, expect, test } from "vitest";
import { agentProgram } from "./agents.ts";
import { assertOffline } from "./offline.ts";
import { isolatedEnvironment } from "./isolated-environment.ts";
import { openLab } from "./lab.ts";
import { scriptPrompt, type ScriptStep } from "./script.ts";

/** The fields of the real program's output that these tests read. */
interface PrintedMessage {
  readonly type: string;
  readonly subtype?: string;
  readonly session_id?: string;
  readonly message?: { readonly content: readonly Record<string, unknown>[] };
  readonly event?: { readonly delta?: { readonly type?: string; readonly text?: string } };
  readonly usage?: Readonly<Record<string, number>>;
}

beforeAll(assertOffline);

/** Opens a lab and a folder in which the real program runs a script. */
async function openProgram() {
  const lab = await openLab();
  const folder = await mkdtempDisposable(join(tmpdir(), "lab-real-"));
  const environment = { ...isolatedEnvironment(folder.path, lab), CLAUDE_CODE_MAX_RETRIES: "1" };
  return {
    lab,
    folder: folder.path,
    async run(steps: readonly ScriptStep[]) {
      return await this.ask(scriptPrompt(steps));
    },
    async ask(prompt: string, options: readonly string[] = []) {
      const format = ["--output-format", "stream-json", "--verbose", "--include-partial-messages"];
      const args = ["-p", ...format, "--permission-mode", "acceptEdits", ...options, "--", prompt];
      const child = spawn(agentProgram("claude-code"), args, {
        cwd: folder.path,
        env: environment,
        stdio: ["ignore", "pipe", "inherit"],
      });
      const lines = (await text(child.stdout)).trim().split("\n");
      const printed = lines.map((line) => JSON.parse(line) as PrintedMessage);
      return { printed, result: printed.find((message) => message.type === "result") };
    },
    async [Symbol.asyncDispose]() {
      await lab[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

function assistantContent(printed: readonly PrintedMessage[]): unknown[] {
  return printed.flatMap((message) => (message.type === "assistant" ? (message.message?.content ?? []) : []));
}

const realProgram = { timeout: 60_000 };

test("streams a text in the scripted number of deltas and reports the usage of the lab", realProgram, async () => {
  await using program = await openProgram();
  const { printed, result } = await program.run([{ text: "Hello from the lab.", chunks: 4 }]);
  expect(result).toMatchObject({ subtype: "success", is_error: false, result: "Hello from the lab." });
  expect(printed.filter((message) => message.event?.delta?.type === "text_delta")).toHaveLength(4);
  expect(program.lab.servedAnswers).toHaveLength(1);
  const { input, cacheRead, cacheWrite, output } = program.lab.servedAnswers[0]!;
  expect(result?.usage).toMatchObject({
    input_tokens: input,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
    output_tokens: output,
  });
});

test("runs a tool and continues with the next step", realProgram, async () => {
  await using program = await openProgram();
  const file = join(program.folder, "made.txt");
  const write = { name: "Write", input: { file_path: file, content: "made by a script\n" } };
  const { printed, result } = await program.run([{ text: "I write.", tools: [write] }, { text: "Written." }]);
  expect(await readFile(file, "utf8")).toBe("made by a script\n");
  expect(assistantContent(printed)).toMatchObject([
    { text: "I write." },
    { type: "tool_use", name: "Write" },
    { text: "Written." },
  ]);
  expect(result).toMatchObject({ is_error: false, result: "Written." });
  const outputs = program.lab.servedAnswers.map((served) => served.output);
  expect(result?.usage?.["output_tokens"]).toBe(outputs.reduce((sum, output) => sum + output));
});

test("answers plain prompts with their registered scripts, also in a new process", realProgram, async () => {
  await using program = await openProgram();
  const write = { name: "Write", input: { file_path: join(program.folder, "made.txt"), content: "made\n" } };
  program.lab.registerScript("Make a file", [{ text: "I write.", tools: [write] }, { text: "Written." }]);
  program.lab.registerScript("Make a file again", [{ text: "Once is enough." }]);
  const first = await program.ask("Make a file");
  expect(first.result).toMatchObject({ is_error: false, result: "Written." });
  const second = await program.ask("Make a file again", ["--resume", first.result?.session_id ?? ""]);
  expect(second.result).toMatchObject({ result: "Once is enough.", session_id: first.result?.session_id });
  const unregistered = await program.ask("Make nothing");
  expect(unregistered.result).toMatchObject({ result: "No script was given." });
  expect(JSON.stringify(program.lab.requests)).not.toContain("SCRIPT:");
});

test("reports thinking", realProgram, async () => {
  await using program = await openProgram();
  const { printed } = await program.run([{ think: "What is asked?", text: "Done." }]);
  expect(assistantContent(printed)).toMatchObject([
    { type: "thinking", thinking: "What is asked?" },
    { text: "Done." },
  ]);
});

test("reports an HTTP error", realProgram, async () => {
  await using program = await openProgram();
  const { result } = await program.run([{ error: { status: 400, message: "made up" } }]);
  expect(result).toMatchObject({ is_error: true, api_error_status: 400, result: "API Error: 400 made up" });
  expect(program.lab.servedAnswers).toEqual([]);
});

test("reports the first delta of a cut stream, then an error", realProgram, async () => {
  await using program = await openProgram();
  const { printed, result } = await program.run([{ text: "abcdef", chunkDelay: 500, cut: true }]);
  const deltas = printed.flatMap((message) => message.event?.delta?.text ?? []);
  expect(new Set(deltas)).toEqual(new Set(["ab"]));
  expect(result).toMatchObject({ is_error: true, api_error_status: null });
  expect(program.lab.servedAnswers.every((served) => !served.complete)).toBe(true);
});

test("reports a refused connection", realProgram, async () => {
  await using program = await openProgram();
  program.lab.refuse();
  const { result } = await program.run([{ text: "never" }]);
  expect(result).toMatchObject({ is_error: true, result: expect.stringContaining("ECONNREFUSED") as string });
  expect(program.lab.requests).toEqual([]);
});
