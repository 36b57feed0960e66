import type { AgentWorkspace } from "./agent-workspace.ts";
import { clipMiddle } from "./tools/agent-tool.ts";

/** Files of a workspace that contain instructions for agents. */
const sourceFiles = ["SOUL.md", "AGENTS.md", "CLAUDE.md"];

const identity = [
  "You are a coding agent. You work in one folder, the workspace, with the tools that you are given.",
  "Paths are relative to the workspace. Your file tools cannot read or write anything outside of it.",
  "A person approves some calls first. When one is refused, do not try to reach the same result another way.",
].join("\n");

/** Builds the system prompt. Each turn builds it again, because the files may have changed. */
export async function buildSystemPrompt(
  workspace: AgentWorkspace,
  configuredPrompt: string | undefined,
  serverProblems: readonly string[] = [],
): Promise<string> {
  const parts = [identity, `The workspace is ${workspace.root}.`];
  for (const name of sourceFiles) {
    const text = await readSource(workspace, name);
    if (text.trim() !== "") parts.push(`From ${name}:\n\n${text}`);
  }
  if (configuredPrompt !== undefined) parts.push(configuredPrompt);
  // The person reads of it when the model says why it cannot do something.
  if (serverProblems.length > 0) parts.push(serverProblems.join("\n"));
  return parts.join("\n\n");
}

/** Reads an instruction file. Returns an empty text if it is missing or leads out of the workspace. */
async function readSource(workspace: AgentWorkspace, name: string): Promise<string> {
  try {
    await using file = await workspace.openFile(name);
    return clipMiddle(await file.readFile("utf8"));
  } catch {
    return "";
  }
}
