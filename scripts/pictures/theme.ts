import type { TextColor } from "./screen.ts";

interface Theme {
  readonly background: string;
  readonly titleBar: string;
  readonly border: string;
  readonly cursor: string;
  readonly text: Readonly<Record<TextColor, string>>;
}

const light: Theme = {
  background: "#ffffff",
  titleBar: "#f0f2f5",
  border: "#d0d7de",
  cursor: "#8c959f",
  text: {
    default: "#1f2328",
    dim: "#57606a",
    red: "#b31d28",
    green: "#116329",
    yellow: "#7a4d00",
    blue: "#0550ae",
    magenta: "#6639ba",
    cyan: "#0b6477",
  },
};

const dark: Theme = {
  background: "#161b22",
  titleBar: "#21262d",
  border: "#3d444d",
  cursor: "#6e7681",
  text: {
    default: "#e6edf3",
    dim: "#9da7b1",
    red: "#ff7b72",
    green: "#56d364",
    yellow: "#e3b341",
    blue: "#79c0ff",
    magenta: "#d2a8ff",
    cyan: "#39c5cf",
  },
};

/** The style sheet of a picture. One file is legible on light and on dark pages. */
export const styleSheet = [
  'text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono","DejaVu Sans Mono",monospace;white-space:pre}',
  ".bold{font-weight:700}",
  themeRules(light),
  `@media (prefers-color-scheme:dark){${themeRules(dark)}}`,
].join("\n");

function themeRules({ background, titleBar, border, cursor, text }: Theme): string {
  const { default: plain, ...colors } = text;
  return [
    `.window{fill:${background};stroke:${border}}`,
    `.bar{fill:${titleBar}}`,
    `.line{stroke:${border}}`,
    `.cursor{fill:${cursor}}`,
    `text{fill:${plain}}`,
    ...Object.entries(colors).map(([name, color]) => `.${name}{fill:${color}}`),
  ].join("");
}
