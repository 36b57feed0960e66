import { cutText, type HostTool } from "@fairlead/contract";
import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { SessionReference } from "./session-reference.ts";
import type { SessionToolParts } from "./session-tools-options.ts";

const maxFiles = 200;
const maxPatchLength = 30_000;

/** Creates the tool that reads the changes of a session. */
export function createReadDiff({ fairlead, find }: SessionToolParts): HostTool {
  return defineTool({
    name: "read_diff",
    description:
      "Reads what changed in the workspace of a session: the files that the session changed, and a patch of everything that changed there since it started, by any program. " +
      `It returns at most ${maxFiles} files and ${maxPatchLength} characters of the patch, from \`offset\`.`,
    readOnly: true,
    input: z.strictObject({
      session: SessionReference,
      offset: z.int().nonnegative().default(0).describe("The first character of the patch to return."),
    }),
    async run({ session, offset }, context) {
      const { session: id } = await find(session, context);
      const files = await fairlead.files(id);
      const { patch, truncated } = await fairlead.diff(id);
      const lines = files.slice(0, maxFiles).map(({ path, change }) => `- ${change} ${path}`);
      if (files.length > maxFiles) lines.push(`- and ${files.length - maxFiles} more`);
      return [
        files.length === 0
          ? "The session changed no file, as far as is known."
          : `Changed files (${files.length}):\n${lines.join("\n")}`,
        describePatch(patch, offset, truncated),
      ].join("\n\n");
    },
  });
}

function describePatch(patch: string, offset: number, truncated: boolean): string {
  if (patch === "") return "There is no patch: git shows no change.";
  const cut = truncated ? ", cut because the whole is too long" : "";
  const from = offset > 0 ? `, from ${offset}` : "";
  const size = `Patch (${patch.length} characters${cut}${from}):`;
  return `${size}\n${cutText(patch.slice(offset), maxPatchLength)}`;
}
