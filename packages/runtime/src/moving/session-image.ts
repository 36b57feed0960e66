import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { ObjectStore } from "@fairlead/engine";
import type { SessionState } from "@fairlead/reducer";
import type { CommandRejection } from "../actor/pending-notes.ts";
import { forgetMemory } from "../memory/save-memory.ts";
import type { StoredMemory } from "../memory/stored-memory.ts";

/**
 * What another host needs to continue a session, beside its log: the state at the end of a turn, which has the dialect's own
 * state, and where the agent's memory and the workspace of that moment are.
 */
export interface SessionImage {
  /** The last spool record that the state includes, and the sequence of the last event. */
  readonly upToSeq: number;
  readonly lastSequence: number;
  readonly state: SessionState;
  readonly rejections: readonly CommandRejection[];
  /** The agent's memory in the object store; null if the agent names none, or if it could not be stored. */
  readonly memory: StoredMemory | null;
  /** The commit of the workspace; null for a workspace that is not a repository of the session. */
  readonly commit: string | null;
}

const formatVersion = 1;

/** What the keys of a session's images begin with. */
function imagePrefix(session: string): string {
  return `images/${encodeURIComponent(session)}/`;
}

/** The key of the image that an owner of a session stores. Each has its own: a late write of an earlier owner replaces none. */
export function imageKey(session: string, epoch: number): string {
  return `${imagePrefix(session)}${epoch}`;
}

/** Reads the image of the newest owner up to an epoch. Returns null if there is none, or one of another format. */
export async function readImage(
  objects: Pick<ObjectStore, "get" | "list">,
  session: string,
  epoch: number,
): Promise<SessionImage | null> {
  const epochs = (await listEpochs(objects, session)).filter((one) => one <= epoch);
  for (const one of epochs.toSorted((a, b) => b - a)) {
    const bytes = await objects.get(imageKey(session, one));
    // A newer owner may have removed it since the listing.
    if (bytes !== undefined) return decodeImage(bytes);
  }
  return null;
}

/** Removes the images of the owners before an epoch. */
export async function removeOlderImages(objects: ObjectStore, session: string, epoch: number): Promise<void> {
  for (const one of await listEpochs(objects, session)) if (one < epoch) await objects.remove(imageKey(session, one));
}

async function listEpochs(objects: Pick<ObjectStore, "list">, session: string): Promise<number[]> {
  const prefix = imagePrefix(session);
  return (await Array.fromAsync(objects.list(prefix))).map((key) => Number(key.slice(prefix.length)));
}

export function encodeImage(image: SessionImage): Uint8Array {
  return zstdCompressSync(Buffer.from(JSON.stringify({ version: formatVersion, ...image })));
}

/** Decodes an image. Returns null for one of another format: the log alone then says how the session continues. */
function decodeImage(bytes: Uint8Array): SessionImage | null {
  const { version, ...image } = JSON.parse(zstdDecompressSync(bytes).toString("utf8")) as SessionImage & {
    readonly version: number;
  };
  return version === formatVersion ? image : null;
}

/** Removes what the object store has of a session that is forgotten. */
export async function forgetImage(objects: ObjectStore, session: string): Promise<void> {
  await forgetMemory(objects, session);
  await removeOlderImages(objects, session, Infinity);
}
