import { parseArgs } from "node:util";
import { z } from "zod";

const Settings = z.object({
  model: z.string().min(1),
  baseUrl: z.url(),
  key: z.string().optional(),
  systemPrompt: z.string().optional(),
  maxTurns: z.coerce.number().int().positive(),
  retryDeadline: z.coerce.number().int().positive(),
  historyLimit: z.coerce.number().int().positive(),
  temperature: z.coerce.number().min(0).optional(),
  reasoningEffort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh"]).optional(),
});

/** How this program was told to work. */
export type Settings = z.infer<typeof Settings>;

export const help = `A coding agent on any Chat Completions API. It speaks the Agent Client Protocol on stdin and stdout.

  --model NAME             the model; OPENAI_MODEL, or gpt-4o, unless given
  --base-url URL           the API; OPENAI_BASE_URL, or the vendor's own, unless given
  --system-prompt TEXT     said to the model after AGENTS.md, CLAUDE.md and SOUL.md of the workspace
  --max-turns COUNT        how often the model may be asked in one turn (50)
  --retry-deadline MS      how long the model may be silent, further tries included (300000)
  --history-limit COUNT    characters of the conversation that the model is shown (400000)
  --temperature NUMBER     passed on to the model
  --reasoning-effort WORD  passed on to the model
  --version, --help

The key is taken from OPENAI_API_KEY; a server that needs none, such as a local one, gets none.
`;

const text = { type: "string" } as const;
const options = {
  model: text,
  "base-url": text,
  "system-prompt": text,
  "max-turns": { ...text, default: "50" },
  "retry-deadline": { ...text, default: "300000" },
  "history-limit": { ...text, default: "400000" },
  temperature: text,
  "reasoning-effort": text,
  version: { type: "boolean" },
  help: { type: "boolean" },
} as const;

/** Reads the command line. Throws with a sentence for each thing that is not right. */
export function readSettings(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Settings | "help" | "version" {
  const { values } = parseArgs({ args: [...args], options });
  if (values.help) return "help";
  if (values.version) return "version";
  const read = Settings.safeParse({
    model: values.model ?? (environment["OPENAI_MODEL"] || "gpt-4o"),
    baseUrl: values["base-url"] ?? (environment["OPENAI_BASE_URL"] || "https://api.openai.com/v1"),
    key: environment["OPENAI_API_KEY"] || undefined,
    systemPrompt: values["system-prompt"],
    maxTurns: values["max-turns"],
    retryDeadline: values["retry-deadline"],
    historyLimit: values["history-limit"],
    temperature: values.temperature,
    reasoningEffort: values["reasoning-effort"],
  });
  if (read.success) return read.data;
  throw new Error(z.prettifyError(read.error));
}
