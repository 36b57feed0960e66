import type { ReactNode } from "react";
import { Button } from "../../components/button.tsx";
import { Modal } from "../../components/modal.tsx";

interface StopPromptProps {
  readonly name: string;
  /** Whether the agent can continue a conversation. */
  readonly canContinue: boolean;
  readonly onStop: () => void;
  readonly onClose: () => void;
}

/** Asks before a session is stopped: Stop is beside Pause in the menu, and work that is not stored is lost. */
export function StopPrompt({ name, canContinue, onStop, onClose }: StopPromptProps): ReactNode {
  return (
    <Modal label="Stop the session" onClose={onClose}>
      <div className="flex flex-col gap-3 p-4">
        <h2 className="font-bold break-words">
          Stop <bdi>{name}</bdi>?
        </h2>
        <p className="text-quiet">
          The agent and all processes that it started end.{" "}
          {canContinue ? "A message can continue the conversation later." : "Its agent cannot continue a conversation."}
        </p>
        <div className="flex flex-wrap gap-2">
          <Button
            kind="danger"
            onClick={() => {
              onClose();
              onStop();
            }}
          >
            Stop the session
          </Button>
          <Button onClick={onClose}>Keep it running</Button>
        </div>
      </div>
    </Modal>
  );
}
