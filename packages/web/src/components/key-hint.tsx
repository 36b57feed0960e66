import type { ReactNode } from "react";
import { hasSingleKeys } from "../app/keys.ts";

/** The key of a control. Hidden on devices without a pointer, which rarely have a keyboard, and while single keys are off. */
export function KeyHint({ keys }: { readonly keys: string }): ReactNode {
  if (!keys.startsWith("Ctrl") && !hasSingleKeys()) return null;
  return (
    <kbd
      aria-hidden="true"
      className="rounded-sm border border-b-2 border-current/40 px-1 font-mono text-xs pointer-coarse:hidden"
    >
      {keys}
    </kbd>
  );
}
