import { describe, expect, test } from "vitest";
import { promptText } from "./prompt-text.ts";
import { answerFromOutcome } from "./permission.ts";
import { toolKind, toolTitle } from "./tool-kind.ts";

test.each([
  ["Bash", "execute"],
  ["exec_command", "execute"],
  ["run_shell_command", "execute"],
  ["write_file", "edit"],
  ["apply_patch", "edit"],
  ["MultiEdit", "edit"],
  ["Read", "read"],
  ["Grep", "search"],
  ["WebFetch", "fetch"],
  ["TodoWrite", "think"],
  ["unknown_tool", "other"],
])("a tool named %s has the kind %s", (name, kind) => expect(toolKind(name)).toBe(kind));

test("a title names the tool and its subject, in one line", () => {
  expect(toolTitle("Write", { file_path: "/w/a.txt", content: "x" })).toBe("Write /w/a.txt");
  expect(toolTitle("Bash", { command: "  a\n b " })).toBe("Bash a b");
  for (const input of [null, "x", {}, { path: 3 }]) expect(toolTitle("Odd", input)).toBe("Odd");
});

describe("a prompt", () => {
  test("joins the typed text and the attachments into one text", () => {
    const text = promptText([
      { type: "text", text: "See " },
      { type: "resource_link", uri: "file:///w/a%20b.txt", name: "a b.txt" },
      { type: "resource", resource: { uri: "file:///w/c.txt", text: "see" } },
    ]);
    expect(text).toBe('See /w/a b.txt\n<context ref="/w/c.txt">\nsee\n</context>\n');
  });

  test("with an image or binary content is rejected", () => {
    expect(() => promptText([{ type: "image", data: "", mimeType: "image/png" }])).toThrow(/image/);
    const resource = { uri: "file:///w/c.bin", blob: "" };
    expect(() => promptText([{ type: "resource", resource }])).toThrow(/resource/);
  });
});

test("every outcome except the option allow is a denial", () => {
  expect(answerFromOutcome({ outcome: "selected", optionId: "allow" })).toEqual({ type: "allow" });
  expect(answerFromOutcome({ outcome: "selected", optionId: "Allow" })).toMatchObject({
    type: "deny",
    interrupt: false,
  });
  expect(answerFromOutcome({ outcome: "cancelled" })).toMatchObject({ type: "deny", interrupt: true });
});
