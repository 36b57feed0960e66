import { mkdirSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { SessionRepository } from "@fairlead/contract";
import { z } from "zod";
import type { Home } from "../home.ts";
import { readPlainFile } from "../host/read-plain-file.ts";
import { FolderIdentity } from "./folder-identity.ts";

/** What is known about the clone of a repository. In the data directory, where no agent sees it. */
export const CloneFacts = z.object({
  version: z.literal(1),
  /** The session that the clone was made for. Others may continue in it. */
  session: z.string(),
  /** The clone, which is the workspace. */
  folder: z.string(),
  /** The folder in which the clone is made. It is renamed when it is complete. */
  temporary: z.string(),
  repository: SessionRepository,
  isReady: z.boolean(),
  /** The folder that the clone is, once it is complete. Another host may put another one at its path. Missing in old files. */
  identity: FolderIdentity.optional(),
});
export type CloneFacts = z.infer<typeof CloneFacts>;

const maxBytes = 64 * 1024;

/** Reads what is known about the clone that was made for a session. Returns null if there is none that can be read. */
export function readCloneFacts(home: Home, session: string): CloneFacts | null {
  try {
    const text = readPlainFile(join(home.snapshotFolder(session), "clone.json"), maxBytes);
    return text === null ? null : (CloneFacts.safeParse(JSON.parse(text)).data ?? null);
  } catch {
    return null;
  }
}

/** Replaces the file at once, so that a crash leaves the old or the new one. */
export function writeCloneFacts(home: Home, facts: CloneFacts): void {
  const folder = home.snapshotFolder(facts.session);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, "clone.json");
  writeFileSync(`${file}.new`, JSON.stringify(facts), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Finds the clone that a workspace is. Returns null for a folder of a person. */
export function findClone(home: Home, workspace: string): CloneFacts | null {
  const facts = readCloneFacts(home, basename(workspace));
  return facts !== null && facts.isReady && withoutLinks(workspace) === withoutLinks(facts.folder) ? facts : null;
}

function withoutLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // it was removed
  }
}
