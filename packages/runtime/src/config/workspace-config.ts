import { McpServersInput, PermissionMode, PolicyRequest, RoomsInput, SpendingLimits } from "@fairlead/contract";
import { z } from "zod";

const Keys = z.strictObject({
  agent: z.string().optional().describe("The agent, if the command line names none."),
  model: z.string().optional().describe("The model, as the agent names it. An agent without this setting ignores it."),
  mode: PermissionMode.optional().describe("The permission mode, if the command line has no `--mode`."),
  systemPrompt: z.string().optional().describe("The system prompt. An agent without this setting ignores it."),
  maxTurns: z
    .int()
    .positive()
    .optional()
    .describe("The maximum number of steps in a turn. An agent without this setting ignores it."),
  limits: SpendingLimits.optional().describe(
    "What a session may use in all: `usd`, `tokens` and `seconds`, see [limits.md](limits.md). A kind that the command line limits with `--limit` is not taken from the file.",
  ),
  setup: z
    .array(z.string().min(1))
    .optional()
    .describe(
      "Commands that prepare an isolated copy, such as `npm ci`; see [isolated copies](isolated-copies.md). They run only after `fairlead trust`.",
    ),
  settings: z
    .record(z.string(), z.record(z.string(), z.unknown()))
    .default({})
    .describe("Settings by agent: `settings.AGENT.NAME`. They apply to that agent only and override the keys above."),
  rooms: RoomsInput.optional().describe(
    "Named parts of the workspace: each has a path or a list of paths, see [rooms](policy.md#rooms).",
  ),
  mcp: McpServersInput.optional().describe(
    "MCP servers by name, each with `command`, `args` and `env`, see [MCP servers](mcp-servers.md). They count only after `fairlead trust`.",
  ),
  policy: PolicyRequest.optional().describe(
    "Rules about which calls are denied, asked about and allowed; see [policy](policy.md). What it allows counts only after `fairlead trust`.",
  ),
});

/**
 * The schema of `fairlead.yaml`. Its keys are the names that the API and the command line use. `node scripts/docs.ts`
 * copies the descriptions to docs/use/configuration.md.
 */
export const WorkspaceConfig = Keys.superRefine(({ rooms = {}, policy }, context) => {
  for (const [index, { room }] of (policy?.rules ?? []).entries()) {
    if (room === undefined || Object.hasOwn(rooms, room)) continue;
    // A rule about a misspelled room would never deny anything.
    const message = `\`rooms\` has no ${JSON.stringify(room)}`;
    context.addIssue({ code: "custom", path: ["policy", "rules", index, "room"], message });
  }
});
export type WorkspaceConfig = z.infer<typeof WorkspaceConfig>;
