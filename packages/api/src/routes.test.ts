import { expect, test } from "vitest";
import { collectArguments, readArguments } from "./route-arguments.ts";
import { type Route, routes } from "./routes.ts";
import { type Scope, scopes } from "./scope.ts";
import { SessionQuery } from "./session-query.ts";

const entries = Object.entries<Route>(routes);

test.each(entries)("%s reads back the arguments that it collects", (_, { args }) => {
  if (args === null) return;
  const isObject = (source: string): boolean => source === "body" || source === "query";
  const values = args.map((source) => (isObject(source) ? { field: "value" } : `value of ${source}`));
  expect(readArguments(args, collectArguments(args, values))).toEqual(values);
});

test.each(entries)("%s takes each argument from a part that the route has", (_, { args, path, body, query }) => {
  for (const source of args ?? []) {
    if (source === "session") expect(path).toContain(":session");
    else expect(source.startsWith("body") ? body : query).not.toBeNull();
  }
  expect(args?.includes("session") ?? true).toBe(path.includes(":session") || args === null);
});

test("sends an empty body for a request that is left out", () => {
  expect(collectArguments(["session", "body"], ["s"])).toEqual({ session: "s", body: {} });
  expect(collectArguments(["query.session"], [])).toEqual({});
});

test("sends a query as text, and the schema reads it back", () => {
  const query = { state: ["idle", "waiting"], limit: 7, name: undefined, since: "2026-11-30T12:00:00.000Z" } as const;
  const { query: sent } = collectArguments(["query"], [query]);
  expect(sent).toEqual({ state: "idle,waiting", limit: "7", since: query.since });
  expect(SessionQuery.parse(sent)).toEqual({ state: query.state, limit: 7, since: query.since });
  expect(SessionQuery.parse({ until: "2026-11-30T13:00:00+01:00" })).toEqual({ until: "2026-11-30T12:00:00.000Z" });
});

test.each([{ status: "idle" }, { state: "asleep" }, { limit: "0" }, { limit: "1001" }, { since: "yesterday" }])(
  "rejects the session query %j",
  (query) => {
    expect(SessionQuery.safeParse(query).success).toBe(false);
  },
);

test.each(entries)("the summary of %s is an imperative sentence", (_, { summary }) => {
  expect(summary).toMatch(/^[A-Z][a-z]*[^s] .*\.$/);
});

/** The word for a route in the description of its scope, where it is not the route's name. */
const scopeWords: Readonly<Record<string, string>> = {
  answer: "answer decisions",
  decisions: "checkpoints, decisions",
  takeOver: "take over",
  // Both need a session that was taken over.
  type: "the agent's terminal",
  resize: "the agent's terminal",
  handBack: "hand it back",
  updateBrief: "update briefs",
  shutdown: "shut down",
  startRun: "run plans",
  checkRun: "check plans",
  cancelRun: "cancel runs",
  run: "usage and runs",
  runs: "usage and runs",
  usageHistory: "history of usage",
  turnHistory: "history of usage and turns",
  runEvents: "usage and runs",
  createCode: "issue one-time codes",
};

test.each(entries)("only the description of its scope mentions %s", (name, { scope }) => {
  if (scope === "any" || scope === "none") return;
  const word = scopeWords[name] ?? name;
  const mentioning = Object.entries(scopes).filter(([, text]) => new RegExp(`\\b${word}`, "i").test(text));
  expect(mentioning.map(([key]) => key as Scope)).toContain(scope);
  if (!["session", "sessions"].includes(name)) expect(mentioning).toHaveLength(1);
});
