import type { ReactNode } from "react";

/** Says that something is being loaded, but not before 300 ms: a short wait needs no words. */
export function Loading({ what }: { readonly what: string }): ReactNode {
  return (
    <p role="status" className="animate-late p-6 text-quiet">
      Loading {what}…
    </p>
  );
}
