import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { TranscriptLocation } from "@fairlead/contract";

/** With more transcripts in its folders, other conversations are not looked for: each costs a call of the system. */
const maxChecked = 5000;

/** The transcript of a conversation, and other conversations of the agent. */
export interface FoundTranscripts {
  /** The path of the transcript; null if there is none. */
  readonly path: string | null;
  /** Ids of conversations that began after a time. */
  readonly newConversations: readonly string[];
}

/** Looks for the transcript of a conversation, and for conversations that began after `since`, in milliseconds. */
export async function findTranscript(
  { folders, fileName }: TranscriptLocation,
  agentSessionId: string,
  since: number,
): Promise<FoundTranscripts> {
  let path: string | null = null;
  const others: { readonly id: string; readonly path: string }[] = [];
  for (const folder of folders) {
    for (const name of await readdir(folder).catch(() => [])) {
      const id = fileName.exec(name)?.[1];
      if (id === agentSessionId) path ??= join(folder, name);
      else if (id !== undefined) others.push({ id, path: join(folder, name) });
    }
  }
  const newConversations: string[] = [];
  for (const other of others.length > maxChecked ? [] : others) {
    const stats = await lstat(other.path).catch(() => null);
    if (stats !== null && stats.birthtimeMs > since) newConversations.push(other.id);
  }
  return { path, newConversations };
}
