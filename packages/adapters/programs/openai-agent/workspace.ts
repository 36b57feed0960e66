import { constants } from "node:fs";
import { mkdir, open, readlink, realpath, type FileHandle } from "node:fs/promises";
import { basename, dirname, relative, resolve, sep } from "node:path";

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = constants;

/** Said of a path that leads out of the workspace, by whatever road. */
export class OutsideWorkspace extends Error {
  constructor(path: string) {
    super(`${path} is not in the workspace.`);
    this.name = "OutsideWorkspace";
  }
}

/**
 * The folder that the agent may work in. A path is not judged by its looks, for a link can change between the look and
 * the deed: what was opened is asked where it really is, and from then on only what is open is used.
 */
export class Workspace {
  /** The real path, without links. */
  readonly root: string;
  readonly #asGiven: string;

  private constructor(root: string, asGiven: string) {
    this.root = root;
    this.#asGiven = asGiven;
  }

  static async at(folder: string): Promise<Workspace> {
    return new Workspace(await realpath(folder), resolve(folder));
  }

  /** Opens a regular file to read. */
  async openFile(path: string): Promise<FileHandle> {
    // Without O_NONBLOCK a pipe that nobody writes to would be waited for without end.
    return this.#verified(path, await open(this.#inside(path), O_RDONLY | O_NONBLOCK), isFile);
  }

  async openFolder(path: string): Promise<FileHandle> {
    return this.#verified(path, await open(this.#inside(path), O_RDONLY | O_DIRECTORY | O_NONBLOCK), isFolder);
  }

  /** Opens a regular file to write, with its folders; it is neither made nor touched before its folder is verified. */
  async openToWrite(path: string): Promise<{ readonly file: FileHandle; readonly created: boolean }> {
    const inside = this.#inside(path);
    await using folder = await this.#makeFolder(path, dirname(inside));
    const place = below(folder, basename(inside));
    const made = await open(place, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666).catch(unless("EEXIST"));
    if (made) return { file: made, created: true };
    const found = await open(place, O_RDWR | O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
      throw codeOf(error) === "ELOOP" ? new Error(`${path} is a link: write to what it points to.`) : error;
    });
    return { file: await this.#verified(path, found, isFile), created: false };
  }

  /** The folder, made where it is missing. Each one on the way is verified before anything is made in it. */
  async #makeFolder(path: string, folder: string): Promise<FileHandle> {
    let here = await this.openFolder(".");
    for (const name of relative(this.root, folder).split(sep).filter(Boolean)) {
      await using parent = here;
      const place = below(parent, name);
      await mkdir(place).catch(unless("EEXIST"));
      here = await this.#verified(path, await open(place, O_RDONLY | O_DIRECTORY), isFolder);
    }
    return here;
  }

  /** The path within the workspace's real path, by its looks alone. */
  #inside(path: string): string {
    for (const root of [this.root, this.#asGiven]) {
      const within = relative(root, resolve(root, path));
      if (within !== ".." && !within.startsWith(`..${sep}`)) return resolve(this.root, within);
    }
    throw new OutsideWorkspace(path);
  }

  async #verified(path: string, opened: FileHandle, kind: Kind): Promise<FileHandle> {
    try {
      const real = await readlink(`/proc/self/fd/${opened.fd}`);
      if (real !== this.root && !real.startsWith(this.root + sep)) throw new OutsideWorkspace(path);
      if (!kind.test(await opened.stat())) throw new Error(`${path} is not a ${kind.name}.`);
      return opened;
    } catch (error) {
      await opened.close();
      throw error;
    }
  }
}

interface Kind {
  readonly name: string;
  test(stats: { isFile(): boolean; isDirectory(): boolean }): boolean;
}

const isFile: Kind = { name: "file", test: (stats) => stats.isFile() };
const isFolder: Kind = { name: "folder", test: (stats) => stats.isDirectory() };

/** A name in an open folder, wherever that folder has got to by now. */
function below(folder: FileHandle, name: string): string {
  return `/proc/self/fd/${folder.fd}/${name}`;
}

function unless(expected: string): (error: unknown) => undefined {
  return (error) => {
    if (codeOf(error) !== expected) throw error;
  };
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
