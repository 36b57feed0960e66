import type { OpenStage } from "@fairlead/conformance";
import { openAmp } from "./amp.ts";
import { openClaudeCode } from "./claude-code.ts";
import { openCodex, openCodexExec } from "./codex.ts";
import { openGeminiCli } from "./gemini-cli.ts";
import { openOpenaiApi } from "./openai-api.ts";
import { openOpenclaw } from "./openclaw.ts";
import { openOpencode } from "./opencode.ts";
import { openScripted } from "./scripted.ts";
import { openShell } from "./shell.ts";

/** A stage for each adapter of this house. */
export const stages: Readonly<Record<string, OpenStage>> = {
  amp: openAmp,
  "claude-code": openClaudeCode,
  codex: openCodex,
  "codex-exec": openCodexExec,
  "gemini-cli": openGeminiCli,
  "openai-api": openOpenaiApi,
  openclaw: openOpenclaw,
  opencode: openOpencode,
  scripted: openScripted,
  shell: openShell,
};
