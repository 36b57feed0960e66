import type { ReactNode } from "react";
import { Button } from "../../components/button.tsx";
import { describeKeys } from "../../state/terminal/describe-keys.ts";
import type { LostInput } from "../../state/terminal/terminal-state.ts";

interface LostInputBarProps {
  readonly lost: LostInput;
  /** Whether the terminal is connected, so that keys can be typed. */
  readonly isOpen: boolean;
  readonly onSend: () => void;
  readonly onForget: () => void;
}

/** Says which keys did not reach the agent's terminal. Only the person knows whether they make sense on the screen of now. */
export function LostInputBar({ lost: { uncertain, unsent }, isOpen, onSend, onForget }: LostInputBarProps): ReactNode {
  return (
    <div role="alert" className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line bg-raised px-3 py-2">
      <p className="min-w-0 flex-1">
        {uncertain !== "" && (
          <>
            <span className="text-waits">May not have arrived:</span> <Keys keys={uncertain} />{" "}
          </>
        )}
        {unsent !== "" && (
          <>
            <span className="text-waits">Not sent:</span> <Keys keys={unsent} />
          </>
        )}
      </p>
      {unsent !== "" && (
        <Button disabled={!isOpen} onClick={onSend}>
          Type what was not sent
        </Button>
      )}
      <Button onClick={onForget}>Discard</Button>
    </div>
  );
}

function Keys({ keys }: { readonly keys: string }): ReactNode {
  return <code className="rounded-sm border border-line px-1 font-mono text-sm break-all">{describeKeys(keys)}</code>;
}
