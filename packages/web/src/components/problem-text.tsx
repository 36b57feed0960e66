import { sanitizeText } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import type { ReactNode } from "react";

/** Says what failed, in the words of the service, and with the code that the documents explain. */
export function ProblemText({ error }: { readonly error: unknown }): ReactNode {
  const message = error instanceof Error ? sanitizeText(error.message) : String(error);
  return (
    <p role="alert" className="rounded-md border border-fails px-3 py-2 [overflow-wrap:anywhere] text-fails">
      {message} {FairleadError.isInstance(error) && <span className="text-quiet">({error.code})</span>}
    </p>
  );
}
