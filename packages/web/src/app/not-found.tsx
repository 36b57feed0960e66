import type { ReactNode } from "react";
import { Link } from "wouter";

export function NotFound(): ReactNode {
  return (
    <div className="flex flex-col gap-2 p-6">
      <p>There is no such page.</p>
      <Link href="/" className="text-accent underline">
        Show the sessions
      </Link>
    </div>
  );
}
