import type {
  Adapter,
  Conversation,
  Finding,
  LaunchLine,
  Opening,
  PermissionMode,
  ProbeHost,
} from "@fairlead/contract";
import type { z } from "zod";
import { acpDialect, probeProgram } from "@fairlead/kit";
import { AcpSettings, type AcpChoice, type AcpEntry, type CommonSettings } from "./wire.ts";

export { AcpSettings, type AcpChoice, type AcpEntry } from "./wire.ts";

/** An adapter for an agent that speaks the Agent Client Protocol, from what is peculiar to that agent. */
export function acpAdapter<Settings extends CommonSettings = AcpSettings>(entry: AcpEntry<Settings>): Adapter {
  const { id, version, vendor, label, models, capabilities, environment } = entry;
  const transcript = entry.transcript?.bind(entry);
  const settings = entry.settings ?? (AcpSettings as unknown as z.ZodType<Settings>);
  const modes = Object.keys(entry.modes) as PermissionMode[];
  return {
    manifest: { contract: "adapter/1", id, version, vendor, label, models, capabilities, modes, settings, environment },
    probe: (host) => probe(entry, host),
    ...(transcript && { transcript }),
    open(opening) {
      const { otherwise } = entry;
      const { flags } = opening.finding;
      // A help that could not be read says nothing.
      const lacking = otherwise !== undefined && flags.length > 0 && !flags.includes(otherwise.lacking);
      return lacking ? otherwise.open(opening) : converse(entry, opening, settings.parse(opening.settings));
    },
  };
}

function converse<Settings extends CommonSettings>(
  entry: AcpEntry<Settings>,
  opening: Opening,
  settings: Settings,
): Conversation {
  const { mode, workspace, finding } = opening;
  const { model } = settings;
  const choice: AcpChoice<Settings> = { settings, mode, workspace, finding };
  const options = entry.modelOption !== undefined && model !== undefined ? { [entry.modelOption]: model } : {};
  const dialect = acpDialect({
    launch: () => launchLine(entry, choice),
    workspace,
    continues: opening.continues?.agentSessionId ?? null,
    authMethod: finding.auth === "api-key" ? (entry.authMethod ?? null) : null,
    mode: entry.modes[mode] ?? null,
    options,
    asksInProgress: mode !== "dangerously-skip-permissions" && entry.asksFirst !== true,
    retryDeadline: settings.retryDeadline,
    notices: notHonoured(entry, settings),
    quirks: entry.quirks ?? {},
  });
  return { life: "session", protocol: "acp", dialect };
}

function launchLine<Settings extends CommonSettings>(
  entry: AcpEntry<Settings>,
  choice: AcpChoice<Settings>,
): LaunchLine {
  const { args, env = {} } = entry.launch(choice);
  const program = choice.finding.program ?? entry.probe.program;
  return { program, args, env, cwd: choice.workspace, stdin: "pipe" };
}

/** A setting that is one of the common words and cannot be carried out is not passed over in silence. */
function notHonoured({ honours, label }: Pick<AcpEntry, "honours" | "label">, settings: CommonSettings): string[] {
  const words = ["model", "systemPrompt", "maxTurns", "options"] as const;
  const set = words.filter((word) => (word === "options" ? hasKeys(settings.options) : settings[word] !== undefined));
  return set
    .filter((word) => !honours.includes(word))
    .map((word) => `${label} cannot be given ${word}; it was left out.`);
}

function hasKeys(object: object): boolean {
  return Object.keys(object).length > 0;
}

async function probe({ probe: line }: Pick<AcpEntry, "probe">, host: ProbeHost): Promise<Finding> {
  const { always = [], flags = [], unsigned } = line;
  const key = line.keys.some((name) => host.has(name));
  const found = await probeProgram(host, { ...line, auth: key ? "api-key" : "unknown" });
  if (!found.installed) return found;
  const logins = await Promise.all(line.logins.map((path) => host.exists(path)));
  const signedIn = logins.includes(true);
  const needed = flags.filter((flag) => !found.flags.includes(flag));
  return {
    ...found,
    auth: key ? "api-key" : signedIn ? "login" : unsigned === null ? "none" : "unknown",
    problems: [
      ...(key || signedIn || unsigned === null ? [] : [unsigned]),
      ...needed.map((flag) => `This version does not know ${flag}: install a newer one.`),
      ...always,
    ],
  };
}
