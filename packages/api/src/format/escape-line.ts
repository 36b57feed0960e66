import { escapeInvisible } from "@fairlead/contract";

/** Escapes invisible characters and line breaks, so that what is shown cannot hide behind the end of a line. */
export function escapeLine(text: string): string {
  return escapeInvisible(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}
