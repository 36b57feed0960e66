import { styleText } from "node:util";

export type PaintStyle = "bold" | "cyan" | "dim" | "green" | "red" | "yellow";
/** Colors a text, or returns it unchanged. */
export type Paint = (style: PaintStyle, text: string) => string;

export const noPaint: Paint = (_, text) => text;
const colorPaint: Paint = (style, text) => styleText(style, text, { validateStream: false });

/** Returns a painter that colors only on a terminal, and not with NO_COLOR or TERM=dumb. */
export function choosePaint(
  stream: { readonly isTTY?: boolean },
  environment: Readonly<Record<string, string | undefined>>,
): Paint {
  const isColorAllowed = (environment["NO_COLOR"] ?? "") === "" && environment["TERM"] !== "dumb";
  return stream.isTTY === true && isColorAllowed ? colorPaint : noPaint;
}
