import { expect, test } from "vitest";
import { openLab, type Lab } from "../lab.ts";
import { scriptPrompt, type ScriptStep } from "../script.ts";
import { geminiApi } from "./gemini.ts";

const fullStep: ScriptStep = {
  think: "Let me see.",
  text: "Here you are.",
  tools: [
    { name: "write_file", input: { file_path: "a.txt", content: 'say "hi"' } },
    { name: "read_file", input: { file_path: "b.txt" } },
  ],
};

async function sendStep(lab: Lab, step: ScriptStep, verb = "streamGenerateContent"): Promise<Response> {
  const contents = [{ role: "user", parts: [{ text: scriptPrompt([step]) }] }];
  const body = JSON.stringify({ contents, tools: [{ functionDeclarations: [] }] });
  return fetch(`${lab.url}/v1beta/models/some-model:${verb}?alt=sse`, { method: "POST", body });
}

interface Part {
  readonly text?: string;
  readonly thought?: true;
  readonly functionCall?: { readonly name: string; readonly args: unknown };
}
interface ResponseChunk {
  readonly candidates: { content: { role: string; parts: Part[] }; finishReason?: string }[];
  readonly usageMetadata?: object;
}

async function readChunks(answer: Response): Promise<ResponseChunk[]> {
  const lines = (await answer.text()).split("\n\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line.slice("data: ".length)) as ResponseChunk);
}

function joinParts(parts: readonly Part[]): object {
  const texts = parts.filter(({ thought }) => !thought).map(({ text = "" }) => text);
  const thoughts = parts.filter(({ thought }) => thought).map(({ text = "" }) => text);
  return {
    text: texts.join(""),
    thoughts: thoughts.join(""),
    calls: parts.flatMap(({ functionCall }) => functionCall ?? []),
  };
}

test("streams pieces that join to the complete body", async () => {
  await using lab = await openLab();
  const candidates = (await readChunks(await sendStep(lab, fullStep))).flatMap((piece) => piece.candidates);
  const joined = joinParts(candidates.flatMap(({ content }) => content.parts));
  expect(joined).toEqual({
    text: "Here you are.",
    thoughts: "Let me see.",
    calls: fullStep.tools?.map(({ name, input }) => ({ name, args: input })),
  });
  expect(candidates.map(({ finishReason }) => finishReason).filter(Boolean)).toEqual(["STOP"]);
  expect(candidates.at(-1)?.finishReason).toBe("STOP");

  const whole = (await (await sendStep(lab, fullStep, "generateContent")).json()) as ResponseChunk;
  expect(joinParts(whole.candidates[0]?.content.parts ?? [])).toEqual(joined);
});

test("records the usage that it reports, with cached tokens included in the input", async () => {
  await using lab = await openLab();
  const last = (await readChunks(await sendStep(lab, { text: "hi" }))).at(-1);
  expect(last?.usageMetadata).toEqual({
    promptTokenCount: 122,
    cachedContentTokenCount: 21,
    candidatesTokenCount: 51,
    totalTokenCount: 173,
  });
  expect(lab.servedAnswers).toEqual([
    {
      api: "gemini",
      model: "some-model",
      input: 101,
      cacheRead: 21,
      cacheWrite: 0,
      output: 51,
      auxiliary: false,
      complete: true,
    },
  ]);
});

test("cuts a stream after its first piece and records no usage", async () => {
  await using lab = await openLab();
  const answer = await sendStep(lab, { text: "abcdef", cut: true });
  await expect(answer.text()).rejects.toThrow("terminated");
  expect(lab.servedAnswers).toEqual([]);
});

test.each([
  [400, "INVALID_ARGUMENT"],
  [401, "UNAUTHENTICATED"],
  [429, "RESOURCE_EXHAUSTED"],
  [500, "INTERNAL"],
])("status %i is %s", (code, status) => {
  expect(geminiApi.errorBody(code, "why")).toEqual({ error: { code, message: "why", status } });
});

test("reads texts into the conversation, one assistant message per answer", () => {
  const contents = [
    { role: "user", parts: [{ text: "one" }, { text: "two" }] },
    { role: "model", parts: [{ functionCall: { name: "read_file", args: {} } }] },
    { role: "user", parts: [{ functionResponse: { name: "read_file", response: { output: "a file" } } }] },
  ];
  const request = { method: "POST", path: "/v1beta/models/m:generateContent", body: { contents } };
  expect(geminiApi.recognize(request)).toEqual({
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

test("answers a token count, and does not recognize requests to other APIs", () => {
  expect(geminiApi.recognize({ method: "POST", path: "/v1beta/models/m:countTokens", body: {} })).toHaveProperty(
    "fixed",
  );
  expect(geminiApi.recognize({ method: "POST", path: "/v1/messages", body: {} })).toBeUndefined();
});
