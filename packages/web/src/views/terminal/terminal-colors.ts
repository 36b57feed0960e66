import type { ITheme } from "@xterm/xterm";

const dark: ITheme = {
  background: "#0d1014",
  foreground: "#dfe3e8",
  cursor: "#dfe3e8",
  cursorAccent: "#0d1014",
  selectionBackground: "#2f4a66",
  black: "#2a2f36",
  red: "#f0726b",
  green: "#6fc48b",
  yellow: "#e0b455",
  blue: "#79b2f2",
  magenta: "#c99af0",
  cyan: "#62c5cf",
  white: "#d3d8de",
  brightBlack: "#8b939e",
  brightRed: "#ff958e",
  brightGreen: "#93dba8",
  brightYellow: "#f2cc7c",
  brightBlue: "#a1cbff",
  brightMagenta: "#dfbcff",
  brightCyan: "#8ce0e8",
  brightWhite: "#ffffff",
};

const light: ITheme = {
  background: "#fbfcfd",
  foreground: "#1f252d",
  cursor: "#1f252d",
  cursorAccent: "#fbfcfd",
  selectionBackground: "#bcd8f5",
  black: "#1f252d",
  red: "#b3261e",
  green: "#1c6b3a",
  yellow: "#7a5200",
  blue: "#0b5cad",
  magenta: "#7c3aa8",
  cyan: "#0a6672",
  white: "#5d6671",
  brightBlack: "#66707c",
  brightRed: "#c73a31",
  brightGreen: "#257a46",
  brightYellow: "#8a5e00",
  brightBlue: "#1a6cc2",
  brightMagenta: "#8f4dbb",
  brightCyan: "#0f7784",
  brightWhite: "#3c444d",
};

const prefersDark = matchMedia("(prefers-color-scheme: dark)");

/** The colors of the page's theme. A program asks the terminal for its background and chooses its own colors by it. */
export function readTerminalColors(): ITheme {
  const { theme } = document.documentElement.dataset;
  return theme === "dark" || (theme !== "light" && prefersDark.matches) ? dark : light;
}

/** Calls a function after each change of the theme, until the signal aborts. */
export function onThemeChange(listener: () => void, signal: AbortSignal): void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  signal.addEventListener("abort", () => observer.disconnect());
  prefersDark.addEventListener("change", listener, { signal });
}
