import type { Adapter, LaunchCommand, Opening } from "@fairlead/contract";
import { expect, test } from "vitest";
import { adapters } from "./index.ts";

function launchCommands(adapter: Adapter, untrustedFiles: string[] | undefined, flags: string[] = []): LaunchCommand[] {
  const opening: Opening = {
    session: "s",
    name: null,
    agent: adapter.manifest.id,
    adapterVersion: adapter.manifest.version,
    workspace: "/w",
    mode: "default",
    settings: adapter.manifest.settings.parse({}),
    probeResult: { installed: true, program: "p", version: null, flags, auth: "none", problems: [] },
    continues: null,
    ...(untrustedFiles && { untrustedFiles }),
  };
  const { dialect } = adapter.open(opening);
  const { effects = [] } = dialect.handle(dialect.initialState, { type: "open" });
  const commands = effects.flatMap((effect) => (effect.type === "launch" ? [effect.command] : []));
  const terminal = adapter.terminalCommand?.(opening, "conversation");
  return terminal === undefined ? commands : [...commands, terminal];
}

const configurable = adapters.filter(({ manifest }) => manifest.workspaceFiles !== undefined);

test.each(configurable.map((adapter) => [adapter.manifest.id, adapter] as const))(
  "%s launches another command in an untrusted workspace, also in its own terminal and without such files",
  (_, adapter) => {
    const [trusted, untrusted] = [launchCommands(adapter, undefined), launchCommands(adapter, [])];
    expect(trusted.length).toBeGreaterThan(0);
    for (const [index, command] of untrusted.entries()) expect(command).not.toEqual(trusted[index]);
    expect(launchCommands(adapter, [".hidden"])).toEqual(untrusted);
  },
);

test("Claude Code reads only the user's settings in an untrusted workspace, unless its version cannot", () => {
  const claudeCode = adapters.find(({ manifest }) => manifest.id === "claude-code")!;
  const hasFlag = ({ args }: LaunchCommand): boolean =>
    args.some(
      (word, index) =>
        word === "--setting-sources=user" || (word === "--setting-sources" && args[index + 1] === "user"),
    );
  expect(launchCommands(claudeCode, []).every(hasFlag)).toBe(true);
  expect(launchCommands(claudeCode, [], ["--setting-sources"]).every(hasFlag)).toBe(true);
  expect(launchCommands(claudeCode, [], ["--resume"]).some(hasFlag)).toBe(false);
  expect(launchCommands(claudeCode, undefined).some(hasFlag)).toBe(false);
});
