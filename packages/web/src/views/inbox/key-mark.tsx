import type { ReactNode } from "react";
import { hasSingleKeys } from "../../app/keys.ts";
import type { CardKeys } from "./use-key-target.ts";

/** Says which one of several cards the keys answer. Hidden on devices without a pointer, which rarely have a keyboard. */
export function KeyMark({ keys: { isShown, hasKeys } }: { readonly keys: CardKeys }): ReactNode {
  if (!isShown || !hasSingleKeys()) return null;
  return (
    <span className={`shrink-0 text-sm pointer-coarse:hidden ${hasKeys ? "text-accent" : "text-quiet"}`}>
      {hasKeys ? "Has the keys" : "Select it for keys"}
    </span>
  );
}
