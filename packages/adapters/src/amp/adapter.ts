import type { Adapter, LaunchCommand, Opening } from "@fairlead/contract";
import { flagsToArguments, PassThroughFlags, probeProgram } from "@fairlead/kit";
import { namedPaths, userFolders, withoutHome, type FlagValue } from "@fairlead/kit";
import { z } from "zod";
import { ampToolCapabilities } from "./actions.ts";
import { createAmpDialect, type AmpDialectOptions, type AmpState } from "./dialect.ts";

const Settings = z.strictObject({
  options: PassThroughFlags.default({}).describe(
    "Flags of `amp`, without dashes. The flags of the protocol override them.",
  ),
  retryDeadline: z
    .int()
    .positive()
    .default(600_000)
    .describe("How long the model may take for an answer, in ms. Amp reports nothing until an answer is complete."),
  toolDeadline: z
    .int()
    .positive()
    .default(900_000)
    .describe("How long a tool may take, in ms. A tool that waits for an approval would never end."),
});
type Settings = z.infer<typeof Settings>;

/** The last build whose agent loop runs on the user's machine. Its third number is the build time in seconds. */
const testedVersion = "0.0.1769314944-g5070a1";
const readBuildTime = (version: string | null): number => Number(/^0\.0\.(\d+)/.exec(version ?? "")?.[1] ?? 0);

const skipPermissionsFlag = "dangerously-allow-all";

export const ampAdapter: Adapter<AmpState> = {
  manifest: {
    contract: "adapter/1",
    id: "amp",
    version: "0.1.0",
    vendor: "Sourcegraph",
    label: "Amp (the last build that runs locally)",
    models: ["smart"],
    capabilities: [
      "reasoning",
      "tools",
      "parallel-tools",
      "file-events",
      ...ampToolCapabilities,
      "interrupt",
      "queue",
      "resume",
      "usage",
    ],
    // Amp cannot ask for approvals: a call that its rules do not allow ends the turn. So full-auto has nothing to answer.
    modes: ["default", "dangerously-skip-permissions"],
    settings: Settings,
    secretSettings: ["options"],
    environment: ["AMP_*"],
  },

  async probe(host) {
    const auth = host.hasVariable("AMP_API_KEY") ? "api-key" : "unknown";
    const install = `npm install -g @sourcegraph/amp@${testedVersion}`;
    const probeResult = await probeProgram(host, {
      program: "amp",
      missingMessage: `Amp is not installed: run \`${install}\`.`,
      auth,
    });
    if (!probeResult.installed) return probeResult;
    const problems: string[] = [];
    if (readBuildTime(probeResult.version) > readBuildTime(testedVersion)) {
      problems.push(
        `Since ${testedVersion} the agent loop runs on the vendor's servers, which is untested: run \`${install}\`.`,
      );
    }
    if (!probeResult.flags.includes("--stream-json-input")) {
      problems.push(`This version does not support --stream-json-input: run \`${install}\`.`);
    }
    const isSignedIn = await host.exists("~/.local/share/amp/secrets.json");
    if (auth === "unknown" && !isSignedIn) {
      problems.push("Amp may not be signed in: run `amp login`, or set AMP_API_KEY.");
    }
    return { ...probeResult, auth: auth === "unknown" && isSignedIn ? "login" : auth, problems };
  },

  memory: (_opening, agentSessionId, environment) => ({
    root: `${userFolders(environment).data}/amp`,
    folder: "threads",
    files: [{ folder: "", name: `${agentSessionId}.json` }],
  }),

  needs(_opening, environment) {
    const { home, config, data, cache } = userFolders(environment);
    return {
      reads: [
        ...withoutHome(environment, [`${config}/amp`, `${config}/agents`, `${config}/AGENTS.md`]),
        ...namedPaths(environment, ["AMP_SETTINGS_FILE"]),
      ],
      // The program itself may be in `~/.amp/bin`. The cache contains the log.
      writes: [`${data}/amp/`, `${cache}/amp/`, `${home}/.amp/file-changes/`, `${home}/.amp/oauth/`],
      hides: [],
      hosts: ["ampcode.com"],
      services: environment["AMP_URL"] === undefined ? [] : [environment["AMP_URL"]],
      protects: [".amp/settings.json", ".amp/settings.jsonc"],
    };
  },

  open(opening) {
    const settings = Settings.parse(opening.settings);
    const hasFlag = (flag: string): boolean =>
      opening.probeResult.flags.length === 0 || opening.probeResult.flags.includes(`--${flag}`);
    const hasThinking = hasFlag("stream-json-thinking");
    const skipsPermissions = opening.mode === "dangerously-skip-permissions";
    const flags: Record<string, FlagValue> = {
      // Without this flag Amp adds the files that are open in an editor to the message.
      ...(hasFlag("no-ide") && { "no-ide": true }),
      ...Object.fromEntries(Object.entries(settings.options).filter(([flag]) => hasFlag(flag))),
      [hasThinking ? "stream-json-thinking" : "stream-json"]: true,
      "stream-json-input": true,
      [skipPermissionsFlag]: skipsPermissions && hasFlag(skipPermissionsFlag),
    };
    return {
      processLifetime: "turn",
      protocol: hasThinking ? "stream-json with thinking" : "stream-json",
      dialect: createAmpDialect({
        launch: (agentSessionId) => buildLaunchCommand(opening, flags, agentSessionId),
        continues: opening.continues?.agentSessionId ?? null,
        modelDeadline: settings.retryDeadline,
        toolDeadline: settings.toolDeadline,
        notices: listNotices(settings, skipsPermissions, hasFlag),
      }),
    };
  },
};

function buildLaunchCommand(
  { probeResult, workspace }: Opening,
  flags: Record<string, FlagValue>,
  agentSessionId: string | null,
): LaunchCommand {
  return {
    program: probeResult.program ?? "amp",
    args: [
      ...(agentSessionId === null ? [] : ["threads", "continue", agentSessionId]),
      "--execute",
      ...flagsToArguments(flags),
    ],
    env: { AMP_SKIP_UPDATE_CHECK: "1" },
    cwd: workspace,
    stdin: "pipe",
  };
}

function listNotices(
  { options }: Settings,
  skipsPermissions: boolean,
  hasFlag: (flag: string) => boolean,
): AmpDialectOptions["notices"] {
  const unsupportedFlags = [...Object.keys(options), ...(skipsPermissions ? [skipPermissionsFlag] : [])].filter(
    (flag) => !hasFlag(flag),
  );
  const permissionNotice =
    "Amp cannot ask for approvals here. Calls that its rules allow run at once. A call that needs an approval ends the turn.";
  return [
    ...unsupportedFlags.map((flag) => {
      return { level: "warning", message: `This version does not support --${flag}. The flag was left out.` } as const;
    }),
    ...(skipsPermissions ? [] : [{ level: "info", message: permissionNotice } as const]),
  ];
}
