import type { ReactNode } from "react";
import { encodeKey, terminalKeys } from "../../state/terminal/terminal-keys.ts";
import type { ShownTerminal } from "./use-terminal.ts";

const labels = { Esc: "Escape", Tab: "Tab", "←": "Left", "↑": "Up", "↓": "Down", "→": "Right" } as const;

interface KeyRowProps {
  readonly shown: ShownTerminal;
  /** Whether the next character is typed with Ctrl. */
  readonly isControl: boolean;
  readonly onControl: (isOn: boolean) => void;
}

/** The keys that a phone lacks. Their buttons take no focus, so that the phone's keyboard stays open. */
export function KeyRow({ shown, isControl, onControl }: KeyRowProps): ReactNode {
  return (
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- its buttons have the focus
    <div
      role="toolbar"
      aria-label="Keys"
      className="flex shrink-0 gap-1 border-t border-line bg-raised p-1 sm:hidden"
      onPointerDown={(event) => event.preventDefault()}
      onMouseDown={(event) => event.preventDefault()}
    >
      <Key label="Control, for the next key" isOn={isControl} onPress={() => onControl(!isControl)}>
        Ctrl
      </Key>
      {terminalKeys.map((key) => (
        <Key
          key={key}
          label={labels[key]}
          onPress={() => {
            shown.link.send(encodeKey(key, shown.screen.isApplicationMode));
            onControl(false);
          }}
        >
          {key}
        </Key>
      ))}
    </div>
  );
}

interface KeyProps {
  readonly label: string;
  readonly isOn?: boolean;
  readonly onPress: () => void;
  readonly children: ReactNode;
}

function Key({ label, isOn, onPress, children }: KeyProps): ReactNode {
  return (
    <button
      type="button"
      aria-label={label}
      aria-pressed={isOn}
      className={`min-h-11 flex-1 rounded-md border font-mono ${isOn === true ? "border-accent text-accent" : "border-line"}`}
      onClick={onPress}
    >
      {children}
    </button>
  );
}
