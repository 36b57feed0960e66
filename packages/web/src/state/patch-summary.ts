/** How much a patch changes in a file. */
export interface PatchFileSummary {
  readonly path: string;
  readonly added: number;
  readonly cut: number;
}

/** Counts the lines that a patch of git adds and cuts in each file. */
export function summarizePatch(patch: string): PatchFileSummary[] {
  const files: { path: string; added: number; cut: number }[] = [];
  // Until the first hunk of a file, lines with + and - name the file.
  let isInHunk = false;
  for (const line of patch.split("\n")) {
    if (line.startsWith("diff --git ")) {
      files.push({ path: pathOf(line), added: 0, cut: 0 });
      isInHunk = false;
    } else if (line.startsWith("@@")) isInHunk = true;
    const file = files.at(-1);
    if (file === undefined || !isInHunk) continue;
    if (line.startsWith("+")) file.added += 1;
    else if (line.startsWith("-")) file.cut += 1;
  }
  return files;
}

/** The path after `b/`. It is the second half of the line, also if the path contains ` b/`. */
function pathOf(line: string): string {
  const names = line.slice("diff --git ".length);
  // Within a quoted name, each quote follows a backslash, so a space and a quote begin the name.
  if (names.endsWith('"')) return names.slice(names.lastIndexOf(' "') + ' "b/'.length, -1);
  return names.slice(Math.ceil(names.length / 2)).replace(/^b\//, "");
}
