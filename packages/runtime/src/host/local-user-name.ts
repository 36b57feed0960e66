import { userInfo } from "node:os";

/** Returns the name of the user that this process runs as, or the number of a user without an entry in the user database. */
export function localUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}
