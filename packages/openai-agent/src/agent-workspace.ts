import { constants } from "node:fs";
import { mkdir, open, readlink, realpath, type FileHandle } from "node:fs/promises";
import { basename, dirname, relative, resolve, sep } from "node:path";

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = constants;

/** Reports a path that leads out of the workspace, directly or by a link. */
export class OutsideWorkspaceError extends Error {
  constructor(path: string) {
    super(`${path} is not in the workspace.`);
    this.name = "OutsideWorkspace";
  }
}

/**
 * The folder that the agent may work in. A check of the path alone is not enough, because a link can change between the
 * check and the use. So the workspace opens the file first, checks where the open file really is, and then uses only the
 * open file.
 */
export class AgentWorkspace {
  /** The path of the workspace with all links resolved. */
  readonly root: string;
  readonly #requestedRoot: string;

  private constructor(root: string, requestedRoot: string) {
    this.root = root;
    this.#requestedRoot = requestedRoot;
  }

  static async open(folder: string): Promise<AgentWorkspace> {
    return new AgentWorkspace(await realpath(folder), resolve(folder));
  }

  /** Opens a regular file for reading. */
  async openFile(path: string): Promise<FileHandle> {
    // Without O_NONBLOCK, opening a pipe without a writer would wait indefinitely.
    return this.#verify(path, await open(this.#resolveInside(path), O_RDONLY | O_NONBLOCK), regularFile);
  }

  async openFolder(path: string): Promise<FileHandle> {
    return this.#verify(path, await open(this.#resolveInside(path), O_RDONLY | O_DIRECTORY | O_NONBLOCK), folderKind);
  }

  /** Opens a regular file for writing and creates its folders. Changes nothing before the folder is verified. */
  async openToWrite(path: string): Promise<{ readonly file: FileHandle; readonly created: boolean }> {
    const resolved = this.#resolveInside(path);
    await using folder = await this.#createFolder(path, dirname(resolved));
    const target = joinOpenFolder(folder, basename(resolved));
    const newFile = await open(target, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666).catch(ignoreCode("EEXIST"));
    if (newFile) return { file: newFile, created: true };
    const existingFile = await open(target, O_RDWR | O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
      throw readErrorCode(error) === "ELOOP" ? new Error(`${path} is a link. Write to its target instead.`) : error;
    });
    return { file: await this.#verify(path, existingFile, regularFile), created: false };
  }

  /** Opens a folder and creates missing ones. Verifies each parent before it creates anything in it. */
  async #createFolder(path: string, folder: string): Promise<FileHandle> {
    let current = await this.openFolder(".");
    for (const name of relative(this.root, folder).split(sep).filter(Boolean)) {
      await using parent = current;
      const target = joinOpenFolder(parent, name);
      await mkdir(target).catch(ignoreCode("EEXIST"));
      current = await this.#verify(path, await open(target, O_RDONLY | O_DIRECTORY), folderKind);
    }
    return current;
  }

  /** Resolves a path inside the workspace. Looks only at the path, not at links. */
  #resolveInside(path: string): string {
    for (const root of [this.root, this.#requestedRoot]) {
      const relativePath = relative(root, resolve(root, path));
      if (relativePath !== ".." && !relativePath.startsWith(`..${sep}`)) return resolve(this.root, relativePath);
    }
    throw new OutsideWorkspaceError(path);
  }

  async #verify(path: string, handle: FileHandle, kind: FileKind): Promise<FileHandle> {
    try {
      const realPath = await readlink(`/proc/self/fd/${handle.fd}`);
      if (realPath !== this.root && !realPath.startsWith(this.root + sep)) throw new OutsideWorkspaceError(path);
      if (!kind.test(await handle.stat())) throw new Error(`${path} is not a ${kind.name}.`);
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }
}

interface FileKind {
  readonly name: string;
  test(stats: { isFile(): boolean; isDirectory(): boolean }): boolean;
}

const regularFile: FileKind = { name: "file", test: (stats) => stats.isFile() };
const folderKind: FileKind = { name: "folder", test: (stats) => stats.isDirectory() };

/** Returns the path of an entry in an open folder, which stays valid if the folder is moved. */
function joinOpenFolder(folder: FileHandle, name: string): string {
  return `/proc/self/fd/${folder.fd}/${name}`;
}

function ignoreCode(expected: string): (error: unknown) => undefined {
  return (error) => {
    if (readErrorCode(error) !== expected) throw error;
  };
}

function readErrorCode(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
