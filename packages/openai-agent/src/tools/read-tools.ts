import { readdir } from "node:fs/promises";
import { matchesGlob, relative, join } from "node:path";
import { z } from "zod";
import { clipMiddle, defineAgentTool } from "./agent-tool.ts";

export const readFileTool = defineAgentTool({
  name: "read_file",
  description: "Read a text file of the workspace.",
  effect: "reads",
  input: z.object({ path: z.string().describe("The file, relative to the workspace.") }),
  async use({ path }, { workspace }) {
    await using file = await workspace.openFile(path);
    return { ok: true, output: clipMiddle(await file.readFile("utf8")) };
  },
});

/** Folders that a pattern does not search: their content would hide the project's own files. */
const hiddenFolders = /(^|\/)(\.git|node_modules)(\/|$)/;

export const listFilesTool = defineAgentTool({
  name: "list_files",
  description: "List the files of a folder of the workspace; with a pattern, also those in folders below it.",
  effect: "reads",
  input: z.object({
    path: z.string().default(".").describe("The folder, relative to the workspace."),
    pattern: z.string().optional().describe("A glob such as **/*.ts, relative to that folder."),
  }),
  async use({ path, pattern }, { workspace }) {
    await using folder = await workspace.openFolder(path);
    const folderPath = `/proc/self/fd/${folder.fd}`;
    // `readdir` lists links but does not follow them, so the result stays below the folder.
    const entries = await readdir(folderPath, { withFileTypes: true, recursive: pattern !== undefined });
    const names = entries
      .map((entry) => relative(folderPath, join(entry.parentPath, entry.name)) + (entry.isDirectory() ? "/" : ""))
      .filter((name) => pattern === undefined || (!hiddenFolders.test(name) && matchesGlob(name, pattern)))
      .toSorted();
    return { ok: true, output: names.length === 0 ? "Nothing was found." : clipMiddle(names.join("\n")) };
  },
});
