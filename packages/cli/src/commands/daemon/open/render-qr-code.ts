import { encode } from "uqr";

/** The quiet zone that scanners need, in modules. */
const border = 2;
/** Black on white whatever the colors of the terminal: many scanners read no inverted code. */
const [startColors, endColors] = ["\u001B[38;5;16;48;5;231m", "\u001B[0m"];

/** Renders a text as a QR code: two rows of modules per line. Without colors, dark modules are drawn on a light background. */
export function renderQrCode(text: string, { isColored }: { readonly isColored: boolean }): string[] {
  const { data, size } = encode(text, { ecc: "L", border });
  const isDark = (row: number, column: number): boolean => data[row]?.[column] ?? false;
  const lines: string[] = [];
  for (let row = 0; row < size; row += 2) {
    const cells = Array.from({ length: size }, (_, column) => halfBlock(isDark(row, column), isDark(row + 1, column)));
    lines.push(isColored ? `${startColors}${cells.join("")}${endColors}` : cells.join(""));
  }
  return lines;
}

function halfBlock(top: boolean, bottom: boolean): string {
  if (top) return bottom ? "█" : "▀";
  return bottom ? "▄" : " ";
}
