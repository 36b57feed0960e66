import { RequestRejected } from "../protocol/request-rejected.ts";
import { maxProcessNumber } from "../spool/spool-format.ts";

/** Returns the number of the process that a request launches. Throws `RequestRejected` if a record cannot name it. */
export function nextProcessNumber(id: string, newest: number): number {
  if (newest < maxProcessNumber) return newest + 1;
  const limit = maxProcessNumber.toLocaleString("en");
  throw new RequestRejected(id, `The session has launched ${limit} processes, the limit. Start a new session.`);
}

/** Returns the number of the process that a request is for: the newest by default. Throws `RequestRejected` without one. */
export function requestedProcessNumber(id: string, newest: number, number = newest): number {
  if (newest === 0) throw new RequestRejected(id, "No process has been launched.");
  if (number >= 1 && number <= newest) return number;
  throw new RequestRejected(id, `There is no process ${number}. The newest is process ${newest}.`);
}
