import { maskCredentials, type AgentEvent, type Delta, type EventDraft } from "@fairlead/contract";
import { expect, test } from "vitest";
import { measureGrowthExponent } from "@fairlead/testing/measure-growth-exponent.ts";
import { OutputMasker } from "./output-masker.ts";

const token = `ghp_${"a1B2".repeat(9)}`;
const event = (body: object): EventDraft => ({ body: body as AgentEvent }) as EventDraft;
const delta = (text: string, type: Delta["type"] = "text.delta"): Delta => ({ type, text });
const textOf = (outputs: readonly (EventDraft | Delta)[]): string =>
  outputs.map((one) => ("body" in one ? JSON.stringify(one.body) : one.text)).join("");

test("a token is masked in an event, at every split of deltas, and alike", () => {
  const text = `use ${token} now`;
  const whole = textOf(new OutputMasker().mask([event({ type: "text.ended", text })]));
  const masked = /"(use .* now)"/.exec(whole)?.[1] ?? "";
  expect(masked).toMatch(/^use ghp_\*+\w{6} now$/);
  for (let at = 1; at < text.length; at++) {
    const masker = new OutputMasker();
    const outputs = [delta(text.slice(0, at)), delta(text.slice(at))].flatMap((one) => masker.mask([one]));
    expect(textOf(outputs)).toBe(masked);
  }
  const masker = new OutputMasker();
  expect(textOf(Array.from(text, (one) => delta(one)).flatMap((one) => masker.mask([one])))).toBe(masked);
});

test("only a word that may be a token waits, until its text ends", () => {
  const masker = new OutputMasker();
  expect(masker.mask([delta("hello gh")])).toEqual([delta("hello ")]);
  expect(masker.mask([delta("ost")])).toEqual([delta("ghost")]);
  expect(masker.mask([delta("a g"), delta("b g", "reasoning.delta")])).toEqual([
    delta("a "),
    delta("b ", "reasoning.delta"),
  ]);
  const ended = event({ type: "text.ended", text: "hello ghosta g" });
  expect(masker.mask([ended, delta("new")])).toEqual([ended, delta("new")]);
  expect(masker.mask([delta(token, "screen")])).toEqual([delta(token, "screen")]);
});

test.each(["sk-a.sk-b.", "aaaaaaaaaa", "a.a.a.a.a."])("the time is linear in deltas of %s", (text) => {
  const run = (size: number): void => {
    const masker = new OutputMasker();
    for (let at = 0; at < size; at++) masker.mask([delta(text)]);
    masker.mask([delta(`${text.repeat(size)} `)]);
  };
  expect(measureGrowthExponent(run, 8000)).toBeLessThan(1.4);
});

// An agent chooses the text.
test.each([
  "a",
  "AKIA",
  "sk-",
  "sk-a1",
  "eyJabcdefghijk.",
  "eyJ",
  "http://a:",
  "://",
  ":",
  "Bearer ",
  "bearer abcdefgh",
  "-----BEGIN PRIVATE KEY-----",
  "-----BEGIN A",
  "\\n",
  "SG.aaaaaaaaaaaaaaaaaaaaaa.",
])("the time to mask credentials is linear in repetitions of %s", (unit) => {
  const run = (size: number): unknown => maskCredentials(unit.repeat(size / unit.length));
  expect(measureGrowthExponent(run, 1_600_000)).toBeLessThan(1.4);
});
