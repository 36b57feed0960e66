import type { Adapter } from "@fairlead/contract";
import { acpAdapter } from "../acp/adapter.ts";

/** An agent that is said to speak the protocol: how it is started, and nothing that nobody here has seen. */
interface Hearsay {
  readonly id: string;
  readonly vendor: string;
  readonly label: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly install: string;
  /** Variables that hold its key, and what else it may be handed. */
  readonly keys: readonly string[];
  readonly environment?: readonly string[];
  /** The mode in which it asks before it acts, where that is not the one it starts in. */
  readonly asking?: string;
}

const hearsay: readonly Hearsay[] = [
  {
    id: "auggie",
    vendor: "Augment Code",
    label: "Auggie",
    program: "auggie",
    args: ["--acp"],
    install: "run `npm install -g @augmentcode/auggie`",
    keys: ["AUGMENT_SESSION_AUTH"],
    environment: ["AUGMENT_*"],
  },
  {
    id: "claude-agent-acp",
    vendor: "Anthropic",
    label: "Claude Agent over ACP",
    program: "claude-agent-acp",
    args: [],
    install: "run `npm install -g @agentclientprotocol/claude-agent-acp`",
    keys: ["ANTHROPIC_API_KEY"],
    environment: ["ANTHROPIC_*", "CLAUDE_*"],
  },
  {
    id: "codex-acp",
    vendor: "OpenAI",
    label: "Codex over ACP",
    program: "codex-acp",
    args: [],
    install: "run `npm install -g @agentclientprotocol/codex-acp`",
    keys: ["OPENAI_API_KEY", "CODEX_API_KEY"],
    environment: ["OPENAI_*", "CODEX_*"],
    // It starts in one in which a second model answers in the user's place.
    asking: "read-only",
  },
  {
    id: "copilot",
    vendor: "GitHub",
    label: "GitHub Copilot CLI",
    program: "copilot",
    args: ["--acp", "--stdio"],
    install: "run `npm install -g @github/copilot`",
    keys: ["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"],
    environment: ["COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN"],
  },
  {
    id: "cursor-agent",
    vendor: "Anysphere",
    label: "Cursor",
    program: "cursor-agent",
    args: ["acp"],
    install: "see cursor.com/docs/cli",
    keys: ["CURSOR_API_KEY"],
    environment: ["CURSOR_*"],
  },
  {
    id: "goose",
    vendor: "Block",
    label: "goose",
    program: "goose",
    args: ["acp"],
    install: "see block.github.io/goose",
    keys: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GOOGLE_API_KEY", "OPENROUTER_API_KEY"],
    environment: ["GOOSE_*", "XDG_*"],
  },
  {
    id: "kimi-cli",
    vendor: "Moonshot AI",
    label: "Kimi CLI",
    program: "kimi",
    args: ["acp"],
    install: "see github.com/MoonshotAI/kimi-cli",
    keys: ["KIMI_API_KEY", "MOONSHOT_API_KEY"],
    environment: ["KIMI_*", "MOONSHOT_*"],
  },
  {
    id: "mistral-vibe",
    vendor: "Mistral AI",
    label: "Mistral Vibe",
    program: "vibe-acp",
    args: [],
    install: "see github.com/mistralai/mistral-vibe",
    keys: ["MISTRAL_API_KEY"],
    environment: ["MISTRAL_*", "VIBE_*"],
  },
  {
    id: "qwen-code",
    vendor: "Alibaba",
    label: "Qwen Code",
    program: "qwen",
    args: ["--acp"],
    install: "run `npm install -g @qwen-code/qwen-code`",
    keys: ["DASHSCOPE_API_KEY", "OPENAI_API_KEY"],
    environment: ["QWEN_*", "DASHSCOPE_*", "OPENAI_*"],
  },
];

/**
 * Agents that should work, by the protocol's own list of agents or their makers' pages, and that were never judged here.
 * What they can do is not known, so only what the protocol itself demands is declared, and their probe says so.
 */
export const unverifiedAgents: readonly Adapter[] = hearsay.map(
  ({ id, vendor, label, program, args, install, keys, environment = [], asking = null }) =>
    acpAdapter({
      id,
      version: "0.1.0",
      vendor,
      label,
      models: [],
      capabilities: ["streaming", "tools", "interrupt", "queue"],
      modes: { default: asking, "full-auto": asking },
      environment: [...new Set([...environment, ...keys])],
      honours: [],
      probe: {
        program,
        missing: `${label} is not installed: ${install}.`,
        keys,
        logins: [],
        unsigned: null,
        always: ["Unverified: it is said to speak the Agent Client Protocol, and was never judged with Fairlead."],
      },
      launch: () => ({ args }),
    }),
);
