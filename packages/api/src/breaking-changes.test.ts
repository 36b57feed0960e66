import { describe, expect, test } from "vitest";
import { breakingChanges } from "./breaking-changes.ts";
import { openapi, type OpenApi } from "./openapi.ts";

/** The document as it is, free to be changed. */
interface Loose {
  [key: string]: Loose;
}

const changed = (change: (document: Loose) => void): OpenApi => {
  const copy = structuredClone(openapi()) as unknown as Loose;
  change(copy);
  return copy as unknown as OpenApi;
};
const schema = (document: Loose, name: string): Loose => document["components"]!["schemas"]![name]!;
const without = (list: Loose, value: string): void => {
  const values = list as unknown as unknown[];
  values.splice(values.indexOf(value), 1);
};
const withAlso = (list: Loose, value: unknown): void => void (list as unknown as unknown[]).push(value);
const eventOf = (document: Loose, type: string): Loose => {
  const options = schema(document, "Event")["properties"]!["body"]!["oneOf"] as unknown as Loose[];
  return options.find((option) => (option["properties"]!["type"]!["const"] as unknown) === type)!;
};

describe("what breaks somebody is seen", () => {
  test.each<[string, (document: Loose) => void, RegExp]>([
    ["a route is gone", (it) => delete it["paths"]!["/v1/health"], /^GET \/v1\/health is gone\.$/],
    ["a method is gone", (it) => delete it["paths"]!["/v1/sessions"]!["post"], /^POST \/v1\/sessions is gone\.$/],
    [
      "a field is told no longer",
      (it) => delete schema(it, "SessionView")["properties"]!["title"],
      /tells (each: )?title no longer/,
    ],
    [
      "a field is told at times",
      (it) => without(schema(it, "SessionView")["required"]!, "title"),
      /title no longer always/,
    ],
    [
      "a field is asked no longer",
      (it) => delete schema(it, "Start")["properties"]!["name"],
      /asks for name no longer/,
    ],
    [
      "a field is newly required",
      (it) => withAlso(schema(it, "Start")["required"]!, "agent"),
      /agent, which is newly required/,
    ],
    [
      "a new field is required",
      (it) => {
        schema(it, "Say")["properties"]!["tone"] = { type: "string" } as unknown as Loose;
        withAlso(schema(it, "Say")["required"]!, "tone");
      },
      /tone, which is newly required/,
    ],
    [
      "a value is gone",
      (it) => without(schema(it, "Start")["properties"]!["mode"]!["enum"]!, "plan"),
      /mode: no longer the value "plan"/,
    ],
    [
      "a state is gone",
      (it) => without(schema(it, "SessionView")["properties"]!["state"]!["enum"]!, "lost"),
      /state: no longer the value "lost"/,
    ],
    [
      "an event is gone",
      (it) => without(schema(it, "Event")["properties"]!["body"]!["oneOf"]!, eventOf(it, "text.ended") as never),
      /no longer text\.ended/,
    ],
    ["an event loses a field", (it) => delete eventOf(it, "text.ended")["properties"]!["text"], /body: text no longer/],
    [
      "a field is of another kind",
      (it) => (schema(it, "SessionView")["properties"]!["turns"] = { type: "string" } as unknown as Loose),
      /turns: no longer integer/,
    ],
    [
      "a frame is gone",
      (it) => (schema(it, "Frame")["anyOf"] as unknown as unknown[]).splice(2, 1),
      /no longer \{caughtUp\}/,
    ],
    [
      "a scope is another",
      (it) => (it["paths"]!["/v1/sessions/{session}/answers"]!["post"]!["x-scope"] = "admin" as unknown as Loose),
      /needs the scope admin, not approve/,
    ],
    [
      "a parameter is gone",
      (it) => (it["paths"]!["/v1/usage"]!["get"]!["parameters"] = [] as unknown as Loose),
      /no longer takes session/,
    ],
  ])("%s", (_, change, sentence) => {
    const found = breakingChanges(openapi(), changed(change));
    expect(found.length).toBeGreaterThan(0);
    for (const one of found) expect(one).toMatch(sentence);
  });
});

describe("what breaks nobody is not", () => {
  test.each<[string, (document: Loose) => void]>([
    ["nothing", () => {}],
    ["a new route", (it) => (it["paths"]!["/v1/new"] = structuredClone(it["paths"]!["/v1/health"]!))],
    [
      "a new field in a reply",
      (it) => (schema(it, "Health")["properties"]!["mood"] = { type: "string" } as unknown as Loose),
    ],
    ["a new field that may be asked", (it) => (schema(it, "Say")["properties"]!["tone"] = {})],
    [
      "a new field in a frame",
      (it) => {
        const [event] = schema(it, "Frame")["anyOf"] as unknown as [Loose];
        event["properties"]!["hint"] = {};
      },
    ],
    ["a new value", (it) => withAlso(schema(it, "SessionView")["properties"]!["state"]!["enum"]!, "dreaming")],
    ["no longer required", (it) => without(schema(it, "Say")["required"]!, "text")],
  ])("%s", (_, change) => {
    expect(breakingChanges(openapi(), changed(change))).toEqual([]);
  });
});
