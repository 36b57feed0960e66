import type { Adapter } from "@fairlead/contract";
import { defineAcpAdapter } from "./adapter.ts";

/** An agent that is documented to speak the protocol: how to start it, and nothing that was not verified. */
interface UnverifiedAgent {
  readonly id: string;
  readonly vendor: string;
  readonly label: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly install: string;
  /** Variables that contain its key, and other variables that the agent receives. */
  readonly keyVariables: readonly string[];
  readonly environment?: readonly string[];
  /** The mode in which the agent asks before it acts, if it does not start in that mode. */
  readonly askingMode?: string;
  /** Files of a workspace that make the agent run something, according to its vendor. */
  readonly protects?: readonly string[];
}

const unverifiedDefinitions: readonly UnverifiedAgent[] = [
  {
    id: "auggie",
    vendor: "Augment Code",
    label: "Auggie",
    program: "auggie",
    args: ["--acp"],
    install: "run `npm install -g @augmentcode/auggie`",
    keyVariables: ["AUGMENT_SESSION_AUTH"],
    environment: ["AUGMENT_*"],
  },
  {
    id: "claude-agent-acp",
    vendor: "Anthropic",
    label: "Claude Agent over ACP",
    program: "claude-agent-acp",
    args: [],
    install: "run `npm install -g @agentclientprotocol/claude-agent-acp`",
    keyVariables: ["ANTHROPIC_API_KEY"],
    environment: ["ANTHROPIC_*", "CLAUDE_*"],
  },
  {
    id: "codex-acp",
    vendor: "OpenAI",
    label: "Codex over ACP",
    program: "codex-acp",
    args: [],
    install: "run `npm install -g @agentclientprotocol/codex-acp`",
    keyVariables: ["OPENAI_API_KEY", "CODEX_API_KEY"],
    environment: ["OPENAI_*", "CODEX_*"],
    // It starts in a mode in which a second model answers instead of the user.
    askingMode: "read-only",
  },
  {
    id: "copilot",
    vendor: "GitHub",
    label: "GitHub Copilot CLI",
    program: "copilot",
    args: ["--acp", "--stdio"],
    install: "run `npm install -g @github/copilot`",
    keyVariables: ["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"],
    environment: ["COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN"],
  },
  {
    id: "cursor-agent",
    vendor: "Anysphere",
    label: "Cursor",
    program: "cursor-agent",
    args: ["acp"],
    install: "see cursor.com/docs/cli",
    keyVariables: ["CURSOR_API_KEY"],
    environment: ["CURSOR_*"],
    protects: [".cursor/cli.json", ".cursor/hooks.json", ".cursor/mcp.json"],
  },
  {
    id: "goose",
    vendor: "Block",
    label: "goose",
    program: "goose",
    args: ["acp"],
    install: "see block.github.io/goose",
    keyVariables: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GOOGLE_API_KEY", "OPENROUTER_API_KEY"],
    environment: ["GOOSE_*", "XDG_*"],
  },
  {
    id: "kimi-cli",
    vendor: "Moonshot AI",
    label: "Kimi CLI",
    program: "kimi",
    args: ["acp"],
    install: "see github.com/MoonshotAI/kimi-cli",
    keyVariables: ["KIMI_API_KEY", "MOONSHOT_API_KEY"],
    environment: ["KIMI_*", "MOONSHOT_*"],
  },
  {
    id: "mistral-vibe",
    vendor: "Mistral AI",
    label: "Mistral Vibe",
    program: "vibe-acp",
    args: [],
    install: "see github.com/mistralai/mistral-vibe",
    keyVariables: ["MISTRAL_API_KEY"],
    environment: ["MISTRAL_*", "VIBE_*"],
  },
  {
    id: "qwen-code",
    vendor: "Alibaba",
    label: "Qwen Code",
    program: "qwen",
    args: ["--acp"],
    install: "run `npm install -g @qwen-code/qwen-code`",
    keyVariables: ["DASHSCOPE_API_KEY", "OPENAI_API_KEY"],
    environment: ["QWEN_*", "DASHSCOPE_*", "OPENAI_*"],
    protects: [".qwen/.env", ".qwen/settings.json"],
  },
];

/**
 * Agents that should work, according to the protocol's list of agents or their vendors' pages, and that were never judged
 * with Fairlead. Their capabilities are unknown, so they declare only what the protocol requires, and their probe reports
 * that they are unverified.
 */
export const unverifiedAdapters: readonly Adapter[] = unverifiedDefinitions.map(
  ({ id, vendor, label, program, args, install, keyVariables, environment = [], askingMode = null, protects = [] }) =>
    defineAcpAdapter({
      id,
      version: "0.1.0",
      vendor,
      label,
      models: [],
      capabilities: ["streaming", "tools", "interrupt", "queue"],
      modes: { default: askingMode, "full-auto": askingMode },
      environment: [...new Set([...environment, ...keyVariables])],
      honors: [],
      probe: {
        program,
        missingMessage: `${label} is not installed: ${install}.`,
        keyVariables,
        loginFiles: [],
        signInHint: null,
        notices: [
          "Unverified: this agent is listed for the Agent Client Protocol, but it was never judged with Fairlead.",
        ],
      },
      launch: () => ({ args }),
      // What these agents write is unknown.
      needs: () => ({ writes: [], hides: [], protects }),
    }),
);
