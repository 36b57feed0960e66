import type { Adapter, LaunchLine, Opening } from "@fairlead/contract";
import { flagArguments, PassedFlags, probeProgram, type FlagValue } from "@fairlead/kit";
import { z } from "zod";
import { dialectOf, type Manner, type State } from "./dialect.ts";

const Settings = z.strictObject({
  /** Any flag of the program. What makes the protocol takes precedence. */
  options: PassedFlags.default({}),
  /** How long its model may take for an answer, in milliseconds. It says nothing until an answer is whole. */
  retryDeadline: z.int().positive().default(600_000),
  /** How long a tool may take, in milliseconds. One that waits for an approval would take for ever. */
  toolDeadline: z.int().positive().default(900_000),
});
type Settings = z.infer<typeof Settings>;

/** The last build whose loop runs on the user's machine, and the second in which it was made. */
const tried = "0.0.1769314944-g5070a1";
const secondOf = (version: string | null): number => Number(/^0\.0\.(\d+)/.exec(version ?? "")?.[1] ?? 0);

const skipping = "dangerously-allow-all";

export const amp: Adapter<State> = {
  manifest: {
    contract: "adapter/1",
    id: "amp",
    version: "0.1.0",
    vendor: "Sourcegraph",
    label: "Amp (the last build that runs locally)",
    models: ["smart"],
    capabilities: ["reasoning", "tools", "parallel-tools", "file-events", "interrupt", "queue", "resume", "usage"],
    // It can ask nobody: what its rules do not allow ends the turn, so there is nothing that full-auto could answer.
    modes: ["default", "dangerously-skip-permissions"],
    settings: Settings,
    environment: ["AMP_*"],
  },

  async probe(host) {
    const auth = host.has("AMP_API_KEY") ? "api-key" : "unknown";
    const install = `npm install -g @sourcegraph/amp@${tried}`;
    const finding = await probeProgram(host, {
      program: "amp",
      missing: `Amp is not installed: run \`${install}\`.`,
      auth,
    });
    if (!finding.installed) return finding;
    const problems: string[] = [];
    if (secondOf(finding.version) > secondOf(tried)) {
      problems.push(
        `Since ${tried} its loop runs on the vendor's servers, which nobody has tried: run \`${install}\`.`,
      );
    }
    if (!finding.flags.includes("--stream-json-input")) {
      problems.push(`This version cannot be spoken to by a program: run \`${install}\`.`);
    }
    const signedIn = await host.exists("~/.local/share/amp/secrets.json");
    if (auth === "unknown" && !signedIn) {
      problems.push("It may not be signed in: run `amp login`, or set AMP_API_KEY.");
    }
    return { ...finding, auth: auth === "unknown" && signedIn ? "login" : auth, problems };
  },

  open(opening) {
    const settings = Settings.parse(opening.settings);
    const has = (flag: string): boolean =>
      opening.finding.flags.length === 0 || opening.finding.flags.includes(`--${flag}`);
    const thinks = has("stream-json-thinking");
    const dangerous = opening.mode === "dangerously-skip-permissions";
    const flags: Record<string, FlagValue> = {
      // What stands open in an editor is not part of the message.
      ...(has("no-ide") && { "no-ide": true }),
      ...Object.fromEntries(Object.entries(settings.options).filter(([flag]) => has(flag))),
      [thinks ? "stream-json-thinking" : "stream-json"]: true,
      "stream-json-input": true,
      [skipping]: dangerous && has(skipping),
    };
    return {
      life: "turn",
      protocol: thinks ? "stream-json with thinking" : "stream-json",
      dialect: dialectOf({
        launch: (agentSessionId) => launchLine(opening, flags, agentSessionId),
        continues: opening.continues?.agentSessionId ?? null,
        modelDeadline: settings.retryDeadline,
        toolDeadline: settings.toolDeadline,
        notices: noticesOf(settings, dangerous, has),
      }),
    };
  },
};

function launchLine(
  { finding, workspace }: Opening,
  flags: Record<string, FlagValue>,
  agentSessionId: string | null,
): LaunchLine {
  return {
    program: finding.program ?? "amp",
    args: [
      ...(agentSessionId === null ? [] : ["threads", "continue", agentSessionId]),
      "--execute",
      ...Object.entries(flags).flatMap(([flag, value]) => flagArguments(`--${flag}`, value)),
    ],
    env: { AMP_SKIP_UPDATE_CHECK: "1" },
    cwd: workspace,
    stdin: "pipe",
  };
}

function noticesOf({ options }: Settings, dangerous: boolean, has: (flag: string) => boolean): Manner["notices"] {
  const left = [...Object.keys(options), ...(dangerous ? [skipping] : [])].filter((flag) => !has(flag));
  const rules =
    "Amp asks nobody here: what its rules allow runs at once, and a command that they would ask about ends the turn.";
  return [
    ...left.map((flag) => {
      return { level: "warning", message: `--${flag} is not a flag of this version and was left out.` } as const;
    }),
    ...(dangerous ? [] : [{ level: "info", message: rules } as const]),
  ];
}
