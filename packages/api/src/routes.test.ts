import { expect, test } from "vitest";
import { collectArguments, readArguments } from "./route-arguments.ts";
import { type Route, routes } from "./routes.ts";
import { type Scope, scopes } from "./scope.ts";

const entries = Object.entries<Route>(routes);

test.each(entries)("%s reads back the arguments that it collects", (_, { args }) => {
  if (args === null) return;
  const values = args.map((source) => (source === "body" ? { field: "value" } : `value of ${source}`));
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
  shutdown: "shut down",
};

test.each(entries)("only the description of its scope mentions %s", (name, { scope }) => {
  const word = scopeWords[name] ?? name;
  const mentioning = Object.entries(scopes).filter(([, text]) => new RegExp(`\\b${word}`, "i").test(text));
  expect(mentioning.map(([key]) => key as Scope)).toContain(scope);
  if (!["session", "sessions"].includes(name)) expect(mentioning).toHaveLength(1);
});
