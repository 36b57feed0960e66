import { FairleadError, Sandbox } from "@fairlead/contract";
import { z } from "zod";
import { readPlainFile } from "../host/read-plain-file.ts";
import { parseConfig } from "./parse-workspace-config.ts";

const maxBytes = 64 * 1024;

/** A relative path would depend on where a session starts. */
const Path = z.string().regex(/^(?:\/|~(?:\/|$))/, "A path begins with / or ~/");

/** The schema of `config.yaml` in the data directory, which agents in a sandbox do not see. See docs/use/sandbox.md. */
export const UserConfig = z.strictObject({
  /** Sandboxes by folder. An entry applies to workspaces in that folder. `~` is the user's home. */
  sandbox: z
    .record(
      Path,
      z.strictObject({
        /** What a session has that asks for nothing. The entry of the innermost folder decides. */
        kind: Sandbox.shape.kind.optional(),
        /** Other paths that agents can read. */
        shows: z.array(Path).default([]),
        /** Paths that agents can write. */
        writes: z.array(Path).default([]),
        /** Whether agents can commit. If not, they can only read git folders. */
        commits: z.boolean().default(true),
      }),
    )
    .default({}),
});
export type UserConfig = z.infer<typeof UserConfig>;

/** Reads the user's configuration. Throws `invalid-settings` if the file is not valid: an agent must not start on a guess. */
export function readUserConfig(file: string): UserConfig {
  try {
    return parseConfig(readPlainFile(file, maxBytes) ?? "", UserConfig);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new FairleadError("invalid-settings", `The configuration ${file} is not valid. ${reason}`, { cause: error });
  }
}
