import type { ReadStream, WriteStream } from "node:tty";
import { KeySender, type TakenTerminal } from "@fairlead/client";
import type { TerminalSize } from "@fairlead/contract";

/** The person's terminal. */
export interface LocalTerminal {
  readonly stdin: Pick<ReadStream, "setRawMode" | "resume" | "pause" | "on" | "off" | "setEncoding">;
  readonly stdout: Pick<WriteStream, "columns" | "rows" | "write" | "on" | "off">;
}

/** Ctrl-\ as terminals send it: as a control character, or in the kitty keyboard protocol if the program enabled it. */
const detachKeys = ["\u001C", "\u001B[92;5u"];

/** Resets every terminal mode that the program may have set: it may be killed before it can reset them itself. */
const resetSequence = [
  "\u001B[?1049l", // leave the alternate screen
  "\u001B[?1000l\u001B[?1002l\u001B[?1003l\u001B[?1006l", // disable mouse reports
  "\u001B[?1004l\u001B[?2004l", // disable focus reports and bracketed paste
  "\u001B[<u\u001B[>4;0m", // disable extended keyboard protocols
  "\u001B[?25h\u001B[0m\r\n", // show the cursor, reset colors
].join("");

export function terminalSizeOf({ columns, rows }: Pick<WriteStream, "columns" | "rows">): TerminalSize {
  return { columns: columns || 80, rows: rows || 24 };
}

/**
 * Connects two terminals until the remote one ends or the person detaches with Ctrl-\. Returns which happened. The caller
 * decides whether detaching also ends the remote terminal.
 */
export async function connectTerminals(
  remote: TakenTerminal,
  { stdin, stdout }: LocalTerminal,
): Promise<"ended" | "detached"> {
  const detached = Promise.withResolvers<"detached">();
  const closing = new AbortController();
  const keys = new KeySender({ type: (text) => remote.type(text), signal: closing.signal });
  const type = (text: string): void => {
    const detachPositions = detachKeys.flatMap((key) => (text.includes(key) ? [text.indexOf(key)] : []));
    const input = detachPositions.length === 0 ? text : text.slice(0, Math.min(...detachPositions));
    if (input !== "") keys.send(input);
    if (detachPositions.length > 0) detached.resolve("detached");
  };
  const resize = (): void => void remote.resize(terminalSizeOf(stdout)).catch(() => {});
  stdin.setRawMode(true);
  stdin.setEncoding("utf8");
  stdin.on("data", type);
  stdin.resume();
  stdout.on("resize", resize);
  try {
    return await Promise.race([copyScreen(remote, stdout), detached.promise]);
  } finally {
    closing.abort();
    stdin.off("data", type);
    stdout.off("resize", resize);
    stdin.pause();
    stdin.setRawMode(false);
    stdout.write(resetSequence);
  }
}

async function copyScreen(remote: TakenTerminal, stdout: LocalTerminal["stdout"]): Promise<"ended"> {
  for await (const text of remote.screen) stdout.write(text);
  return "ended";
}
