import { z } from "zod";
import { clip } from "./clip.ts";
import { defineTool } from "./tool.ts";

export const readFile = defineTool({
  name: "read_file",
  description: "Read a text file of the workspace.",
  effect: "reads",
  input: z.object({ path: z.string().describe("The file, relative to the workspace.") }),
  async use({ path }, { workspace }) {
    await using file = await workspace.openFile(path);
    return { ok: true, output: clip(await file.readFile("utf8")) };
  },
});
