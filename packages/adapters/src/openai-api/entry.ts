import { createRequire } from "node:module";
import { userFolders, type FlagValue } from "@fairlead/kit";
import { z } from "zod";
import { defineAcpAdapter, AcpSettings } from "../acp/adapter.ts";
import { openaiApiTools } from "./actions.ts";

const packageName = "@fairlead/openai-agent";
const program = findProgram();

/**
 * Finds the agent's program. It is a separate package, so that an install without this agent has no vendor's client
 * library. If it is missing, the package's name remains, and the probe reports that it does not run.
 */
function findProgram(): string {
  try {
    return createRequire(import.meta.url).resolve(packageName);
  } catch {
    return packageName;
  }
}

/** The options of our own program. The schema refuses others before the program starts. */
const Options = z.strictObject({
  "base-url": z.url().exactOptional().describe("The URL of the API. Default: `OPENAI_BASE_URL`, or OpenAI's API."),
  "history-limit": z
    .int()
    .positive()
    .exactOptional()
    .describe("The maximum number of characters of the conversation to send. Default: 400000."),
  temperature: z.number().min(0).exactOptional().describe("Passed to the model."),
  "reasoning-effort": z
    .enum(["none", "minimal", "low", "medium", "high", "xhigh"])
    .exactOptional()
    .describe("Passed to the model."),
});

/** Fairlead's own agent for any Chat Completions API: OpenAI's, another provider's, or a server on this machine. */
export const openaiApiAdapter = defineAcpAdapter({
  id: "openai-api",
  version: "0.1.0",
  vendor: "Fairlead",
  label: "OpenAI API",
  models: [],
  capabilities: [
    "streaming",
    "reasoning",
    "tools",
    "parallel-tools",
    "file-events",
    "read-tool",
    "search-tool",
    "approvals",
    "asks-all",
    "host-tools",
    "mcp-servers",
    "interrupt",
    "queue",
    "resume",
    "max-turns",
    "system-prompt",
    "usage",
  ],
  modes: {
    default: "default",
    "accept-edits": "accept-edits",
    plan: "plan",
    // The program keeps asking and the runtime answers, so that the journal contains each approval.
    "full-auto": "default",
    "dangerously-skip-permissions": "dangerously-skip-permissions",
  },
  asksAllMode: "ask-all",
  environment: [
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "OPENAI_MODEL",
    "OPENAI_ORG_ID",
    "OPENAI_PROJECT_ID",
    "XDG_STATE_HOME",
  ],
  settings: AcpSettings.extend({ options: Options.default({}).describe("Options of the program, as below.") }),
  honors: ["model", "systemPrompt", "maxTurns", "options"],
  probe: {
    program: "node",
    versionArgs: [program, "--version"],
    helpArgs: [program, "--help"],
    missingMessage: "node is not on the PATH: install Node.js 24 or newer.",
    // A server of the user's own may need no key.
    keyVariables: ["OPENAI_API_KEY", "OPENAI_BASE_URL"],
    loginFiles: [],
    signInHint: "No key is set: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server that needs none.",
  },

  launch({ settings: { model, systemPrompt, maxTurns, retryDeadline, options } }) {
    const flags: Record<string, FlagValue | undefined> = {
      ...options,
      model,
      "system-prompt": systemPrompt,
      "max-turns": maxTurns,
      // The program stops before the adapter does, because it knows the cause of the failure.
      "retry-deadline": Math.ceil(retryDeadline * 0.9),
    };
    // One argument per flag and value, so that a text that starts with a dash is not parsed as a flag.
    const args = Object.entries(flags).flatMap(([flag, value]) =>
      value === undefined ? [] : [`--${flag}=${String(value)}`],
    );
    return { args: [program, ...args] };
  },

  quirks: { toolName: "title", tools: openaiApiTools, provider: "openai-compatible" },

  transcript: (_opening, agentSessionId, environment) => `${historyFolder(environment)}/${agentSessionId}.jsonl`,
  memory: (_opening, agentSessionId, environment) => ({
    root: historyFolder(environment),
    folder: "",
    files: [{ folder: "", name: `${agentSessionId}.jsonl` }],
  }),
  needs: (environment, { settings }) => {
    const { options } = settings as { options?: { "base-url"?: string } };
    const service = options?.["base-url"] ?? environment["OPENAI_BASE_URL"];
    return {
      writes: [`${historyFolder(environment)}/`],
      hides: [],
      protects: [],
      hosts: ["api.openai.com"],
      services: service === undefined ? [] : [service],
      // A URL in the settings is an argument of the program, which overrides the variable.
      ...(environment["OPENAI_API_KEY"] &&
        options?.["base-url"] === undefined && {
          credential: {
            variable: "OPENAI_API_KEY",
            url: service ?? "https://api.openai.com/v1",
            header: "authorization",
            prefix: "Bearer ",
            variables: (url: string, key: string) => ({ OPENAI_API_KEY: key, OPENAI_BASE_URL: url }),
          },
        }),
    };
  },
});

function historyFolder(environment: Readonly<Record<string, string | undefined>>): string {
  return `${userFolders(environment).state}/fairlead-openai`;
}
