import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { deflate } from "node:zlib";

const compress = promisify(deflate);

/** Creates an empty git repository. Without git: a process in a sandbox takes longer than these few files. */
export async function createBareRepository(folder: string, objectFormat: string): Promise<void> {
  for (const name of ["objects", "refs", "info"]) await mkdir(join(folder, name), { recursive: true });
  const isDefault = objectFormat === "sha1";
  const extension = isDefault ? "" : `[extensions]\n\tobjectFormat = ${objectFormat}\n`;
  await writeFile(join(folder, "config"), `[core]\n\trepositoryFormatVersion = ${isDefault ? 0 : 1}\n${extension}`);
  await writeFile(join(folder, "HEAD"), "ref: refs/heads/none\n");
}

export interface CommitFacts {
  readonly parent?: string;
  readonly message?: string;
  /** Milliseconds since 1970. */
  readonly time?: number;
}

/** Writes a commit of a tree, by default without a parent, message or date, and returns its id. */
export async function writeCommit(folder: string, tree: string, facts: CommitFacts = {}): Promise<string> {
  const { parent, message = "", time = 0 } = facts;
  const person = `fairlead <fairlead> ${Math.floor(time / 1000)} +0000`;
  const parentLine = parent === undefined ? "" : `parent ${parent}\n`;
  const content = Buffer.from(`tree ${tree}\n${parentLine}author ${person}\ncommitter ${person}\n\n${message}`);
  const object = Buffer.concat([Buffer.from(`commit ${content.length}\0`), content]);
  const id = createHash(tree.length === 64 ? "sha256" : "sha1")
    .update(object)
    .digest("hex");
  const objectFolder = join(folder, "objects", id.slice(0, 2));
  await mkdir(objectFolder, { recursive: true });
  await writeFile(join(objectFolder, id.slice(2)), await compress(object));
  return id;
}
