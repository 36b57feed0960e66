import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;

/**
 * The text of a file that an agent may have laid there: only if it is a plain file of a modest size. A pipe would keep us
 * waiting for ever, a device would never end, and a link may lead anywhere. Null when there is none.
 */
export function readPlainFile(path: string, longest: number): string | null {
  let file: number;
  try {
    file = openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return null;
    throw code === "ELOOP" ? new Error("It is a link.", { cause: error }) : error;
  }
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw new Error("It is not a file.");
    if (found.size > longest) throw new Error(`It has more than ${longest} bytes.`);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}
