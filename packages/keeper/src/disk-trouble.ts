const messages: ReadonlyMap<string, string> = new Map([
  ["ENOSPC", "The disk is full."],
  ["EDQUOT", "The disk is full."],
  ["EIO", "The disk cannot be written."],
]);

/** In words what is wrong with the disk, if an error says that something is which may pass; otherwise undefined. */
export function diskTrouble(error: unknown): string | undefined {
  return messages.get((error as NodeJS.ErrnoException | undefined)?.code ?? "");
}
