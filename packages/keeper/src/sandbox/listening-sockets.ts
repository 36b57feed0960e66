import { readFileSync } from "node:fs";

/** The flag of a socket that accepts connections, in /proc/net/unix. */
const acceptsConnections = 0x10000;

/** Returns the paths of the unix sockets at which programs listen, as far as they have a path. */
export function listListeningSockets(): string[] {
  try {
    return parseUnixSockets(readFileSync("/proc/net/unix", "utf8"));
  } catch {
    return []; // not Linux
  }
}

/** Reads the kernel's table: `Num RefCount Protocol Flags Type St Inode Path`. A path may contain spaces. */
export function parseUnixSockets(table: string): string[] {
  return table.split("\n").flatMap((line) => {
    const fields = /^\S+: \S+ \S+ ([0-9A-F]{8}) \S+ \S+ +\d+ (\/.*)$/.exec(line);
    const isListening = (Number.parseInt(fields?.[1] ?? "0", 16) & acceptsConnections) !== 0;
    return isListening && fields?.[2] !== undefined ? [fields[2]] : [];
  });
}
