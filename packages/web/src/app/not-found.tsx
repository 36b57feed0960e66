import type { ReactNode } from "react";
import { SessionsLink } from "../components/sessions-link.tsx";

export function NotFound(): ReactNode {
  return (
    <div className="flex flex-col gap-2 p-6">
      <p>There is no such page.</p>
      <SessionsLink />
    </div>
  );
}
