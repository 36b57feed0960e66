import { useState } from "react";

/** A text that survives a reload of the tab, and is gone with it. */
export function useDraft(session: string): readonly [string, (text: string) => void] {
  const key = `fairlead.draft.${session}`;
  const [draft, setDraft] = useState(() => sessionStorage.getItem(key) ?? "");
  const change = (text: string): void => {
    setDraft(text);
    if (text === "") sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  };
  return [draft, change];
}
