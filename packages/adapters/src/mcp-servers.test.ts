import { expect, test } from "vitest";
import { configureClaudeCodeServers } from "./claude-code/mcp-servers.ts";
import { configureCodexServers } from "./codex/mcp-servers.ts";
import { opencodeAdapter } from "./opencode/entry.ts";

const server = { name: "notes", command: "node", args: ["${HOME}/a.js", "b"], env: { TOKEN: "reference" } };

test("Claude Code gets the values of variables in its environment, and no text of the user as a pattern", () => {
  const { flags, env } = configureClaudeCodeServers([server], { "mcp-config": "mine.json" });
  const [own, ours = ""] = flags["mcp-config"] as string[];
  expect(own).toBe("mine.json");
  expect(ours).not.toContain("reference");
  const { notes } = (JSON.parse(ours) as { mcpServers: { notes: { args: string[]; env: { TOKEN: string } } } })
    .mcpServers;
  const expand = (text: string): string => text.replace(/\$\{(\w+)\}/, (_, name: string) => env[name] ?? "");
  expect([...notes.args, notes.env.TOKEN].map(expand)).toEqual(["${HOME}/a.js", "b", "reference"]);
  expect(configureClaudeCodeServers([], { model: "x" })).toEqual({ flags: {}, env: {} });
});

test("Codex is told to ask about every tool", () => {
  expect(configureCodexServers([server])).toMatchObject({
    config: { "mcp_servers.notes": { command: "node", default_tools_approval_mode: "prompt" } },
  });
  expect(configureCodexServers([])).toEqual({});
});

test.each([
  ["default", {}, "ask"],
  ["accept-edits", {}, "ask"],
  ["default", { edit: "allow" }, "ask"],
  // The user's own choice.
  ["default", { "notes_*": "allow" }, "allow"],
  ["dangerously-skip-permissions", {}, undefined],
] as const)("opencode in the mode %s with %j: %s", (mode, permission, expected) => {
  const probeResult = {
    installed: true,
    program: "/opencode",
    version: null,
    flags: [],
    auth: "none",
    problems: [],
  } as const;
  const settings = { options: Object.keys(permission).length === 0 ? {} : { permission } };
  const { dialect } = opencodeAdapter.open({
    session: "s",
    name: null,
    agent: "opencode",
    adapterVersion: "0.1.0",
    workspace: "/w",
    mode,
    settings,
    probeResult: { ...probeResult, flags: [], problems: [] },
    continues: null,
    mcpServers: [server],
  });
  const launch = dialect.handle(dialect.initialState, { type: "open" }).effects?.find(({ type }) => type === "launch");
  const env = launch?.type === "launch" ? launch.command.env : {};
  const configuration = JSON.parse(env["OPENCODE_CONFIG_CONTENT"] ?? "{}") as { permission: Record<string, string> };
  expect(configuration.permission["notes_*"]).toBe(expected);
});
