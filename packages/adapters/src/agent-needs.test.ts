import type { Adapter, AgentNeeds, LaunchCommand, Opening, Sandbox } from "@fairlead/contract";
import { describe, expect, test } from "vitest";
import { adapters, unverifiedAdapters } from "./index.ts";

const home = "/home/u";
const workspace = "/work/project";

function createOpening({ manifest }: Adapter, overrides: Partial<Opening> = {}): Opening {
  return {
    session: "s",
    name: null,
    agent: manifest.id,
    adapterVersion: manifest.version,
    workspace,
    mode: "default",
    settings: manifest.settings.parse({}),
    probeResult: { installed: true, program: "p", version: null, flags: [], auth: "none", problems: [] },
    continues: null,
    ...overrides,
  };
}

function findAdapter(id: string): Adapter {
  return adapters.find(({ manifest }) => manifest.id === id)!;
}

function needsOf(adapter: Adapter, variables: Record<string, string> = {}, version: string | null = null): AgentNeeds {
  const { probeResult } = createOpening(adapter);
  const opening = createOpening(adapter, { probeResult: { ...probeResult, version } });
  return adapter.needs?.(opening, { HOME: home, ...variables }) ?? { writes: [], hides: [], protects: [] };
}

const withNeeds = [...adapters, ...unverifiedAdapters].filter((adapter) => "needs" in adapter);
const cases = withNeeds.map((adapter) => [adapter.manifest.id, adapter] as const);

/** Variables that name the folder of an agent. */
const folderVariables = [
  "CLAUDE_CONFIG_DIR",
  "CLAUDE_SECURESTORAGE_CONFIG_DIR",
  "CODEX_HOME",
  "CODEX_SQLITE_HOME",
  "GEMINI_CLI_HOME",
  "OPENCLAW_HOME",
  "OPENCLAW_STATE_DIR",
  "XDG_CACHE_HOME",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_STATE_HOME",
];

test("every agent but the shell, which runs only the user's commands, says what it needs", () => {
  expect(adapters.filter((adapter) => !("needs" in adapter)).map(({ manifest }) => manifest.id)).toEqual(["shell"]);
});

describe.each(cases)("%s", (_, adapter) => {
  test.each([undefined, home, "/", `${home}/x/..`, "relative", "", "/srv/agent/"])(
    "needs only absolute paths, and not the home, if variables name the folder %j",
    (value) => {
      const variables = value === undefined ? {} : Object.fromEntries(folderVariables.map((name) => [name, value]));
      const { writes, reads = [], hides } = needsOf(adapter, variables);
      for (const path of [...writes, ...reads, ...hides]) {
        expect(path).toMatch(/^\/[^/]/);
        expect(path).not.toMatch(/\/\/|\/\.\.?(\/|$)/);
        expect(`${home}/`.startsWith(`${path.replace(/\/$/, "")}/`)).toBe(false);
      }
    },
  );

  test("protects files by their paths in the workspace", () => {
    for (const path of needsOf(adapter).protects) {
      expect(path).toMatch(/^[^/].*[^/]$/);
      expect(path.split("/")).not.toContain("..");
      expect(path.split("/")).not.toContain(".");
    }
  });
});

test.each([
  ["claude-code", ".claude/settings.json"],
  ["claude-code", ".claude/plugins"],
  ["claude-code", ".claude/local"],
  ["codex", ".codex/config.toml"],
  ["codex-exec", ".codex/hooks.json"],
  ["gemini-cli", ".gemini/settings.json"],
  ["gemini-cli", ".gemini/trustedFolders.json"],
  ["opencode", ".config/opencode/opencode.json"],
  ["opencode", ".config/opencode/plugins"],
])("%s reads %s and does not write it, because it runs programs outside of the sandbox", (id, path) => {
  expect(needsOf(findAdapter(id)).reads).toContain(`${home}/${path}`);
});

