import { realpath, stat } from "node:fs/promises";
import { relative, resolve, sep } from "node:path";
import { ArtifactKind, artifactKindOf } from "@fairlead/contract";
import { z } from "zod";
import { defineTool } from "../define-tool.ts";

/** Lets the agent name a file as a result of its work. The journal has `artifact.produced`. */
export const produceArtifact = defineTool({
  name: "produce_artifact",
  description:
    "Names a file of the workspace as a result of your work, so that people find it. Write the file first, then name it.",
  input: z.strictObject({
    path: z.string().min(1).max(4096).describe("The file, relative to the workspace."),
    kind: ArtifactKind.optional().describe("Without it, the kind follows from the name."),
    summary: z.string().max(2000).optional().describe("What it contains, in a sentence."),
  }),
  readOnly: true,
  run: async ({ path }, { workspace }) => {
    const { path: found, bytes } = await findFile(workspace, path);
    return `${found} (${bytes} bytes) is recorded as a result.`;
  },
  report: async ({ path, kind, summary }, { workspace }) => {
    const file = await findFile(workspace, path);
    const kindOfFile = kind ?? artifactKindOf(file.path);
    return { type: "artifact.produced", ...file, kind: kindOfFile, ...(summary !== undefined && { summary }) };
  },
});

/** Finds a file of the workspace. Says nothing about files elsewhere: the tool runs outside the agent's sandbox. */
async function findFile(workspace: string, path: string): Promise<{ path: string; bytes: number }> {
  const root = await realpath(workspace);
  const file = await realpath(resolve(root, path)).catch(() => null);
  const inside = file === null ? null : relative(root, file);
  if (file === null || inside === null || inside === "" || inside === ".." || inside.startsWith(`..${sep}`))
    throw new Error(`The workspace has no file ${path}.`);
  const { size } = await stat(file).then((found) => (found.isFile() ? found : Promise.reject(notAFile(path))));
  return { path: inside, bytes: size };
}

const notAFile = (path: string): Error => new Error(`${path} is not a file.`);
