import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";
import { HistoryMessage } from "./history-message.ts";

/** Returns the folder of the history files. */
export function findHistoryFolder(environment: Readonly<Record<string, string | undefined>>): string {
  return join(environment["XDG_STATE_HOME"] ?? join(homedir(), ".local", "state"), "fairlead-openai");
}

/** An id is part of a file name, so it must not contain a path. */
const Id = z.uuid();

/** Loads a conversation. Resolves with null if there is none with this id. */
export async function loadHistory(folder: string, id: string): Promise<HistoryMessage[] | null> {
  if (!Id.safeParse(id).success) return null;
  try {
    const lines = (await readFile(historyPath(folder, id), "utf8")).split("\n").filter((line) => line !== "");
    return lines.map((line) => HistoryMessage.parse(JSON.parse(line)));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

/**
 * Saves a conversation, one message per line. A rename replaces the file, so that readers find either the old or the new
 * content, also after a crash or on a full disk.
 */
export async function saveHistory(folder: string, id: string, messages: readonly HistoryMessage[]): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = historyPath(folder, id);
  const draft = `${file}.${randomUUID()}.draft`;
  try {
    await using draftFile = await open(draft, "wx", 0o600);
    await draftFile.writeFile(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
    await draftFile.sync();
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  // The rename is part of the folder's data, so the folder needs a sync too.
  await using parentFolder = await open(dirname(file));
  await parentFolder.sync();
}

function historyPath(folder: string, id: string): string {
  return join(folder, `${Id.parse(id)}.jsonl`);
}