test.each<[agent: string, variables: Record<string, string>, writes: string[]]>([
  ["amp", {}, [".local/share/amp/", ".cache/amp/", ".amp/file-changes/", ".amp/oauth/"]],
  ["claude-code", {}, [".claude/", ".cache/claude-cli-nodejs/", ".claude.json"]],
  ["claude-code", { CLAUDE_CONFIG_DIR: "/c" }, ["/c/", ".cache/claude-cli-nodejs/"]],
  [
    "claude-code",
    { CLAUDE_SECURESTORAGE_CONFIG_DIR: "/c/" },
    [".claude/", "/c/", ".cache/claude-cli-nodejs/", ".claude.json"],
  ],
  ["claude-code", { CLAUDE_CONFIG_DIR: home }, [".cache/claude-cli-nodejs/"]],
  ["codex", {}, [".codex/"]],
  ["codex-exec", { CODEX_HOME: "/c/../d", CODEX_SQLITE_HOME: "/e" }, ["/d/", "/e/"]],
  ["gemini-cli", {}, [".gemini/"]],
  ["gemini-cli", { GEMINI_CLI_HOME: "/g" }, ["/g/.gemini/"]],
  ["openai-api", {}, [".local/state/fairlead-openai/"]],
  ["openclaw", { OPENCLAW_STATE_DIR: "/o" }, [".cache/openclaw/"]],
  ["opencode", {}, [".config/opencode/", ".local/share/opencode/", ".local/state/opencode/", ".cache/opencode/"]],
  [
    "opencode",
    { XDG_DATA_HOME: "/d", XDG_CONFIG_HOME: "/c" },
    ["/c/opencode/", "/d/opencode/", ".local/state/opencode/", ".cache/opencode/"],
  ],
  ["scripted", { XDG_STATE_HOME: "/s" }, ["/s/fairlead-scripted/"]],
])("%s with %j writes %j", (id, variables, writes) => {
  const expected = writes.map((path) => (path.startsWith("/") ? path : `${home}/${path}`));
  expect(needsOf(findAdapter(id), variables).writes).toEqual(expected);
});

test.each<[agent: string, variables: Record<string, string>, reads: string[]]>([
  ["amp", { AMP_SETTINGS_FILE: "/a.json" }, [".config/amp", ".config/agents", ".config/AGENTS.md", "/a.json"]],
  ["claude-code", { GOOGLE_APPLICATION_CREDENTIALS: "/g.json" }, []],
  ["claude-code", { GOOGLE_APPLICATION_CREDENTIALS: "/g.json", CLAUDE_CODE_USE_VERTEX: "1" }, ["/g.json"]],
  ["gemini-cli", { GEMINI_SYSTEM_MD: "/g.md", GOOGLE_APPLICATION_CREDENTIALS: home }, ["/g.md"]],
  ["openclaw", { OPENCLAW_CONFIG_PATH: "/o.json" }, [".openclaw", "/o.json"]],
  ["opencode", { OPENCODE_CONFIG: "/o.json", OPENCODE_CONFIG_DIR: "relative" }, ["/o.json"]],
])("%s with %j reads %j", (id, variables, reads) => {
  const expected = reads.map((path) => (path.startsWith("/") ? path : `${home}/${path}`));
  const { writes, reads: all = [] } = needsOf(findAdapter(id), variables);
  expect(all.filter((path) => !writes.some((folder) => path.startsWith(folder)))).toEqual(expected);
});

test.each<[agent: string, variables: Record<string, string>, hidden: string]>([
  ["claude-code", {}, `${home}/.claude/sessions/`],
  ["claude-code", { CLAUDE_CONFIG_DIR: "/c" }, "/c/daemon.json"],
  ["codex", {}, `${home}/.codex/app-server-control/`],
  ["codex", { CODEX_HOME: "/c" }, "/c/app-server-control/"],
  ["openclaw", { OPENCLAW_HOME: "/o" }, "/o/.openclaw/exec-approvals.sock"],
])("%s with %j does not see %s", (id, variables, hidden) => {
  expect(needsOf(findAdapter(id), variables).hides).toContain(hidden);
});

const closedSandbox: Sandbox = {
  kind: "bwrap",
  workspace: "write",
  writes: [],
  protects: [],
  hides: [],
  shows: [],
  network: "open",
};

