import { expect, test } from "vitest";
import { openLab, type Lab } from "../lab.ts";
import { script } from "../script.ts";
import type { Step } from "../step.ts";
import { gemini } from "./gemini.ts";

const full: Step = {
  think: "Let me see.",
  text: "Here you are.",
  tools: [
    { name: "write_file", input: { file_path: "a.txt", content: 'say "hi"' } },
    { name: "read_file", input: { file_path: "b.txt" } },
  ],
};

async function ask(lab: Lab, step: Step, verb = "streamGenerateContent"): Promise<Response> {
  const contents = [{ role: "user", parts: [{ text: script([step]) }] }];
  const body = JSON.stringify({ contents, tools: [{ functionDeclarations: [] }] });
  return fetch(`${lab.url}/v1beta/models/some-model:${verb}?alt=sse`, { method: "POST", body });
}

interface Part {
  readonly text?: string;
  readonly thought?: true;
  readonly functionCall?: { readonly name: string; readonly args: unknown };
}
interface Piece {
  readonly candidates: { content: { role: string; parts: Part[] }; finishReason?: string }[];
  readonly usageMetadata?: object;
}

async function pieces(answer: Response): Promise<Piece[]> {
  const lines = (await answer.text()).split("\n\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line.slice("data: ".length)) as Piece);
}

function joined(parts: readonly Part[]): object {
  const texts = parts.filter(({ thought }) => !thought).map(({ text = "" }) => text);
  const thoughts = parts.filter(({ thought }) => thought).map(({ text = "" }) => text);
  return {
    text: texts.join(""),
    thoughts: thoughts.join(""),
    calls: parts.flatMap(({ functionCall }) => functionCall ?? []),
  };
}

test("the pieces of a stream make up what the whole body says", async () => {
  await using lab = await openLab();
  const candidates = (await pieces(await ask(lab, full))).flatMap((piece) => piece.candidates);
  const said = joined(candidates.flatMap(({ content }) => content.parts));
  expect(said).toEqual({
    text: "Here you are.",
    thoughts: "Let me see.",
    calls: full.tools?.map(({ name, input }) => ({ name, args: input })),
  });
  expect(candidates.map(({ finishReason }) => finishReason).filter(Boolean)).toEqual(["STOP"]);
  expect(candidates.at(-1)?.finishReason).toBe("STOP");

  const whole = (await (await ask(lab, full, "generateContent")).json()) as Piece;
  expect(joined(whole.candidates[0]?.content.parts ?? [])).toEqual(said);
});

test("the usage that is stated is the usage that is recorded, and its input includes what was cached", async () => {
  await using lab = await openLab();
  const last = (await pieces(await ask(lab, { text: "hi" }))).at(-1);
  expect(last?.usageMetadata).toEqual({
    promptTokenCount: 122,
    cachedContentTokenCount: 21,
    candidatesTokenCount: 51,
    totalTokenCount: 173,
  });
  expect(lab.served).toEqual([
    { api: "gemini", model: "some-model", input: 101, cacheRead: 21, cacheWrite: 0, output: 51, complete: true },
  ]);
});

test("a cut stream has its first piece, then breaks, and its usage was never stated", async () => {
  await using lab = await openLab();
  const answer = await ask(lab, { text: "abcdef", cut: true });
  await expect(answer.text()).rejects.toThrow("terminated");
  expect(lab.served).toEqual([]);
});

test.each([
  [400, "INVALID_ARGUMENT"],
  [401, "UNAUTHENTICATED"],
  [429, "RESOURCE_EXHAUSTED"],
  [500, "INTERNAL"],
])("status %i is %s", (code, status) => {
  expect(gemini.error(code, "why")).toEqual({ error: { code, message: "why", status } });
});

test("the conversation holds what was said, one assistant message for each answer", () => {
  const contents = [
    { role: "user", parts: [{ text: "one" }, { text: "two" }] },
    { role: "model", parts: [{ functionCall: { name: "read_file", args: {} } }] },
    { role: "user", parts: [{ functionResponse: { name: "read_file", response: { output: "a file" } } }] },
  ];
  const request = { method: "POST", path: "/v1beta/models/m:generateContent", body: { contents } };
  expect(gemini.recognise(request)).toEqual({
    model: "m",
    hasTools: false,
    streamed: false,
    conversation: [
      { role: "user", text: "one\ntwo" },
      { role: "assistant", text: "" },
      { role: "user", text: "" },
    ],
  });
});

test("tokens are counted without a model, and what is not its own is left to others", () => {
  expect(gemini.recognise({ method: "POST", path: "/v1beta/models/m:countTokens", body: {} })).toHaveProperty("fixed");
  expect(gemini.recognise({ method: "POST", path: "/v1/messages", body: {} })).toBeUndefined();
});
