import { mkdirSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { IsolatedCopy } from "@fairlead/contract";
import { isInside } from "@fairlead/keeper";
import { z } from "zod";
import type { Home } from "../home.ts";
import { readPlainFile } from "../host/read-plain-file.ts";

/**
 * What is known about an isolated copy. It is beside the clone, where the agent does not see it: what a sandbox shows, and
 * into which repository the branch is brought, must not depend on a file that the agent can write.
 */
export const CopyFacts = z.object({
  version: z.literal(1),
  /** The session that the copy was made for. Others may continue in it. */
  session: z.string(),
  /** The person's folder, as the start request named it. */
  workspace: z.string(),
  /** The working tree and the shared git folder of the person's repository. */
  top: z.string(),
  commonFolder: z.string(),
  /** The clone. */
  folder: z.string(),
  branch: z.string(),
  base: z.string(),
  /** The objects of a run's repository, which has the base. Missing if the person's repository has it. */
  borrowed: z.string().optional(),
  /** The last commit that was brought into the person's repository. */
  brought: z.string().nullable(),
  /** Whether the copy is complete, with its setup. */
  isReady: z.boolean(),
});
export type CopyFacts = z.infer<typeof CopyFacts>;

const maxBytes = 64 * 1024;

/** Reads what is known about the copy of a session. Returns null if there is none that can be read. */
export function readCopyFacts(home: Home, session: string): CopyFacts | null {
  try {
    const text = readPlainFile(join(home.copyFolder(session), "copy.json"), maxBytes);
    return text === null ? null : (CopyFacts.safeParse(JSON.parse(text)).data ?? null);
  } catch {
    return null;
  }
}

/** Replaces the file at once, so that a crash leaves the old or the new one. */
export function writeCopyFacts(home: Home, facts: CopyFacts): void {
  const folder = home.copyFolder(facts.session);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, "copy.json");
  writeFileSync(`${file}.new`, JSON.stringify(facts), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Finds the copy that a folder is in. Returns null for a folder of a person. */
export function findCopy(home: Home, workspace: string): CopyFacts | null {
  const [copies, folder] = [home.copiesFolder, workspace].map(withoutLinks) as [string, string];
  if (!isInside(folder, copies) || folder === copies) return null;
  const facts = readCopyFacts(home, relative(copies, folder).split("/")[0] ?? "");
  return facts !== null && isInside(folder, facts.folder) ? facts : null;
}

/** The folder of the clone that a folder of the person's repository corresponds to. */
export const placeInCopy = ({ folder, top }: CopyFacts, workspace: string): string =>
  join(folder, relative(top, withoutLinks(workspace)));

export const toIsolatedCopy = ({ workspace, branch, base }: CopyFacts): IsolatedCopy => ({ workspace, branch, base });

/**
 * The name of the reference that keeps the base of a copy in the person's repository. Not below `refs/fairlead`: git would
 * prefer it to the branch `fairlead/ID`.
 */
export const baseReference = (session: string): string => `refs/fairlead-bases/${session}`;

function withoutLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // it was removed
  }
}
