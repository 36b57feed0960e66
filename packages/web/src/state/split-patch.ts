/** One file of a patch. Its lines are parsed when it is shown. */
export interface PatchFile {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
  readonly isBinary: boolean;
  /** The part of the patch that is about this file. */
  readonly source: string;
}

/** Splits a patch of git into its files, without parsing their lines: a patch may have a megabyte. */
export function splitPatch(patch: string): PatchFile[] {
  const files: PatchFile[] = [];
  for (let start = findFile(patch, 0); start !== -1;) {
    const next = findFile(patch, start + 1);
    const source = next === -1 ? patch.slice(start) : patch.slice(start, next);
    files.push(toFile(source));
    start = next;
  }
  return files;
}

const opening = "diff --git ";

function findFile(patch: string, from: number): number {
  if (from === 0 && patch.startsWith(opening)) return 0;
  const at = patch.indexOf(`\n${opening}`, Math.max(0, from - 1));
  return at === -1 ? -1 : at + 1;
}

function toFile(source: string): PatchFile {
  let added = 0;
  let removed = 0;
  const body = source.indexOf("\n@@");
  for (let at = body; at !== -1; at = source.indexOf("\n", at + 1)) {
    const sign = source.charCodeAt(at + 1);
    if (sign === 43) added += 1;
    else if (sign === 45) removed += 1;
  }
  const head = body === -1 ? source : source.slice(0, body);
  return {
    path: pathOf(head),
    added,
    removed,
    isBinary: body === -1 && /^(Binary files|GIT binary patch)/m.test(head),
    source,
  };
}

/** The name after the change, or the one before it if the file was deleted. */
function pathOf(head: string): string {
  const after = /^\+\+\+ (?:"b\/(.*)"|b\/(.*?))\t?$/m.exec(head);
  const before = /^--- (?:"a\/(.*)"|a\/(.*?))\t?$/m.exec(head);
  const renamed = /^rename to (.*)$/m.exec(head);
  const first = head.slice(opening.length, head.indexOf("\n") === -1 ? undefined : head.indexOf("\n"));
  // Without other lines, both names are the same: `a/x b/x`.
  const same = first.slice(Math.ceil(first.length / 2) + 2);
  return after?.[1] ?? after?.[2] ?? renamed?.[1] ?? before?.[1] ?? before?.[2] ?? same;
}
