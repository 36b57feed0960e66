import { expect, test } from "vitest";
import { findServerTool, toAcpServers, toolNameInCallId } from "./mcp-servers.ts";

test("a server is described in the protocol's words", () => {
  const server = { name: "notes", command: "node", args: ["a.js"], env: { TOKEN: "t" } };
  expect(toAcpServers([server, { name: "b", command: "b" }])).toEqual([
    { name: "notes", command: "node", args: ["a.js"], env: [{ name: "TOKEN", value: "t" }] },
    { name: "b", command: "b", args: [], env: [] },
  ]);
});

test.each([
  ["mcp_", "mcp_notes_add_note", "mcp__notes__add_note"],
  ["mcp_", "mcp_notes-old_add", "mcp__notes-old__add"],
  ["mcp_", "mcp_notes_old_add", "mcp__notes__old_add"],
  ["mcp_", "mcp_other_add", null],
  ["mcp_", "notes_add", null],
  ["", "notes_add", "mcp__notes__add"],
  ["", "notes", null],
  ["", "note_add", null],
])("with the prefix %j, %s is %s", (prefix, own, name) => {
  expect(findServerTool({ prefix, servers: ["notes", "notes-old"] }, own)).toBe(name);
});

test.each([
  ["write_file__write_file_1794_0", "write_file"],
  ["mcp_notes_add__mcp_notes_add_1794_0", "mcp_notes_add"],
  // A rule about `a__b` must not miss it.
  ["mcp_notes_a__b__mcp_notes_a__b_1794_0", "mcp_notes_a__b"],
  ["mcp_notes_a__b__k3jd9", "mcp_notes_a__b"],
  ["k3jd9", null],
])("the id %s is of the tool %s", (call, name) => {
  expect(toolNameInCallId(call, "__")).toBe(name);
});
