import { ignoresWorkspaceFiles, type Adapter, type LaunchCommand, type Opening } from "@fairlead/contract";
import { expect, test } from "vitest";
import { adapters } from "./index.ts";

function launchCommands(
  adapter: Adapter,
  untrustedFiles: string[] | undefined,
  flags: string[] = [],
  settings: object = {},
): LaunchCommand[] {
  const opening: Opening = {
    session: "s",
    name: null,
    agent: adapter.manifest.id,
    adapterVersion: adapter.manifest.version,
    workspace: "/w",
    mode: "default",
    settings: adapter.manifest.settings.parse(settings),
    probeResult: { installed: true, program: "p", version: null, flags, auth: "none", problems: [] },
    continues: null,
    ...(untrustedFiles && { untrustedFiles }),
  };
  const { dialect } = adapter.open(opening);
  const { effects = [] } = dialect.handle(dialect.initialState, { type: "open" });
  const commands = effects.flatMap((effect) => (effect.type === "launch" ? [effect.command] : []));
  // Codex asks in its terminal, if there are such files.
  const isAsked = adapter.manifest.vendor === "OpenAI" && untrustedFiles?.length === 0;
  const terminal = isAsked ? undefined : adapter.terminalCommand?.(opening, "conversation");
  return terminal === undefined ? commands : [...commands, terminal];
}

const configurable = adapters.filter(({ manifest }) => manifest.workspaceFiles !== undefined);

test.each(configurable.map((adapter) => [adapter.manifest.id, adapter] as const))(
  "%s launches another command in an untrusted workspace, also in its own terminal and without such files",
  (_, adapter) => {
    const [trusted, untrusted] = [launchCommands(adapter, undefined), launchCommands(adapter, [])];
    expect(trusted.length).toBeGreaterThan(0);
    for (const [index, command] of untrusted.entries()) expect(command).not.toEqual(trusted[index]);
    const withFiles = launchCommands(adapter, [".hidden"]);
    expect(withFiles.slice(0, untrusted.length)).toEqual(untrusted);
    for (const [index, command] of withFiles.entries()) expect(command).not.toEqual(trusted[index]);
  },
);

test("Claude Code reads only the user's settings in an untrusted workspace, whatever else is set", () => {
  const claudeCode = adapters.find(({ manifest }) => manifest.id === "claude-code")!;
  const hasFlag = ({ args }: LaunchCommand): boolean =>
    args.some(
      (word, index) =>
        word === "--setting-sources=user" || (word === "--setting-sources" && args[index + 1] === "user"),
    );
  expect(launchCommands(claudeCode, []).every(hasFlag)).toBe(true);
  expect(launchCommands(claudeCode, [], ["--setting-sources"]).every(hasFlag)).toBe(true);
  // A version that does not know the flag fails. It must not start without it.
  expect(launchCommands(claudeCode, [], ["--resume"]).every(hasFlag)).toBe(true);
  const options = { "setting-sources": "user,project" };
  expect(launchCommands(claudeCode, [], [], { options }).every(hasFlag)).toBe(true);
  expect(launchCommands(claudeCode, undefined).some(hasFlag)).toBe(false);
});

test.each(configurable.map(({ manifest }) => [manifest.id, manifest] as const))(
  "%s is not started with a version that cannot ignore the files of an untrusted workspace",
  (_, manifest) => {
    expect(manifest.ignoresWorkspaceFiles).toBeDefined();
    expect(ignoresWorkspaceFiles(manifest, { flags: ["--help"], version: "0.0.1" })).toBe(false);
  },
);
