import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";
import { Message } from "./history.ts";

/** Where conversations are kept. */
export function memoryFolder(environment: Readonly<Record<string, string | undefined>>): string {
  return join(environment["XDG_STATE_HOME"] ?? join(homedir(), ".local", "state"), "fairlead-openai");
}

/** An id names a file, so it may hold nothing that leads elsewhere. */
const Id = z.uuid();

/** The whole conversation, or null when there is none of that name. */
export async function recall(folder: string, id: string): Promise<Message[] | null> {
  if (!Id.safeParse(id).success) return null;
  try {
    const lines = (await readFile(fileOf(folder, id), "utf8")).split("\n").filter((line) => line !== "");
    return lines.map((line) => Message.parse(JSON.parse(line)));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

/**
 * Keeps a conversation, one message on each line. The file is replaced in one move, so that whoever reads it, also after
 * a crash or on a full disk, finds it whole: as it was, or as it is.
 */
export async function remember(folder: string, id: string, messages: readonly Message[]): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = fileOf(folder, id);
  const draft = `${file}.${randomUUID()}.draft`;
  try {
    await using written = await open(draft, "wx", 0o600);
    await written.writeFile(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
    await written.sync();
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  // The move itself lies in the folder.
  await using place = await open(dirname(file));
  await place.sync();
}

function fileOf(folder: string, id: string): string {
  return join(folder, `${Id.parse(id)}.jsonl`);
}