describe("Claude Code", () => {
  const adapter = findAdapter("claude-code");
  function launchCommands(overrides: Partial<Opening> = {}): LaunchCommand[] {
    const opening = createOpening(adapter, overrides);
    const { dialect } = adapter.open(opening);
    const { effects = [] } = dialect.handle(dialect.initialState, { type: "open" });
    const launched = effects.flatMap((effect) => (effect.type === "launch" ? [effect.command] : []));
    return [...launched, adapter.terminalCommand!(opening, "conversation")];
  }

  test("writes the file of its global state only in versions that need it", () => {
    const writesStateFile = (version: string | null): boolean =>
      needsOf(adapter, {}, version).writes.includes(`${home}/.claude.json`);
    expect(["1.0.128", "2.0.77", null].map(writesStateFile)).toEqual([true, true, true]);
    expect(["2.1.325", "3.0.0"].map(writesStateFile)).toEqual([false, false]);
  });

  test("refuses messages of other sessions, unless the user passes other settings or it has no such flag", () => {
    const { probeResult } = createOpening(adapter);
    const sandbox: Sandbox = { ...closedSandbox, kind: "none" };
    const settingsOf = ({ args }: LaunchCommand): string[] =>
      args.flatMap((word, index) => (word === "--settings" ? [args[index + 1]!] : []));
    const refusal = '{"crossSessionInbound":"refuse"}';
    expect(launchCommands({ sandbox }).map(settingsOf)).toEqual([[refusal], [refusal]]);
    const known = { ...probeResult, flags: ["--settings"] };
    expect(launchCommands({ sandbox, probeResult: known }).map(settingsOf)).toEqual([[refusal], [refusal]]);
    const old = { ...probeResult, flags: ["--resume"] };
    expect(launchCommands({ sandbox, probeResult: old }).map(settingsOf)).toEqual([[], []]);
    const settings = adapter.manifest.settings.parse({ options: { settings: "own.json" } });
    expect(launchCommands({ sandbox, settings }).map(settingsOf)).toEqual([["own.json"], ["own.json"]]);
    // A spool without a sandbox replays the command that it was launched with.
    expect(launchCommands().map(settingsOf)).toEqual([[], []]);
  });

  test.each<[variables: Record<string, string>, credential: object | undefined]>([
    [{ ANTHROPIC_API_KEY: "k" }, { variable: "ANTHROPIC_API_KEY", header: "x-api-key", prefix: "" }],
    [{ ANTHROPIC_AUTH_TOKEN: "t" }, { variable: "ANTHROPIC_AUTH_TOKEN", header: "authorization", prefix: "Bearer " }],
    [{ ANTHROPIC_API_KEY: "k", ANTHROPIC_AUTH_TOKEN: "t" }, undefined],
    [{ ANTHROPIC_AUTH_TOKEN: "t", CLAUDE_CODE_USE_BEDROCK: "1" }, undefined],
    [{ CLAUDE_CODE_OAUTH_TOKEN: "t" }, undefined],
  ])("with %j, the gate keeps %j", (variables, expected) => {
    const { credential } = needsOf(adapter, variables);
    if (expected === undefined) return expect(credential).toBeUndefined();
    expect(credential).toMatchObject({ ...expected, url: "https://api.anthropic.com" });
    const { variable = "" } = credential ?? {};
    const inside = { [variable]: "stand-in", ANTHROPIC_BASE_URL: "http://127.0.0.1:1" };
    expect(credential?.variables("http://127.0.0.1:1", "stand-in")).toEqual(inside);
  });

  test("keeps its temporary files in the sandbox's own folder", () => {
    const folders = (commands: LaunchCommand[]): (string | undefined)[] =>
      commands.map(({ env }) => env["CLAUDE_CODE_TMPDIR"]);
    expect(folders(launchCommands({ sandbox: closedSandbox }))).toEqual(["/tmp", "/tmp"]);
    expect(folders(launchCommands())).toEqual([undefined, undefined]);
  });
});

