import { sanitizeText } from "@fairlead/api";
import type { ReactNode } from "react";
import { Button } from "../../components/button.tsx";

/** Takes the place of the whole page, if its frame has failed. */
export function FailedPage({ error }: { readonly error: unknown }): ReactNode {
  return (
    <main role="alert" className="mx-auto flex max-w-120 flex-col items-start gap-4 px-4 pt-24">
      <h1 className="text-lg font-bold">Fairlead</h1>
      <p className="[overflow-wrap:anywhere] text-fails">
        The page has failed: {sanitizeText(error instanceof Error ? error.message : String(error))}
      </p>
      <p className="text-quiet">Sessions continue without it. Unsent messages are kept in this tab.</p>
      <Button kind="primary" onClick={() => location.reload()}>
        Reload the page
      </Button>
    </main>
  );
}
