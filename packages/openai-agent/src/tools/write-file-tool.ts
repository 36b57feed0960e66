import { resolve } from "node:path";
import { z } from "zod";
import { defineAgentTool } from "./agent-tool.ts";

export const writeFileTool = defineAgentTool({
  name: "write_file",
  description: "Write a whole text file of the workspace. Missing folders are created.",
  effect: "edits",
  input: z.object({
    path: z.string().describe("The file, relative to the workspace."),
    content: z.string().describe("The whole new content."),
  }),
  async use({ path, content }, { workspace, signal }) {
    const { file, created } = await workspace.openToWrite(path);
    await using _ = file;
    const before = created ? null : await file.readFile("utf8");
    signal.throwIfAborted();
    await file.truncate(0);
    await file.write(content, 0);
    const verb = created ? "Created" : "Replaced";
    return {
      ok: true,
      output: `${verb} ${path}.`,
      change: { path: resolve(workspace.root, path), before, after: content },
    };
  },
});
