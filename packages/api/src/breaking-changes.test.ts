import { describe, expect, test } from "vitest";
import { findBreakingChanges } from "./breaking-changes.ts";
import { buildOpenApi, type OpenApiDocument } from "./openapi.ts";

/** A view of the document that tests can change. */
interface MutableJson {
  [key: string]: MutableJson;
}

const withChange = (change: (document: MutableJson) => void): OpenApiDocument => {
  const copy = structuredClone(buildOpenApi()) as unknown as MutableJson;
  change(copy);
  return copy as unknown as OpenApiDocument;
};
const findSchema = (document: MutableJson, name: string): MutableJson => document["components"]!["schemas"]![name]!;
const removeValue = (list: MutableJson, value: string): void => {
  const values = list as unknown as unknown[];
  values.splice(values.indexOf(value), 1);
};
const addValue = (list: MutableJson, value: unknown): void => void (list as unknown as unknown[]).push(value);
const findEventSchema = (document: MutableJson, type: string): MutableJson => {
  const options = findSchema(document, "Event")["properties"]!["body"]!["oneOf"] as unknown as MutableJson[];
  return options.find((option) => (option["properties"]!["type"]!["const"] as unknown) === type)!;
};

describe("reports a breaking change", () => {
  test.each<[string, (document: MutableJson) => void, RegExp]>([
    ["a removed route", (it) => delete it["paths"]!["/v1/health"], /^GET \/v1\/health was removed\.$/],
    ["a removed method", (it) => delete it["paths"]!["/v1/sessions"]!["post"], /^POST \/v1\/sessions was removed\.$/],
    [
      "a removed field of a response",
      (it) => delete findSchema(it, "SessionView")["properties"]!["title"],
      /response(, field sessions)?(, each item)? no longer has the field title/,
    ],
    [
      "a response field that becomes optional",
      (it) => removeValue(findSchema(it, "SessionView")["required"]!, "title"),
      /no longer always has the field title/,
    ],
    [
      "a removed field of a request",
      (it) => delete findSchema(it, "StartRequest")["properties"]!["name"],
      /request no longer has the field name/,
    ],
    [
      "a request field that becomes required",
      (it) => (findSchema(it, "StartRequest")["required"] = ["agent"] as unknown as MutableJson),
      /now requires the field agent/,
    ],
    [
      "a new required field",
      (it) => {
        findSchema(it, "MessageRequest")["properties"]!["tone"] = { type: "string" } as unknown as MutableJson;
        addValue(findSchema(it, "MessageRequest")["required"]!, "tone");
      },
      /now requires the field tone/,
    ],
    [
      "a removed value of a union of two lists of values",
      (it) => (findEventSchema(it, "decision.requested")["properties"]!["category"]!["anyOf"] as unknown as []).pop(),
      /no longer allows the value "undecidable"/,
    ],
    [
      "a removed value of a request",
      (it) => removeValue(findSchema(it, "StartRequest")["properties"]!["mode"]!["enum"]!, "plan"),
      /field mode no longer allows the value "plan"/,
    ],
    [
      "a removed value of a response",
      (it) => removeValue(findSchema(it, "SessionView")["properties"]!["state"]!["enum"]!, "lost"),
      /field state no longer allows the value "lost"/,
    ],
    [
      "a removed event",
      (it) =>
        removeValue(
          findSchema(it, "Event")["properties"]!["body"]!["oneOf"]!,
          findEventSchema(it, "text.ended") as never,
        ),
      /no longer includes text\.ended/,
    ],
    [
      "a removed field of an event",
      (it) => delete findEventSchema(it, "text.ended")["properties"]!["text"],
      /field body no longer has the field text/,
    ],
    [
      "a changed type of a field",
      (it) => (findSchema(it, "SessionView")["properties"]!["turns"] = { type: "string" } as unknown as MutableJson),
      /field turns no longer includes integer/,
    ],
    [
      "a removed frame",
      (it) => (findSchema(it, "Frame")["anyOf"] as unknown as unknown[]).splice(2, 1),
      /no longer includes \{caughtUp\}/,
    ],
    [
      "a changed scope",
      (it) => (it["paths"]!["/v1/sessions/{session}/answers"]!["post"]!["x-scope"] = "admin" as unknown as MutableJson),
      /requires the scope admin instead of approve/,
    ],
    [
      "a removed parameter",
      (it) => (it["paths"]!["/v1/usage"]!["get"]!["parameters"] = [] as unknown as MutableJson),
      /no longer takes the parameter session/,
    ],
  ])("%s", (_, change, expected) => {
    const changes = findBreakingChanges(buildOpenApi(), withChange(change));
    expect(changes.length).toBeGreaterThan(0);
    for (const sentence of changes) expect(sentence).toMatch(expected);
  });
});

describe("does not report a compatible change", () => {
  test.each<[string, (document: MutableJson) => void]>([
    ["no change", () => {}],
    ["a new route", (it) => (it["paths"]!["/v1/new"] = structuredClone(it["paths"]!["/v1/health"]!))],
    [
      "a new field of a response",
      (it) => (findSchema(it, "Health")["properties"]!["mood"] = { type: "string" } as unknown as MutableJson),
    ],
    ["a new optional field of a request", (it) => (findSchema(it, "MessageRequest")["properties"]!["tone"] = {})],
    [
      "a new field of a frame",
      (it) => {
        const [event] = findSchema(it, "Frame")["anyOf"] as unknown as [MutableJson];
        event["properties"]!["hint"] = {};
      },
    ],
    ["a new value", (it) => addValue(findSchema(it, "SessionView")["properties"]!["state"]!["enum"]!, "dreaming")],
    [
      "a request field that becomes optional",
      (it) => removeValue(findSchema(it, "MessageRequest")["required"]!, "text"),
    ],
  ])("%s", (_, change) => {
    expect(findBreakingChanges(buildOpenApi(), withChange(change))).toEqual([]);
  });
});
