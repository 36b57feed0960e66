import { fileURLToPath } from "node:url";
import type { FlagValue } from "@fairlead/kit";
import { z } from "zod";
import { acpAdapter, AcpSettings } from "../acp/adapter.ts";

/** The program stands beside the source, and beside the emitted code, with the ending that fits. */
const ending = import.meta.url.endsWith(".ts") ? "ts" : "js";
const program = fileURLToPath(new URL(`../../programs/openai-agent.${ending}`, import.meta.url));

/** The program is ours, so what it takes is known, and anything else is refused before it is started. */
const Options = z.strictObject({
  "base-url": z.url().exactOptional(),
  "history-limit": z.int().positive().exactOptional(),
  temperature: z.number().min(0).exactOptional(),
  "reasoning-effort": z.enum(["none", "minimal", "low", "medium", "high", "xhigh"]).exactOptional(),
});

/** An agent of our own on any Chat Completions API: the vendor's, another provider's, or a server on this machine. */
export const openaiApi = acpAdapter({
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
    "approvals",
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
    // The runtime answers every approval; the program keeps asking, so each one is in the journal.
    "full-auto": "default",
    "dangerously-skip-permissions": "dangerously-skip-permissions",
  },
  environment: [
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "OPENAI_MODEL",
    "OPENAI_ORG_ID",
    "OPENAI_PROJECT_ID",
    "XDG_STATE_HOME",
  ],
  settings: AcpSettings.extend({ options: Options.default({}) }),
  honours: ["model", "systemPrompt", "maxTurns", "options"],
  probe: {
    program: "node",
    version: [program, "--version"],
    help: [program, "--help"],
    missing: "There is no node on the PATH.",
    // Whoever names a server of their own may not need a key.
    keys: ["OPENAI_API_KEY", "OPENAI_BASE_URL"],
    logins: [],
    unsigned: "There is no key: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server that needs none.",
  },

  launch({ settings: { model, systemPrompt, maxTurns, retryDeadline, options } }) {
    const flags: Record<string, FlagValue | undefined> = {
      ...options,
      model,
      "system-prompt": systemPrompt,
      "max-turns": maxTurns,
      // It gives up before we do, for it knows what went wrong.
      "retry-deadline": Math.ceil(retryDeadline * 0.9),
    };
    // In one piece, so that a text that begins with a dash is not taken for a flag.
    const args = Object.entries(flags).flatMap(([flag, value]) =>
      value === undefined ? [] : [`--${flag}=${String(value)}`],
    );
    return { args: [program, ...args] };
  },

  quirks: { toolName: "title", provider: "openai-compatible" },

  transcript(_opening, agentSessionId, environment) {
    const state = environment["XDG_STATE_HOME"] ?? `${environment["HOME"] ?? ""}/.local/state`;
    return `${state}/fairlead-openai/${agentSessionId}.jsonl`;
  },
});