describe("Codex", () => {
  const adapter = findAdapter("codex");
  const key = { OPENAI_API_KEY: "k" };
  const own = {
    model_provider: "own",
    "model_providers.own.name": "Own",
    "model_providers.own.base_url": "http://own.example.com/a",
    "model_providers.own.env_key": "CODEX_OWN_KEY",
    "model_providers.own.request_max_retries": 1,
  };

  function credentialOf(
    variables: Record<string, string>,
    options: Record<string, unknown> = {},
    version: string | null = "0.166.0",
  ): AgentNeeds["credential"] {
    const { probeResult } = createOpening(adapter);
    const settings = adapter.manifest.settings.parse({ options });
    const opening = createOpening(adapter, { settings, probeResult: { ...probeResult, version } });
    return adapter.needs!(opening, { HOME: home, ...variables }).credential;
  }

  test.each<[variables: Record<string, string>, options: Record<string, unknown>, variable: string, url: string]>([
    [key, {}, "OPENAI_API_KEY", "https://api.openai.com/v1"],
    [{ ...key, CODEX_API_KEY: "c" }, {}, "CODEX_API_KEY", "https://api.openai.com/v1"],
    [{ ...key, OPENAI_BASE_URL: "" }, { model_provider: "openai" }, "OPENAI_API_KEY", "https://api.openai.com/v1"],
    [{ ...key, OPENAI_BASE_URL: "https://b.example.com" }, {}, "OPENAI_API_KEY", "https://b.example.com"],
    [
      { ...key, OPENAI_BASE_URL: "https://b.example.com" },
      { openai_base_url: "https://o.example.com/v1" },
      "OPENAI_API_KEY",
      "https://o.example.com/v1",
    ],
    [{ ...key, CODEX_OWN_KEY: "o" }, own, "CODEX_OWN_KEY", "http://own.example.com/a"],
  ])("with %j and the options %j, the key %s of %s can be withheld", (variables, options, variable, url) => {
    expect(credentialOf(variables, options)).toMatchObject({
      variable,
      url,
      header: "authorization",
      prefix: "Bearer ",
    });
  });

  test.each<[variables: Record<string, string>, options: Record<string, unknown>, version?: string | null]>([
    [{}, {}],
    [{ OPENAI_API_KEY: "" }, {}],
    [{ ...key, CODEX_ACCESS_TOKEN: "t" }, {}],
    [key, { profile: "work" }],
    [key, { model_provider: "azure" }],
    [key, own],
    [
      { ...key, CODEX_OWN_KEY: "o" },
      { ...own, model_provider: "openai" },
    ],
    [
      { ...key, CODEX_OWN_KEY: "o" },
      { ...own, "model_providers.own.http_headers.x-api-key": "another" },
    ],
    [
      { ...key, CODEX_OWN_KEY: "o" },
      { ...own, "model_providers.other.base_url": "http://other.example.com" },
    ],
    [key, { openai_base_url: "https://me:password@o.example.com/v1" }],
    [key, { openai_base_url: "https://o.example.com/v1?tenant=1" }],
    [key, { openai_base_url: "unix:/a" }],
    [key, {}, "0.163.0"],
    [key, {}, null],
  ])(
    "with %j, the options %j and the version %s, no key can be withheld",
    (variables, options, version = "0.166.0") => {
      expect(credentialOf(variables, options, version)).toBeUndefined();
    },
  );

  test("does not use the key if it has a login, or if its configuration chooses another service", () => {
    const unless = credentialOf({ ...key, CODEX_HOME: "/c" })?.unless ?? [];
    expect(unless.filter(({ pattern }) => pattern === undefined)).toEqual([{ path: "/c/auth.json" }]);
    const pattern = unless.find(({ path }) => path === "/c/config.toml")?.pattern ?? /^/;
    const chooses = [
      'model_provider = "x"',
      '[profiles.a]\nmodel_provider="x"',
      'p = { openai_base_url = "http://x" }',
    ];
    expect(chooses.map((text) => pattern.test(text))).toEqual([true, true, true]);
    const others = ['# model_provider = "x"', '[model_providers.x]\nname = "x"', 'a = 1 # openai_base_url = ""', ""];
    expect(others.map((text) => pattern.test(text))).toEqual([false, false, false, false]);
  });

  test("has neither key nor URL of the service behind the gate, and does not store the one of its terminal", () => {
    const credential = credentialOf({ ...key, CODEX_API_KEY: "c" });
    const variables = credential?.variables("http://127.0.0.1:1/v1", "worthless");
    expect(variables).toEqual({
      OPENAI_API_KEY: "worthless",
      CODEX_API_KEY: "worthless",
      OPENAI_BASE_URL: "http://127.0.0.1:1/v1",
    });
    expect(credentialOf(key)?.variables("u", "k")["CODEX_API_KEY"]).toBeNull();

    const endpoint = { port: 1, url: "https://o.example.com/v1/", header: "", prefix: "", variable: "", variables: {} };
    const gate = { hosts: [], refusedHosts: [], services: [], forwards: [], endpoint };
    const sandbox: Sandbox = { ...closedSandbox, network: "gate", gate };
    const settingsOf = (id: string, options: object): string[][] => {
      const one = findAdapter(id);
      const settings = one.manifest.settings.parse({ options });
      const { probeResult } = createOpening(one);
      const opening = createOpening(one, { sandbox, settings, probeResult: { ...probeResult, flags: ["app-server"] } });
      const { dialect } = one.open(opening);
      const { effects: opened = [] } = dialect.handle(dialect.initialState, { type: "open" });
      const { effects: sent = [] } = dialect.handle(dialect.initialState, { type: "send", turn: "t", text: "Hello" });
      const launched = [...opened, ...sent].flatMap((effect) => (effect.type === "launch" ? [effect.command] : []));
      return [...launched, one.terminalCommand!(opening, "c")].map(({ args }) =>
        args.filter((word) => /^(?:openai_base_url|model_providers\.own\.base_url|cli_auth|forced_login)/.test(word)),
      );
    };
    const url = 'openai_base_url="http://127.0.0.1:1/v1"';
    const terminal = [url, 'forced_login_method="api"', 'cli_auth_credentials_store="ephemeral"'];
    const ownUrl = ['model_providers.own.base_url="http://127.0.0.1:1/v1"'];
    for (const id of ["codex", "codex-exec"]) {
      expect(settingsOf(id, { openai_base_url: "https://o.example.com/v1/" })).toEqual([[url], terminal]);
      expect(settingsOf(id, own)).toEqual([ownUrl, ownUrl]);
    }
  });
});
