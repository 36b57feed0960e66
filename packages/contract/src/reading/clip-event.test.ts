import { globSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { AgentEvent } from "../agent-event.ts";
import { Event } from "../event.ts";
import { clipEvent, ReadEvent } from "./clip-event.ts";

const envelope = { id: "1", session: "s", sequence: 1, epoch: 1, turn: "t", agent: "a", model: null, spool: 1 };

function toEvent(body: AgentEvent): Event {
  return { ...envelope, occurredAt: new Date(0).toISOString(), synthetic: false, body };
}

const toolRequest = (input: unknown): Event => toEvent({ type: "tool.requested", call: "c", name: "write", input });

const adaptersFolder = new URL("../../../adapters/src/", import.meta.url);
const recorded = globSync("*/fixtures/*.events.jsonl", { cwd: adaptersFolder }).flatMap((file) => {
  const lines = readFileSync(new URL(file, adaptersFolder), "utf8").split("\n").filter(Boolean);
  const drafts = lines.map((line) => JSON.parse(line) as Event).filter((draft) => "body" in draft);
  return drafts.map((draft, index): Event => ({ ...draft, sequence: index + 1, epoch: 1 }));
});

/** Makes every free text of a value long. */
function lengthen(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lengthen);
  if (typeof value !== "object" || value === null) return value;
  const free = [
    "text",
    "input",
    "output",
    "message",
    "title",
    "raw",
    "command",
    "path",
    "label",
    "goal",
    "description",
  ];
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      typeof field === "string" && free.includes(name) ? field.padEnd(500, "é𝄞") : lengthen(field),
    ]),
  );
}

test("an event of every recorded type stays an event when its texts are cut, and says how long each was", () => {
  const types = new Set<string>();
  const clippedTypes = new Set<string>();
  for (const event of recorded) {
    const long = Event.parse({ ...event, body: lengthen(event.body) });
    const { clipped, ...short } = ReadEvent.parse(clipEvent(long, 100));
    expect(Event.safeParse(short).error).toBeUndefined();
    types.add(event.body.type);
    if (clipped !== undefined) clippedTypes.add(event.body.type);
    for (const { path, length } of clipped ?? []) {
      const text = read(long, path);
      if (typeof text !== "string") continue;
      expect(text.length).toBe(length);
      const cut = read(short, path) as string;
      expect(text.startsWith(cut) && cut.length <= 100 && cut.length >= 99, path).toBe(true);
      expect(cut.isWellFormed()).toBe(true);
    }
  }
  expect(types.size).toBeGreaterThan(20);
  expect([...clippedTypes]).toEqual(
    expect.arrayContaining(["text.ended", "tool.ended", "tool.requested", "turn.started"]),
  );
});

/** Follows a JSON pointer. */
function read(value: unknown, pointer: string): unknown {
  const steps = pointer.split("/").slice(1);
  return steps.reduce(
    (at, step) => (at as Record<string, unknown>)[step.replaceAll("~1", "/").replaceAll("~0", "~")],
    value,
  );
}

test("a short event is returned as it is", () => {
  const event = toolRequest({ path: "a", content: "x".repeat(100), list: [1, [2]], none: null });
  expect(clipEvent(event, 100)).toBe(event);
});

test("a text is cut before the pair that the limit would split, and the field names need no guess", () => {
  const event = toolRequest({ "a/b~c": [`${"x".repeat(99)}𝄞𝄞`] });
  const { body, clipped } = clipEvent(event, 100);
  expect(body).toMatchObject({ input: { "a/b~c": ["x".repeat(99)] } });
  expect(clipped).toEqual([{ path: "/body/input/a~1b~0c/0", length: 103 }]);
});

test("a reference to another event is never cut", () => {
  const call = "c".repeat(5000);
  const event = toEvent({ type: "tool.ended", call, name: "run", ok: true, output: "o".repeat(5000) });
  expect(clipEvent(event, 100)).toMatchObject({ body: { call }, clipped: [{ path: "/body/output", length: 5000 }] });
});

test("any input becomes small: many texts, many names, long names, deep lists, names of prototypes", () => {
  let deep: unknown = "end";
  for (let depth = 0; depth < 5000; depth += 1) deep = depth % 2 === 0 ? [deep] : { deep };
  const inputs = [
    Array.from({ length: 200_000 }, (_, index) => index),
    Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`name ${index}`, "value"])),
    { ["n".repeat(100_000)]: 1, short: 2 },
    deep,
    JSON.parse('{"__proto__": {"polluted": true}, "constructor": "c"}') as unknown,
    Array.from({ length: 1000 }, () => Array.from({ length: 1000 }, () => "text")),
  ];
  for (const input of inputs) {
    const result = clipEvent(toolRequest(input), 100);
    expect(JSON.stringify(result).length).toBeLessThan(20_000);
    const { clipped: _, ...event } = result;
    expect(Event.safeParse(event).success).toBe(true);
  }
  expect(clipEvent(toolRequest(inputs[2]), 100)).toMatchObject({
    body: { input: { short: 2 } },
    clipped: [{ path: "/body/input", length: 2 }],
  });
  expect(Object.hasOwn({}, "polluted")).toBe(false);
});

test("of any input, what is not listed as cut is whole", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const event = toolRequest(value);
      const result = clipEvent(event, 100);
      const { clipped, ...rest } = result;
      if (clipped === undefined) expect(rest).toEqual(event);
      else expect(clipped.every(({ path }) => path.startsWith("/body/input"))).toBe(true);
    }),
  );
});
