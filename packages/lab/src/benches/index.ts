import type { OpenTestBench } from "@fairlead/conformance";
import { openAmpBench } from "./amp.ts";
import { openClaudeCodeBench } from "./claude-code.ts";
import { openCodexBench, openCodexExecBench, openCodexExecKeyBench, openCodexKeyBench } from "./codex.ts";
import { openGeminiCliBench } from "./gemini-cli.ts";
import { openOpenaiApiBench } from "./openai-api.ts";
import { openOpenclawBench } from "./openclaw.ts";
import { openOpencodeBench } from "./opencode.ts";
import { openScriptedBench } from "./scripted.ts";
import { openShellBench } from "./shell.ts";

/** The test bench of each adapter in this repository. */
export const testBenches: Readonly<Record<string, OpenTestBench>> = {
  amp: openAmpBench,
  "claude-code": openClaudeCodeBench,
  codex: openCodexBench,
  "codex-exec": openCodexExecBench,
  "gemini-cli": openGeminiCliBench,
  "openai-api": openOpenaiApiBench,
  openclaw: openOpenclawBench,
  opencode: openOpencodeBench,
  scripted: openScriptedBench,
  shell: openShellBench,
};

/**
 * The test benches of agents with a key of their vendor's own service. In the other bench of such an agent, its
 * configuration names the lab as another service.
 */
export const keyBenches: Readonly<Record<string, OpenTestBench>> = {
  codex: openCodexKeyBench,
  "codex-exec": openCodexExecKeyBench,
};
