import { styleText } from "node:util";

export type Style = "bold" | "cyan" | "dim" | "green" | "red" | "yellow";
/** Colours a text, or leaves it as it is. */
export type Paint = (style: Style, text: string) => string;

export const unpainted: Paint = (_, text) => text;
const painted: Paint = (style, text) => styleText(style, text, { validateStream: false });

/** Colours are for terminals whose owner has not asked for none. */
export function paintFor(
  stream: { readonly isTTY?: boolean },
  environment: Readonly<Record<string, string | undefined>>,
): Paint {
  const wanted = (environment["NO_COLOR"] ?? "") === "" && environment["TERM"] !== "dumb";
  return stream.isTTY === true && wanted ? painted : unpainted;
}
