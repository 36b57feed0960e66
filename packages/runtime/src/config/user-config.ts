import { FairleadError, McpServersInput, Sandbox } from "@fairlead/contract";
import { z } from "zod";
import { readPlainFile } from "../host/read-plain-file.ts";
import { parseConfig } from "./parse-workspace-config.ts";

const maxBytes = 64 * 1024;

/** A relative path would depend on where a session starts. */
const Path = z.string().regex(/^(?:\/|~(?:\/|$))/, "A path begins with / or ~/");

/** No address, and no pattern: what is allowed is what is written. */
const Host = z
  .string()
  .regex(/^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*(?::\d{1,5})?$/, "A host is a name in lower case, or a name and a port");

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
        /** Hosts that agents can reach through the gate: exact names, with a port or for the ports 80 and 443. */
        hosts: z.array(Host).default([]),
        /** Ports of this machine's loopback that agents reach at the same port. Only root can listen on those below 1024. */
        forwards: z.array(z.int().min(1024).max(65_535)).max(64).default([]),
      }),
    )
    .default({}),
  /** MCP servers for all sessions, by name. */
  mcp: McpServersInput.optional(),
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
