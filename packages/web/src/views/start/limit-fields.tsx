import type { ReactNode } from "react";
import type { StartForm } from "../../state/start-form.ts";
import { Field, inputStyle } from "./field.tsx";

interface LimitFieldsProps {
  readonly limits: StartForm["limits"];
  readonly onChange: (limits: StartForm["limits"]) => void;
}

const kinds = [
  ["usd", "US dollars"],
  ["tokens", "Tokens"],
  ["seconds", "Seconds of turns"],
] as const;

/** What the session may use in all. */
export function LimitFields({ limits, onChange }: LimitFieldsProps): ReactNode {
  return (
    <details>
      <summary className="cursor-pointer py-1 text-quiet hover:text-ink">
        Limits: the session pauses when one is reached
      </summary>
      <div className="grid grid-cols-3 gap-3 pt-2 max-sm:grid-cols-1">
        {kinds.map(([kind, label]) => (
          <Field key={kind} label={label}>
            <input
              type="number"
              min="0"
              step="any"
              className={inputStyle}
              value={limits[kind]}
              onChange={({ target }) => onChange({ ...limits, [kind]: target.value })}
            />
          </Field>
        ))}
      </div>
    </details>
  );
}
