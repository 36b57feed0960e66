import { expect, test } from "vitest";
import { listMcpServers, McpServer, McpServers, McpServersInput, mcpToolName } from "./mcp-server.ts";

test.each(["notes", "a", "my-notes", "notes2", "x".repeat(40)])("%s is a name of a server", (name) => {
  expect(McpServer.safeParse({ name, command: "x" }).success).toBe(true);
});

// Agents join names with `_`, and `fairlead_tools` is the server of Fairlead's own tools in some of them.
test.each(["", "my_notes", "Notes", "a--b", "-a", "a-", "fairlead-tools", "a b", "a.b", "é", "x".repeat(41)])(
  "%j is no name of a server",
  (name) => {
    expect(McpServer.safeParse({ name, command: "x" }).success).toBe(false);
    expect(McpServersInput.safeParse({ [name]: { command: "x" } }).success).toBe(false);
  },
);

test.each([
  { command: "" },
  { command: "x\0" },
  { command: "x", args: ["\0"] },
  { command: "x", env: { "A=B": "c" } },
  { command: "x", env: { A: "\0" } },
  { command: "x", url: "http://localhost/" },
])("a program %j is refused", (program) => {
  expect(McpServer.safeParse({ name: "notes", ...program }).success).toBe(false);
});

test("two servers of a session have two names", () => {
  const server = { name: "notes", command: "x" };
  expect(McpServers.safeParse([server, server]).success).toBe(false);
  expect(McpServers.safeParse([server, { ...server, name: "others" }]).success).toBe(true);
});

test("the servers of a file are listed with their names", () => {
  const file = McpServersInput.parse({ notes: { command: "node", args: ["a.js"] }, b: { command: "b" } });
  expect(listMcpServers(file)).toEqual([
    { name: "notes", command: "node", args: ["a.js"] },
    { name: "b", command: "b" },
  ]);
});

test("a tool has one name for every agent", () => {
  expect(mcpToolName("my-notes", "add_note")).toBe("mcp__my-notes__add_note");
  expect(mcpToolName("notes", "notes.add/new")).toBe("mcp__notes__notes_add_new");
});
