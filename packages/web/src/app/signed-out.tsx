import type { ReactNode } from "react";
import { CopyableCommand } from "../components/copyable-command.tsx";
import { TokenForm } from "./token-form.tsx";

interface SignedOutProps {
  readonly reason: string;
  readonly onToken: (token: string) => void;
}

/** Says why the page shows nothing, and what to type. */
export function SignedOut({ reason, onToken }: SignedOutProps): ReactNode {
  return (
    <main className="mx-auto flex max-w-120 flex-col gap-4 px-4 pt-24">
      <h1 className="text-lg font-bold">Fairlead</h1>
      <p role="alert">{reason}</p>
      <p className="text-quiet">On the machine where Fairlead runs, type one of these. Each opens the page once.</p>
      <CopyableCommand command="fairlead open" />
      <CopyableCommand command="fairlead open --phone" />
      <TokenForm onToken={onToken} />
    </main>
  );
}
