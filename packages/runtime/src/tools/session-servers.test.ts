import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import type { Capability, McpServer } from "@fairlead/contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Home } from "../home.ts";
import type { StartOptions } from "../sessions/start/start-options.ts";
import { restoreServerSecrets, separateServerSecrets } from "./server-secrets.ts";
import { assertTakesServers, findSessionServers } from "./session-servers.ts";

let folder = "";
let home: Home;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "servers-"));
  home = new Home(join(folder, "home"));
  home.create();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const [adapter] = adapters;
const probeResult = { version: null, flags: [] };
const withCapabilities = (...capabilities: Capability[]) => ({ manifest: { ...adapter!.manifest, capabilities } });

function find(options: Partial<StartOptions>, takes = true, isTrusted = true) {
  const sources = { home, workspace: folder, trustsFile: () => isTrusted, probeResult };
  const agent = withCapabilities(...(takes ? (["mcp-servers"] as const) : []));
  return findSessionServers({ agent: "a", workspace: folder, ...options }, { ...sources, adapter: agent });
}

const requested: McpServer[] = [{ name: "both", command: "of-request" }];

function writeFiles(): void {
  writeFileSync(home.configFile, "mcp: { both: { command: of-user }, mine: { command: of-user } }");
  writeFileSync(
    join(folder, "fairlead.yaml"),
    "mcp: { both: { command: of-workspace }, ours: { command: of-workspace } }",
  );
}

test("of servers with one name, the request's counts, then the workspace's, then the user's", () => {
  expect(find({})).toEqual({ servers: [], notices: [] });
  writeFiles();
  expect(find({}).servers).toEqual([
    { name: "both", command: "of-workspace" },
    { name: "mine", command: "of-user" },
    { name: "ours", command: "of-workspace" },
  ]);
  expect(find({ mcpServers: requested }).servers.map(({ command }) => command)).toEqual([
    "of-request",
    "of-user",
    "of-workspace",
  ]);
});

test("those of a workspace that is not trusted are refused, and a caller who may not approve gets only the user's", () => {
  writeFiles();
  expect(() => find({}, true, false)).toThrow(/not trusted/);
  const { servers } = find({ approvalsRequired: true }, true, false);
  expect(servers.map(({ command }) => command)).toEqual(["of-user", "of-user"]);
});

test("a session that continues another one has its servers, unless the caller may not approve", () => {
  writeFiles();
  const continues = { session: "s", agentSessionId: null, outcome: "fresh" } as const;
  expect(find({ continues, mcpServers: requested }).servers).toEqual(requested);
  expect(find({ continues, mcpServers: requested, approvalsRequired: true }).servers).toEqual([]);
});

test("an agent without the capability gets none: the files' are left out with a notice, the request's are refused", () => {
  writeFiles();
  const { servers, notices } = find({}, false);
  expect(servers).toEqual([]);
  expect(notices).toEqual([expect.stringMatching(/cannot use MCP servers. Left out: both, mine, ours\.$/)]);
  const { manifest } = withCapabilities("tools");
  expect(() => assertTakesServers(manifest, probeResult, requested)).toThrow(/lacks the capability mcp-servers/);
  expect(() => assertTakesServers(manifest, probeResult, [])).not.toThrow();
});

test("a configuration that is not valid is named", () => {
  writeFileSync(home.configFile, "mcp: { my_notes: { command: x } }");
  const { servers, notices } = find({ mcpServers: requested });
  expect(servers).toEqual(requested);
  expect(notices).toEqual([expect.stringMatching(/config\.yaml is not valid.*lower case.*were left out\.$/s)]);
});

test("the values of variables become references, and come back", () => {
  const servers = [
    { name: "notes", command: "x", env: { TOKEN: "secret-1", MODE: "secret-2" } },
    { name: "plain", command: "y" },
  ];
  const separated = separateServerSecrets(servers, "n0nce");
  expect(JSON.stringify(separated.servers)).not.toContain("secret-");
  expect(Object.values(separated.secrets)).toEqual(["secret-1", "secret-2"]);
  expect(restoreServerSecrets(separated.servers, separated.secrets)).toEqual({ servers, missing: [] });
  expect(restoreServerSecrets(separated.servers, {}).missing).toEqual(["mcp.notes.TOKEN", "mcp.notes.MODE"]);
});
