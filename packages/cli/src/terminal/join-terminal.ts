import type { ReadStream, WriteStream } from "node:tty";
import type { TerminalSize } from "@fairlead/contract";

/** The far terminal: what it shows, and how it is typed into. */
export interface FarTerminal {
  /** Ends when the far terminal does. */
  readonly screen: AsyncIterable<string>;
  type(text: string): Promise<void>;
  resize(size: TerminalSize): Promise<void>;
}

/** The terminal that the person sits at. */
export interface NearTerminal {
  readonly stdin: Pick<ReadStream, "setRawMode" | "resume" | "pause" | "on" | "off" | "setEncoding">;
  readonly stdout: Pick<WriteStream, "columns" | "rows" | "write" | "on" | "off">;
}

/** Ctrl-\ as terminals send it: plainly, or in the newer way that a program may have asked for. */
const detachKeys = ["\u001C", "\u001B[92;5u"];

/** Takes back whatever the program may have asked of the terminal: it may be ended before it can do so itself. */
const plain = [
  "\u001B[?1049l", // back from the other screen
  "\u001B[?1000l\u001B[?1002l\u001B[?1003l\u001B[?1006l", // no reports of the mouse
  "\u001B[?1004l\u001B[?2004l", // none of the focus, no marks around what is pasted
  "\u001B[<u\u001B[>4;0m", // keys in the old way
  "\u001B[?25h\u001B[0m\r\n", // with a cursor, and without colours
].join("");

export function sizeOf({ columns, rows }: Pick<WriteStream, "columns" | "rows">): TerminalSize {
  return { columns: columns || 80, rows: rows || 24 };
}

/**
 * Joins two terminals until the far one ends or the person leaves it with Ctrl-\; says which. It only joins: whether
 * leaving also ends the far one is for the caller to decide.
 */
export async function joinTerminal(far: FarTerminal, { stdin, stdout }: NearTerminal): Promise<"ended" | "detached"> {
  const detached = Promise.withResolvers<"detached">();
  const type = (text: string): void => {
    const keys = detachKeys.flatMap((key) => (text.includes(key) ? [text.indexOf(key)] : []));
    const typed = keys.length === 0 ? text : text.slice(0, Math.min(...keys));
    // When the far terminal has ended meanwhile, its screen says so.
    if (typed !== "") far.type(typed).catch(() => {});
    if (keys.length > 0) detached.resolve("detached");
  };
  const resize = (): void => void far.resize(sizeOf(stdout)).catch(() => {});
  stdin.setRawMode(true);
  stdin.setEncoding("utf8");
  stdin.on("data", type);
  stdin.resume();
  stdout.on("resize", resize);
  try {
    return await Promise.race([show(far, stdout), detached.promise]);
  } finally {
    stdin.off("data", type);
    stdout.off("resize", resize);
    stdin.pause();
    stdin.setRawMode(false);
    stdout.write(plain);
  }
}

async function show(far: FarTerminal, stdout: NearTerminal["stdout"]): Promise<"ended"> {
  for await (const text of far.screen) stdout.write(text);
  return "ended";
}
