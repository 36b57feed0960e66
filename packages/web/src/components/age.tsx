import { formatAge } from "@fairlead/api";
import type { ReactNode } from "react";
import { useNow } from "../app/use-now.ts";

/** How long ago a time was, in one unit. */
export function Age({ since }: { readonly since: string }): ReactNode {
  const now = useNow();
  return <time dateTime={since}>{formatAge(now - Date.parse(since))}</time>;
}
