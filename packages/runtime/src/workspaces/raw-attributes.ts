import { writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Makes git store and write files of a repository byte by byte. These attributes come before those of `.gitattributes`, by
 * which an agent could make a snapshot differ from the files, or name filters.
 */
const content = "* -text !eol -ident !filter !working-tree-encoding\n";

export const rawAttributesFile = (gitFolder: string): string => join(gitFolder, "info/attributes");

export async function writeRawAttributes(gitFolder: string): Promise<void> {
  await writeFile(rawAttributesFile(gitFolder), content);
}
