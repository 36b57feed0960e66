import { createContext, use, useState } from "react";

/** Which parts of which rows a person has opened or closed. It outlives the rows, which are removed when they leave the screen. */
export const Disclosures = createContext<Map<string, boolean>>(new Map());

/** Whether a part of a row is open: as a person left it, or null if no person has touched it. */
export function useDisclosure(key: string): readonly [boolean | null, (isOpen: boolean) => void] {
  const disclosures = use(Disclosures);
  const [isOpen, setIsOpen] = useState(() => disclosures.get(key) ?? null);
  const change = (next: boolean): void => {
    disclosures.set(key, next);
    setIsOpen(next);
  };
  return [isOpen, change];
}
