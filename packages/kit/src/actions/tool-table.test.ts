import { ToolAction } from "@fairlead/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describeCall, toolTable } from "./tool-table.ts";

const tools = toolTable({
  sh: { kind: "run", command: "command cmd", folder: "cwd", details: "timeout" },
  write: { kind: "edit", paths: "path", details: "content" },
  read: { kind: "read", paths: "path paths" },
  find: { kind: "search", paths: "folder", details: "pattern" },
  get: { kind: "fetch", urls: "url" },
  websearch: { kind: "fetch", details: "query", incomplete: true },
  todo: { kind: "other", details: "items" },
  // Such a table would let a command, a path or an address pass as another kind of call.
  all: { kind: "search", command: "command", folder: "cwd", paths: "path", urls: "url" },
  allOfRun: { kind: "run", command: "command", paths: "path", urls: "url" },
  allOfFetch: { kind: "fetch", command: "command", paths: "path", urls: "url" },
  allOfOther: { kind: "other", command: "command" },
});
const incomplete = true;

describe("describeCall", () => {
  test.for<[string, unknown, ToolAction]>([
    ["sh", { command: "ls -l" }, { kind: "run", command: "ls -l" }],
    ["sh", { command: "ls", cwd: "/x", timeout: 3 }, { kind: "run", command: "ls", folder: "/x" }],
    ["sh", { command: "ls", cwd: null }, { kind: "run", command: "ls" }],
    ["sh", { command: ["bash", "-lc", "ls | cat"] }, { kind: "run", command: "ls | cat" }],
    ["sh", { command: ["ls", "a b", "it's"] }, { kind: "run", command: String.raw`ls 'a b' 'it'\''s'` }],
    ["write", { path: "a", content: "b" }, { kind: "edit", paths: ["a"] }],
    ["read", { paths: ["a", "b", "a"] }, { kind: "read", paths: ["a", "b"] }],
    ["find", { pattern: "x" }, { kind: "search" }],
    ["get", { url: "https://Example.org:8443/x" }, { kind: "fetch", hosts: ["example.org"] }],
    ["get", { url: "http://0x7f.1/" }, { kind: "fetch", hosts: ["127.0.0.1"] }],
    ["todo", { items: [] }, { kind: "other" }],
  ])("describes %s %j", ([name, input, action]) => {
    expect(describeCall(tools, name, input)).toEqual(action);
  });

  test.for<[string, unknown, ToolAction]>([
    ["unknown", {}, { kind: "other", incomplete }],
    ["constructor", {}, { kind: "other", incomplete }],
    ["sh", {}, { kind: "run", incomplete }],
    ["sh", null, { kind: "run", incomplete }],
    ["sh", "ls", { kind: "run", incomplete }],
    ["sh", ["ls"], { kind: "run", incomplete }],
    ["sh", { command: 5 }, { kind: "run", incomplete }],
    ["sh", { command: "" }, { kind: "run", incomplete }],
    ["sh", { command: ["ls", 5] }, { kind: "run", incomplete }],
    ["sh", { command: "ls", cwd: 5 }, { kind: "run", command: "ls", incomplete }],
    ["sh", { command: "ls", sandbox: false }, { kind: "run", command: "ls", incomplete }],
    ["sh", { command: "ls", cmd: "rm" }, { kind: "run", command: "ls", incomplete }],
    ["sh", Object.create({ command: "ls" }), { kind: "run", incomplete }],
    ["write", { path: ["a", 5], content: "b" }, { kind: "edit", paths: ["a"], incomplete }],
    ["write", { content: "b" }, { kind: "edit", incomplete }],
    ["get", { url: "file:///etc/passwd" }, { kind: "fetch", incomplete }],
    ["get", { url: "example.org" }, { kind: "fetch", incomplete }],
    ["websearch", { query: "x" }, { kind: "fetch", incomplete }],
    ["all", { command: "git push -f" }, { kind: "search", command: "git push -f", incomplete }],
    ["all", { cwd: "/etc" }, { kind: "search", folder: "/etc", incomplete }],
    ["all", { url: "http://a/" }, { kind: "search", hosts: ["a"], incomplete }],
    ["allOfRun", { command: "ls", path: "/etc" }, { kind: "run", command: "ls", paths: ["/etc"], incomplete }],
    ["allOfRun", { command: "ls", url: "http://a/" }, { kind: "run", command: "ls", hosts: ["a"], incomplete }],
    ["allOfFetch", { url: "http://a/", path: "x" }, { kind: "fetch", hosts: ["a"], paths: ["x"], incomplete }],
    ["allOfFetch", { url: "http://a/", command: "ls" }, { kind: "fetch", hosts: ["a"], command: "ls", incomplete }],
    ["allOfOther", { command: "ls" }, { kind: "other", command: "ls", incomplete }],
  ])("reports that it does not know all of %s %j", ([name, input, action]) => {
    expect(describeCall(tools, name, input)).toEqual(action);
  });

  test("leaves out what is too long, and is then incomplete", () => {
    const long = "x".repeat(200_000);
    expect(describeCall(tools, "sh", { command: long })).toEqual({ kind: "run", incomplete });
    expect(describeCall(tools, "write", { path: long })).toEqual({ kind: "edit", incomplete });
    const many = Array.from({ length: 100_000 }, (_, index) => `file-${index}`);
    const action = describeCall(tools, "read", { paths: many });
    expect(action).toMatchObject({ kind: "read", incomplete });
    expect(action.paths?.length).toBe(1000);
    const deep = describeCall(tools, "read", { paths: many.map((name) => name + "y".repeat(4000)) });
    expect(JSON.stringify(deep).length).toBeLessThan(150_000);
    // Not even repeated names hide a name behind the limit of a list.
    const repeated = [...Array.from({ length: 20_000 }, () => "a"), "secret"];
    expect(describeCall(tools, "read", { paths: repeated })).toEqual({ kind: "read", paths: ["a"], incomplete });
  });

  test("is total: every input gives a valid action", () => {
    const names = fc.oneof(fc.constantFrom("sh", "write", "read", "find", "get", "todo"), fc.string());
    const keys = fc.constantFrom("command", "cmd", "cwd", "path", "paths", "url", "content", "__proto__", "other");
    const inputs = fc.oneof(fc.anything(), fc.dictionary(keys, fc.anything()));
    fc.assert(
      fc.property(names, inputs, (name, input) => {
        expect(ToolAction.safeParse(describeCall(tools, name, input)).success).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});
