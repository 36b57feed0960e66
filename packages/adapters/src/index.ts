import type { Adapter } from "@fairlead/contract";
import { ampAdapter } from "./amp/adapter.ts";
import { claudeCodeAdapter } from "./claude-code/adapter.ts";
import { codexAdapter } from "./codex/adapter.ts";
import { codexExecAdapter } from "./codex-exec/adapter.ts";
import { geminiCliAdapter } from "./gemini-cli/adapter.ts";
import { openaiApiAdapter } from "./openai-api/entry.ts";
import { openclawAdapter } from "./openclaw/adapter.ts";
import { opencodeAdapter } from "./opencode/entry.ts";
import { scriptedAdapter } from "./scripted/adapter.ts";
import { shellAdapter } from "./shell/adapter.ts";

/** All adapters of this repository, by id. A new adapter is a folder and a line here. */
export const adapters: readonly Adapter[] = [
  ampAdapter,
  claudeCodeAdapter,
  codexAdapter,
  codexExecAdapter,
  geminiCliAdapter,
  openaiApiAdapter,
  openclawAdapter,
  opencodeAdapter,
  scriptedAdapter,
  shellAdapter,
] as readonly Adapter[];

export { judgedVersions, type JudgedVersion } from "./judged-versions.ts";
export { unverifiedAdapters } from "./acp/unverified-adapters.ts";

/** The agent to use when neither the caller nor a configuration names one. */
export const defaultAgentId: string = claudeCodeAdapter.manifest.id;
