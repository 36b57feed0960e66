import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;

/**
 * Reads a file that an agent may have created. Throws unless it is a regular file of limited size: a pipe would block
 * indefinitely, a device would never end, and a link may lead anywhere. Returns null if there is no file.
 */
export function readPlainFile(path: string, maxBytes: number): string | null {
  let file: number;
  try {
    file = openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return null;
    throw code === "ELOOP" ? new Error("It is a symbolic link.", { cause: error }) : error;
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new Error("It is not a regular file.");
    if (stats.size > maxBytes) throw new Error(`It is larger than ${maxBytes} bytes.`);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}
