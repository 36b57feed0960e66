export type Theme = "system" | "dark" | "light";

export const themes: readonly Theme[] = ["system", "dark", "light"];

const storageKey = "fairlead.theme";

export function readTheme(): Theme {
  const stored = localStorage.getItem(storageKey);
  return themes.find((theme) => theme === stored) ?? "system";
}

/** Shows the page in a theme, and keeps the choice in this browser. */
export function applyTheme(theme: Theme): void {
  if (theme === "system") localStorage.removeItem(storageKey);
  else localStorage.setItem(storageKey, theme);
  document.documentElement.dataset["theme"] = theme;
}
