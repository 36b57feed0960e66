import { sanitizeText } from "@fairlead/api";
import { useEffect, useState, type ReactNode } from "react";
import { Button } from "../../components/button.tsx";
import { isPageReplaced } from "../../wire/page-version.ts";
import { useOnReconnect, useOverview } from "../fairlead-context.ts";
import { CodeNotLoaded } from "./lazy-part.ts";

interface FailedPartProps {
  readonly name: string;
  readonly error: unknown;
  readonly onRetry: () => void;
}

/** Takes the place of a part of the page that has failed, and says what a person can do. */
export function FailedPart({ name, error, onRetry }: FailedPartProps): ReactNode {
  const { isOpen } = useOverview();
  const isNotLoaded = error instanceof CodeNotLoaded;
  const [isReplaced, setIsReplaced] = useState(false);
  useEffect(() => {
    if (isNotLoaded && isOpen) void isPageReplaced().then(setIsReplaced);
  }, [isNotLoaded, isOpen]);
  // What could not be loaded during an outage is loaded after it. An error of the code would only occur again.
  useOnReconnect(isNotLoaded ? onRetry : null);
  return (
    <div role="alert" className="flex flex-col items-start gap-3 p-4">
      <p className="[overflow-wrap:anywhere] text-fails">
        {name} {describeFailure(error, { isOpen, isReplaced })}
      </p>
      <p className="text-quiet">The rest of the page works. Unsent messages are kept in this tab.</p>
      <div className="flex gap-2">
        {!isReplaced && <Button onClick={onRetry}>Try again</Button>}
        <Button kind={isReplaced ? "primary" : "plain"} onClick={() => location.reload()}>
          Reload the page
        </Button>
      </div>
    </div>
  );
}

function describeFailure(error: unknown, state: { readonly isOpen: boolean; readonly isReplaced: boolean }): string {
  if (!(error instanceof CodeNotLoaded))
    return `has failed: ${sanitizeText(error instanceof Error ? error.message : String(error))}`;
  if (state.isReplaced) return "cannot be loaded: the service has a newer page. Reload the page to get it.";
  if (!state.isOpen) return "cannot be loaded: the service cannot be reached. The page loads it when it is back.";
  return "cannot be loaded: the service did not deliver its code.";
}
