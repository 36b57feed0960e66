import type { OpenStage } from "@fairlead/conformance";
import { openClaudeCode } from "./claude-code.ts";
import { openScripted } from "./scripted.ts";
import { openShell } from "./shell.ts";

/** A stage for each adapter of this house. */
export const stages: Readonly<Record<string, OpenStage>> = {
  "claude-code": openClaudeCode,
  scripted: openScripted,
  shell: openShell,
};
