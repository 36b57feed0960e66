import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { FairleadError } from "@fairlead/contract";

/** What a file has before the bytes of its object: this header as one line of JSON. */
interface ObjectHeader {
  readonly key: string;
  readonly size: number;
  /** The checksum of the bytes, so that damage is found. */
  readonly crc32: number;
}

/** A key of 1,000 characters has at most 6,000 in JSON, all of them one byte, or fewer of up to three. */
const maxHeaderBytes = 8192;
/** Without O_NONBLOCK, opening a pipe would wait for a writer. With O_NOFOLLOW, a link is an error. */
const openFlags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

export function encodeObjectHeader(key: string, bytes: Uint8Array): Buffer {
  return Buffer.from(`${JSON.stringify({ key, size: bytes.length, crc32: crc32(bytes) } satisfies ObjectHeader)}\n`);
}

/** Reads the object in a file. Returns undefined if there is no file. Throws `corrupt` unless it is the object of the key. */
export async function readObject(path: string, key: string): Promise<Uint8Array | undefined> {
  await using file = await openObject(path);
  if (file === undefined) return undefined;
  const { header, length } = await readHeader(file, path);
  if (header.key !== key) throw createCorruptError(path, "it has another key");
  // Compared first: a damaged size could ask for more memory than there is.
  if (header.size !== (await file.stat()).size - length) throw createCorruptError(path, "its size is wrong");
  const bytes = await readBytes(file, length, header.size);
  if (crc32(bytes) !== header.crc32) throw createCorruptError(path, "its checksum is wrong");
  return bytes;
}

/** Reads only the key of an object. Returns undefined if there is no file, or if its beginning is damaged. */
export async function readObjectKey(path: string): Promise<string | undefined> {
  try {
    await using file = await openObject(path);
    return file === undefined ? undefined : (await readHeader(file, path)).header.key;
  } catch (error) {
    if (FairleadError.is(error, "corrupt")) return undefined;
    throw error;
  }
}

async function openObject(path: string): Promise<FileHandle | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, openFlags);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw code === "ELOOP" ? createCorruptError(path, "it is a link") : error;
  }
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw createCorruptError(path, "it is not a file");
}

async function readHeader(file: FileHandle, path: string): Promise<{ header: ObjectHeader; length: number }> {
  const start = await readBytes(file, 0, maxHeaderBytes);
  const end = start.indexOf("\n");
  const header = parseJson(start.toString("utf8", 0, end)) as Partial<ObjectHeader> | null;
  if (typeof header?.key !== "string") throw createCorruptError(path, "its beginning is damaged");
  return { header: header as ObjectHeader, length: end + 1 };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Reads up to `length` bytes: fewer if the file ends before. */
async function readBytes(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let total = 0;
  for (let count = 1; count > 0 && total < length; total += count) {
    ({ bytesRead: count } = await file.read(buffer, total, length - total, position + total));
  }
  return buffer.subarray(0, total);
}

function createCorruptError(path: string, reason: string): FairleadError {
  return new FairleadError("corrupt", `The object in ${path} cannot be read: ${reason}. Remove the file to lose it.`);
}
