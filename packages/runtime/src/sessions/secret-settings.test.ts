import { adapters } from "@fairlead/adapters";
import type { Adapter, LaunchCommand, Opening, Settings } from "@fairlead/contract";
import { resolveSecrets } from "@fairlead/keeper";
import { describe, expect, test } from "vitest";
import { redactSettings, restoreSecrets, secretSettingNames, separateSecrets } from "./secret-settings.ts";

/** An agent whose options have a schema of their own. */
const strictAgent = adapters.find(({ manifest: { settings } }) => {
  const accepts = (options: object): boolean => settings.safeParse({ options }).success;
  return accepts({ "base-url": "http://x" }) && !accepts({ unknown: "x" });
})!;
const shell = adapters.find(({ manifest }) => manifest.id === "shell")!;

/** Texts that JSON, TOML or a careless replacement would change. */
const texts = ["plain", 'with "quotes"', "back\\slash", "two\nlines", "$& $1", "ü\u2028", "-dash", "a, b", ""];

/** Settings for every form of a secret setting that an adapter accepts. */
function secretSettingsOf({ manifest }: Adapter): Settings[] {
  const candidates = texts.flatMap((text) => [
    { env: { NAME: text } },
    { options: { flag: text, list: [text, "other"] } },
    { options: { flag: text } },
    { options: { "base-url": `http://127.0.0.1/${encodeURIComponent(text)}` } },
    { options: { provider: { custom: { options: { apiKey: text } } } } },
  ]);
  const known = (settings: object): boolean =>
    Object.keys(settings).every((name) => secretSettingNames(manifest).includes(name));
  return candidates.filter((settings) => known(settings) && manifest.settings.safeParse(settings).success);
}

function launchCommands(adapter: Adapter, settings: Settings): LaunchCommand[] {
  const opening: Opening = {
    session: "s",
    name: null,
    agent: adapter.manifest.id,
    adapterVersion: adapter.manifest.version,
    workspace: "/w",
    mode: "default",
    settings,
    probeResult: {
      installed: true,
      program: "p",
      version: null,
      flags: ["--flag", "--list", "flag", "list"],
      auth: "none",
      problems: [],
    },
    continues: null,
  };
  const { dialect } = adapter.open(opening);
  const opened = dialect.handle(dialect.initialState, { type: "open" });
  const sent = dialect.handle(opened.state, { type: "send", turn: "t", text: "x" });
  const effects = [...(opened.effects ?? []), ...(sent.effects ?? [])];
  const commands = effects.flatMap((effect) => (effect.type === "launch" ? [effect.command] : []));
  const terminal = adapter.terminalCommand?.(opening, "conversation");
  return terminal === undefined ? commands : [...commands, terminal];
}

const agents = adapters
  .map((adapter) => [adapter.manifest.id, adapter, secretSettingsOf(adapter)] as const)
  .filter(([, , variants]) => variants.length > 0);

describe.each(agents)("%s", (_, adapter, variants) => {
  test("launches the same command from references, whose spool has no text", () => {
    for (const settings of variants) {
      const parsed = adapter.manifest.settings.parse(settings);
      const { settings: separated, secrets } = separateSecrets(adapter.manifest, parsed);
      const direct = launchCommands(adapter, parsed);
      const recorded = launchCommands(adapter, separated);
      expect(direct.length).toBeGreaterThan(0);
      expect(recorded.map((command) => resolveSecrets(command, secrets))).toEqual(direct);
      expect(Object.values(secrets).length).toBeGreaterThan(0);
      for (const text of Object.values(secrets).filter((value) => value.length > 4)) {
        expect(JSON.stringify([separated, recorded])).not.toContain(JSON.stringify(text).slice(1, -1));
      }
      expect(restoreSecrets(separated, secrets)).toEqual({ settings: parsed, missing: [] });
    }
  });
});

test("the settings of most agents that can carry a secret are covered", () => {
  const covered = adapters.filter((adapter) => secretSettingsOf(adapter).length > 0).map(({ manifest }) => manifest.id);
  const declared = adapters.filter(({ manifest }) => {
    const defaults = manifest.settings.parse({});
    return secretSettingNames(manifest).some((name) => Object.hasOwn(defaults, name));
  });
  expect(covered).toEqual(declared.map(({ manifest }) => manifest.id));
});

test("keeps numbers, and words of which a schema accepts only a few", () => {
  const settings = strictAgent.manifest.settings.parse({
    model: "m",
    systemPrompt: "p",
    options: { "base-url": "http://x/secret", temperature: 1, "reasoning-effort": "high" },
  });
  const separated = separateSecrets(strictAgent.manifest, settings, "nonce").settings;
  const reference = "fairlead-secret:nonce/options.base-url";
  const options = { "base-url": reference, temperature: 1, "reasoning-effort": "high" };
  expect(separated).toEqual({ ...settings, options });
});

test("removes references and the texts of older openings, and names them", () => {
  const settings = shell.manifest.settings.parse({ env: { A: "secret", B: "other" }, deniedCommands: ["rm"] });
  const { settings: separated } = separateSecrets(shell.manifest, settings);
  for (const stored of [settings, separated]) {
    const { settings: redacted, removed } = redactSettings(stored, ["env"]);
    expect(redacted).toEqual({ ...settings, env: {} });
    expect(removed).toEqual(["env.A", "env.B"]);
  }
  expect(redactSettings({ options: { list: ["a", "b"], n: 1 } }, ["options"])).toEqual({
    settings: { options: { list: [], n: 1 } },
    removed: ["options.list.0", "options.list.1"],
  });
  expect(restoreSecrets(separated, {}).missing).toEqual(["env.A", "env.B"]);
});

test("a reference that is unknown, or a text that only looks like one, is not replaced", () => {
  const command: LaunchCommand = { program: "p", args: ["fairlead-secret:x/env.A"], env: {}, cwd: "/", stdin: "none" };
  expect(resolveSecrets(command, { "fairlead-secret:y/env.A": "v" })).toEqual(command);
  expect(resolveSecrets({ ...command, args: ["fairlead-secret:x/__proto__"] }, {}).args).toEqual([
    "fairlead-secret:x/__proto__",
  ]);
});
