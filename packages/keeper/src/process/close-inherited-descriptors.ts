import { closeSync, readdirSync, readFileSync } from "node:fs";

/** The flag of a descriptor that a child process does not get, in /proc/self/fdinfo. */
const closeOnExec = 0o2000000;

/**
 * Closes descriptors that this process got from its parent besides the standard streams, such as a lock of the shell that
 * started the daemon. Node passes them on to every child process, so an agent could use them from its sandbox.
 */
export function closeInheritedDescriptors(): void {
  for (const descriptor of listDescriptors()) {
    if (descriptor <= 2 || isClosedOnExec(descriptor)) continue;
    try {
      closeSync(descriptor);
    } catch {
      // It was the one of the folder that was listed.
    }
  }
}

function listDescriptors(): number[] {
  try {
    return readdirSync("/proc/self/fd").map(Number);
  } catch {
    return []; // not Linux
  }
}

function isClosedOnExec(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8"))?.[1];
    return flags === undefined || (Number.parseInt(flags, 8) & closeOnExec) !== 0;
  } catch {
    return true;
  }
}
