import { clip } from "./clip.ts";
import type { Workspace } from "./workspace.ts";

/** Files of a workspace that tell an agent who it is and how things are done there. */
const sources = ["SOUL.md", "AGENTS.md", "CLAUDE.md"];

const identity = [
  "You are a coding agent. You work in one folder, the workspace, with the tools that you are given.",
  "Paths are relative to the workspace; nothing outside of it can be read or written by your file tools.",
  "Some calls are put to a person first. When one is refused, do not try the same by another road.",
].join("\n");

/** What the model is told before anything else. Read anew for each turn, since the files may have changed. */
export async function systemPrompt(workspace: Workspace, wanted: string | undefined): Promise<string> {
  const parts = [identity, `The workspace is ${workspace.root}.`];
  for (const name of sources) {
    const text = await readSource(workspace, name);
    if (text.trim() !== "") parts.push(`From ${name}:\n\n${text}`);
  }
  if (wanted !== undefined) parts.push(wanted);
  return parts.join("\n\n");
}

/** A file that is missing, or that leads out of the workspace, says nothing. */
async function readSource(workspace: Workspace, name: string): Promise<string> {
  try {
    await using file = await workspace.openFile(name);
    return clip(await file.readFile("utf8"));
  } catch {
    return "";
  }
}
