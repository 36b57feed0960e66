import { useEffect } from "react";

/** Something that a person can do from the palette. */
export interface Action {
  readonly label: string;
  /** The key that does the same. */
  readonly hint?: string;
  readonly run: () => void;
}

const offered: (readonly Action[])[] = [];

/** Offers actions in the palette while the element is shown. */
export function useActions(actions: readonly Action[]): void {
  useEffect(() => {
    offered.push(actions);
    return () => void offered.splice(offered.lastIndexOf(actions), 1);
  }, [actions]);
}

/** Lists the actions that are offered now, those of the innermost view first. */
export function listActions(): readonly Action[] {
  return offered.toReversed().flat();
}
