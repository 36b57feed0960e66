import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";

/** Without O_NONBLOCK, opening a pipe would wait for a writer. With O_NOFOLLOW, a link is an error. */
const openFlags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
/** Bytes per read of a `PlainFile`. Other sessions continue between two reads. */
const chunkBytes = 256 * 1024;

/**
 * Reads a file that an agent may have created. Throws unless it is a regular file of limited size: a pipe would block
 * indefinitely, a device would never end, and a link may lead anywhere. Returns null if there is no file.
 *
 * This and `PlainFile` are the only ways to read such a file. `test/file-reads.test.ts` checks that.
 */
export function readPlainFile(path: string, maxBytes: number): string | null {
  let file: number;
  try {
    file = openSync(path, openFlags);
  } catch (error) {
    return returnNullIfMissing(error);
  }
  try {
    assertPlain(fstatSync(file), maxBytes);
    // The file may grow while it is read, so its size is not the limit of the read.
    const buffer = Buffer.allocUnsafe(maxBytes + 1);
    let length = 0;
    for (let count = 1; count > 0 && length <= maxBytes; length += count)
      count = readSync(file, buffer, length, buffer.length - length, null);
    if (length > maxBytes) throw tooLargeError(maxBytes);
    return buffer.toString("utf8", 0, length);
  } finally {
    closeSync(file);
  }
}

/**
 * An open file that an agent may have created, read in chunks under the conditions of `readPlainFile`. Bytes that are
 * appended after the file was opened are not read.
 */
export class PlainFile implements AsyncDisposable {
  readonly #file: FileHandle;
  /** The size in bytes when the file was opened. */
  readonly size: number;

  private constructor(file: FileHandle, size: number) {
    this.#file = file;
    this.size = size;
  }

  /** Opens a file. Returns null if there is none. Throws if it is not a regular file, or too large. */
  static async open(path: string, maxBytes: number): Promise<PlainFile | null> {
    let file: FileHandle;
    try {
      file = await open(path, openFlags);
    } catch (error) {
      return returnNullIfMissing(error);
    }
    try {
      const stats = await file.stat();
      assertPlain(stats, maxBytes);
      return new PlainFile(file, stats.size);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Reads the bytes from a position up to the size. */
  async *chunks(start = 0): AsyncGenerator<Buffer> {
    for (let position = start; position < this.size;) {
      const length = Math.min(chunkBytes, this.size - position);
      const { bytesRead, buffer } = await this.#file.read(Buffer.allocUnsafe(length), 0, length, position);
      if (bytesRead === 0) return; // the file was truncated
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }
}

function assertPlain(stats: Stats, maxBytes: number): void {
  if (!stats.isFile()) throw new Error("It is not a regular file.");
  if (stats.size > maxBytes) throw tooLargeError(maxBytes);
}

function tooLargeError(maxBytes: number): Error {
  return new Error(`It is larger than ${maxBytes} bytes.`);
}

function returnNullIfMissing(error: unknown): null {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return null;
  throw code === "ELOOP" ? new Error("It is a symbolic link.", { cause: error }) : error;
}
