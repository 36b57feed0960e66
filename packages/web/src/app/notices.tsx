import { useEffect, useRef, useState, type ReactNode } from "react";
import { isPageReplaced } from "../wire/page-version.ts";
import { freshnessOf } from "../state/freshness.ts";
import { Button } from "../components/button.tsx";
import { useOverview } from "./fairlead-context.ts";
import { useNow } from "./use-now.ts";

/** Shorter outages are not worth a line that moves the page. The top bar shows them. */
const minOutageSeconds = 5;

/** Says below the top bar what a person must know before trusting the page: it is not current, not permitted, or replaced. */
export function Notices(): ReactNode {
  const live = useOverview();
  const freshness = freshnessOf(live, useNow());
  const isReplaced = useIsReplaced(live.isOpen);
  return (
    <>
      {freshness.type === "refused" && (
        <p role="alert" className="border-b border-line bg-raised px-3 py-2 text-fails">
          {freshness.reason} Open the page again with: <code className="font-mono text-sm">fairlead open</code>
        </p>
      )}
      {freshness.type === "stale" && freshness.seconds >= minOutageSeconds && (
        <p role="status" className="border-b border-line bg-raised px-3 py-2 text-waits">
          The service cannot be reached. You see the state before that. Answers wait until it is back. If it was
          stopped, start it on its machine with: <code className="font-mono text-sm">fairlead open</code>
        </p>
      )}
      {isReplaced && (
        <p className="flex items-center gap-3 border-b border-line bg-raised px-3 py-1">
          The service has a newer page. <Button onClick={() => location.reload()}>Reload</Button>
        </p>
      )}
    </>
  );
}

/** Asks for the page again each time the connection is back. Only then may another version of the service answer. */
function useIsReplaced(isOpen: boolean): boolean {
  const [isReplaced, setIsReplaced] = useState(false);
  const wasOpen = useRef(false);
  useEffect(() => {
    if (!isOpen) return;
    if (wasOpen.current) void isPageReplaced().then(setIsReplaced);
    wasOpen.current = true;
  }, [isOpen]);
  return isReplaced;
}
