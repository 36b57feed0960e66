import type { ReactNode } from "react";
import { Link } from "wouter";

/** Leads from a page that does not exist to the list of sessions. */
export function SessionsLink(): ReactNode {
  return (
    <Link href="/" className="text-accent underline max-sm:flex max-sm:min-h-11 max-sm:items-center">
      Show the sessions
    </Link>
  );
}
