import { openLab, script, type Lab, type Step } from "@fairlead/lab";
import { expect, test } from "vitest";
import type { Answer } from "../../packages/adapters/programs/openai-agent/answer.ts";
import { Model } from "../../packages/adapters/programs/openai-agent/model.ts";
import { readSettings, type Settings } from "../../packages/adapters/programs/openai-agent/settings.ts";
import { tools } from "../../packages/adapters/programs/openai-agent/tools.ts";

interface Asked {
  readonly settings?: Partial<Settings>;
  readonly turn?: AbortController;
  readonly hear?: (text: string) => void;
}

async function ask(
  lab: Lab,
  step: Step,
  { settings, turn = new AbortController(), hear }: Asked = {},
): Promise<Answer> {
  const read = readSettings(["--base-url", `${lab.url}/v1`, "--model", "some-model"], {}) as Settings;
  return new Model({ ...read, retryDeadline: 5000, ...settings }).ask({
    system: "Be brief.",
    history: [{ role: "user", content: script([step]) }],
    tools,
    signal: turn.signal,
    hear: async ({ text }) => hear?.(text),
  });
}

test("an answer is put together from its pieces, with what it cost", async () => {
  await using lab = await openLab();
  const heard: string[] = [];
  const called = { name: "read_file", input: { path: "a.txt" } };
  const answer = await ask(
    lab,
    { text: "Hello there.", tools: [called, called] },
    { hear: (text) => heard.push(text) },
  );
  expect(heard.join("")).toBe("Hello there.");
  expect(answer.whole()).toMatchObject({
    content: "Hello there.",
    tool_calls: [
      { function: { name: "read_file", arguments: '{"path":"a.txt"}' } },
      { function: { name: "read_file", arguments: '{"path":"a.txt"}' } },
    ],
  });
  expect(answer.tokens).toMatchObject({ inputTokens: 101, cachedReadTokens: 21, outputTokens: 51 });
});

test("without a key none is sent; with one, it is", async () => {
  await using lab = await openLab();
  await ask(lab, { text: "Yes." });
  await ask(lab, { text: "Yes." }, { settings: { key: "a-key" } });
  expect(lab.requests.map(({ headers }) => headers.authorization)).toEqual([undefined, "Bearer a-key"]);
});

test("a service that stumbles is asked again", async () => {
  await using lab = await openLab();
  const answer = await ask(lab, { error: { status: 500, times: 2 } });
  expect(answer.text).toBe("recovered");
  expect(lab.requests).toHaveLength(3);
});

test("it is asked again when it wants to be", async () => {
  await using lab = await openLab();
  const began = performance.now();
  await ask(lab, { error: { status: 429, times: 1, headers: { "retry-after": "1" } } });
  expect(performance.now() - began).toBeGreaterThan(990);
});

test("when it wants to be asked again only after the deadline, that is the end", async () => {
  await using lab = await openLab();
  const began = performance.now();
  const asking = ask(lab, { error: { status: 429, headers: { "retry-after": "60" } } });
  await expect(asking).rejects.toMatchObject({ status: 429 });
  expect(performance.now() - began).toBeLessThan(2000);
});

test.each([400, 401, 403, 404])("a %i is not asked again", async (status) => {
  await using lab = await openLab();
  await expect(ask(lab, { error: { status } })).rejects.toMatchObject({ name: "ModelFailed", status });
  expect(lab.requests).toHaveLength(1);
});

test("a failure that does not pass is told within the deadline", async () => {
  await using lab = await openLab();
  const asking = ask(lab, { error: { status: 500 } }, { settings: { retryDeadline: 1000 } });
  await expect(asking).rejects.toMatchObject({ status: 500 });
});

test("a model that hangs, though it keeps the line open, has timed out", async () => {
  await using lab = await openLab();
  const asking = ask(lab, { text: "never", hang: true }, { settings: { retryDeadline: 2500 } });
  await expect(asking).rejects.toThrow("timed out");
});

test("a model that speaks slowly is heard out", async () => {
  await using lab = await openLab();
  const slow: Step = { text: "one two three four", chunks: 4, chunkDelay: 400 };
  expect((await ask(lab, slow, { settings: { retryDeadline: 1000 } })).text).toBe("one two three four");
});

test("an answer that breaks off is not asked for again, for it has been heard", async () => {
  await using lab = await openLab();
  await expect(ask(lab, { text: "abcdef", cut: true })).rejects.toThrow("connection was lost");
  expect(lab.requests).toHaveLength(1);
});

test("a server that is not there could not be reached", async () => {
  await using lab = await openLab();
  lab.refuse();
  const asking = ask(lab, { text: "never" }, { settings: { retryDeadline: 1000 } });
  await expect(asking).rejects.toThrow("ECONNREFUSED");
});

test("an interrupt gives what there was, and hangs up", async () => {
  await using lab = await openLab();
  const turn = new AbortController();
  const slow: Step = { text: "one two three four", chunks: 4, chunkDelay: 200 };
  const answer = await ask(lab, slow, { turn, hear: () => turn.abort() });
  expect(answer.text).toBe("one t");
});
