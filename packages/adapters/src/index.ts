import type { Adapter } from "@fairlead/contract";
import { amp } from "./amp/adapter.ts";
import { claudeCode } from "./claude-code/adapter.ts";
import { codex } from "./codex/adapter.ts";
import { codexExec } from "./codex-exec/adapter.ts";
import { geminiCli } from "./gemini-cli/entry.ts";
import { openaiApi } from "./openai-api/entry.ts";
import { openclaw } from "./openclaw/adapter.ts";
import { opencode } from "./opencode/entry.ts";
import { scripted } from "./scripted/adapter.ts";
import { shell } from "./shell/adapter.ts";

/** Every adapter of this house, by the name people type. A new one is a folder and a line here. */
export const adapters: readonly Adapter[] = [
  amp,
  claudeCode,
  codex,
  codexExec,
  geminiCli,
  openaiApi,
  openclaw,
  opencode,
  scripted,
  shell,
] as readonly Adapter[];

export { unverifiedAgents } from "./acp/entry.ts";

/** The agent when nobody says which. */
export const defaultAgent: string = claudeCode.manifest.id;
