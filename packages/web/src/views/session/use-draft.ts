import { useState } from "react";

/** A text that survives a reload of the tab, and is gone with it. A change gets the newest text, however late it is made. */
export function useDraft(session: string): readonly [string, (change: (before: string) => string) => void] {
  const key = `fairlead.draft.${session}`;
  const read = (): string => sessionStorage.getItem(key) ?? "";
  const [draft, setDraft] = useState(read);
  const change = (changeText: (before: string) => string): void => {
    const text = changeText(read());
    setDraft(text);
    if (text === "") sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  };
  return [draft, change];
}
