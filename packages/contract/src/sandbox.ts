import { z } from "zod";
import { NetworkGate } from "./network.ts";

/** What the kernel lets an agent's processes reach. All paths are absolute. */
export const Sandbox = z.strictObject({
  /** `bwrap`: namespaces made by bubblewrap. `none`: the agent can do what its user can do. */
  kind: z.enum(["bwrap", "none"]),
  /** Whether the agent can change the workspace. */
  workspace: z.enum(["write", "read"]),
  /**
   * The workspace when the session started, with links resolved. If another agent has replaced it by a link since, it is not
   * mounted. Missing in older sessions.
   */
  workspaceFolder: z.string().optional(),
  /** Other files and folders that the agent can change. */
  writes: z.array(z.string()),
  /** Files and folders that the agent can read and not change, although they are in one that it can change. */
  protects: z.array(z.string()),
  /**
   * Files and folders that the agent does not see, although they are in one that it sees. A hidden folder is empty, and what
   * is written there is discarded.
   */
  hides: z.array(z.string()),
  /**
   * Other files and folders that the agent can read. Besides these, it sees those of the system, its program, the folders
   * on its PATH, and tools in the home.
   */
  shows: z.array(z.string()),
  /** `open`: the network of the machine. `gate`: the hosts that were allowed. `none`: only its own loopback. */
  network: z.enum(["gate", "none", "open"]),
  /**
   * Whether the agent may create user namespaces, for a sandbox of its own. In one it can move protected files away, so only
   * agents get this that do not work without.
   */
  nests: z.boolean().optional(),
  /** What the gate lets through. Set if `network` is `gate`. */
  gate: NetworkGate.optional(),
  /**
   * Where the key or login of the agent's service is. `withheld`: the gate inserts it, and the agent does not have it.
   * `inside`: the agent's processes can read it. `none`: the agent needs none. Missing in older journals.
   */
  credential: z.enum(["withheld", "inside", "none"]).optional(),
});
export type Sandbox = z.infer<typeof Sandbox>;
