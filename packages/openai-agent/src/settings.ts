import { parseArgs } from "node:util";
import { z } from "zod";

const OpenAiAgentSettings = z.object({
  model: z.string().min(1),
  baseUrl: z.url(),
  apiKey: z.string().optional(),
  systemPrompt: z.string().optional(),
  maxTurns: z.coerce.number().int().positive(),
  retryDeadline: z.coerce.number().int().positive(),
  historyLimit: z.coerce.number().int().positive(),
  temperature: z.coerce.number().min(0).optional(),
  reasoningEffort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh"]).optional(),
});

/** The settings of the program, from the command line and the environment. */
export type OpenAiAgentSettings = z.infer<typeof OpenAiAgentSettings>;

/** The version of the program. */
export const openAiAgentVersion = "0.1.0";

export const helpText = `A coding agent for any Chat Completions API. It speaks the Agent Client Protocol on stdin and stdout.

  --model NAME             the model (default: OPENAI_MODEL, or gpt-4o)
  --base-url URL           the API (default: OPENAI_BASE_URL, or OpenAI's API)
  --system-prompt TEXT     added to the system prompt after SOUL.md, AGENTS.md and CLAUDE.md of the workspace
  --max-turns COUNT        maximum number of model requests in one turn (default: 50)
  --retry-deadline MS      how long the model may be silent, including retries (default: 300000)
  --history-limit COUNT    maximum number of characters of the conversation to send (default: 400000)
  --temperature NUMBER     passed to the model
  --reasoning-effort WORD  passed to the model
  --version, --help

The key comes from OPENAI_API_KEY. Without it the program sends no key, for servers that need none.
`;

const stringOption = { type: "string" } as const;
const options = {
  model: stringOption,
  "base-url": stringOption,
  "system-prompt": stringOption,
  "max-turns": { ...stringOption, default: "50" },
  "retry-deadline": { ...stringOption, default: "300000" },
  "history-limit": { ...stringOption, default: "400000" },
  temperature: stringOption,
  "reasoning-effort": stringOption,
  version: { type: "boolean" },
  help: { type: "boolean" },
} as const;

/** Parses the command line. Throws an error with a sentence for each invalid value. */
export function readSettings(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): OpenAiAgentSettings | "help" | "version" {
  const { values } = parseArgs({ args: [...args], options });
  if (values.help) return "help";
  if (values.version) return "version";
  const parsed = OpenAiAgentSettings.safeParse({
    model: values.model ?? (environment["OPENAI_MODEL"] || "gpt-4o"),
    baseUrl: values["base-url"] ?? (environment["OPENAI_BASE_URL"] || "https://api.openai.com/v1"),
    apiKey: environment["OPENAI_API_KEY"] || undefined,
    systemPrompt: values["system-prompt"],
    maxTurns: values["max-turns"],
    retryDeadline: values["retry-deadline"],
    historyLimit: values["history-limit"],
    temperature: values.temperature,
    reasoningEffort: values["reasoning-effort"],
  });
  if (parsed.success) return parsed.data;
  throw new Error(z.prettifyError(parsed.error));
}
