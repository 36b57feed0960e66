import { readdir } from "node:fs/promises";
import { matchesGlob, relative, join } from "node:path";
import { z } from "zod";
import { clip } from "./clip.ts";
import { defineTool } from "./tool.ts";

/** Folders that nobody means when they ask what is in a project. */
const unlisted = /(^|\/)(\.git|node_modules)(\/|$)/;

export const listFiles = defineTool({
  name: "list_files",
  description: "List the files of a folder of the workspace; with a pattern, also those in folders below it.",
  effect: "reads",
  input: z.object({
    path: z.string().default(".").describe("The folder, relative to the workspace."),
    pattern: z.string().optional().describe("A glob such as **/*.ts, relative to that folder."),
  }),
  async use({ path, pattern }, { workspace }) {
    await using folder = await workspace.openFolder(path);
    const open = `/proc/self/fd/${folder.fd}`;
    // Links are listed but not followed, so this stays below the folder.
    const entries = await readdir(open, { withFileTypes: true, recursive: pattern !== undefined });
    const names = entries
      .map((entry) => relative(open, join(entry.parentPath, entry.name)) + (entry.isDirectory() ? "/" : ""))
      .filter((name) => pattern === undefined || (!unlisted.test(name) && matchesGlob(name, pattern)))
      .toSorted();
    return { ok: true, output: names.length === 0 ? "Nothing was found." : clip(names.join("\n")) };
  },
});
