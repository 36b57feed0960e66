import { groupDigits, type InputField } from "@fairlead/api";
import type { ReactNode } from "react";

interface InputSectionProps {
  readonly tool: string | null;
  readonly fields: readonly InputField[];
  readonly isFull: boolean;
  readonly onShowAll: () => void;
}

/** The input of a call, with invisible characters escaped. */
export function InputSection({ tool, fields, isFull, onShowAll }: InputSectionProps): ReactNode {
  const hidden = fields.reduce((sum, { hiddenCount }) => sum + hiddenCount, 0);
  return (
    <section className="px-3.5 py-3">
      <h3 className="text-base text-quiet">
        {hidden > 0 ? "First lines of the input" : "Whole input"}
        {tool !== null && <bdi className="break-all"> of {tool}</bdi>}
      </h3>
      <dl className="mt-1 font-mono text-sm">
        {fields.map(({ name, lines, hiddenCount }) => (
          <div key={name ?? ""} className="mt-1 first:mt-0">
            {name !== null && <dt className="break-all text-quiet">{name}</dt>}
            <dd className="whitespace-pre-wrap [overflow-wrap:anywhere]">
              <bdi>{lines.join("\n")}</bdi>
              {hiddenCount > 0 && <p className="text-waits">… {groupDigits(hiddenCount)} more lines, not shown</p>}
            </dd>
          </div>
        ))}
      </dl>
      {hidden > 0 && !isFull && (
        <button type="button" className="mt-1 min-h-8 text-accent hover:underline max-sm:min-h-11" onClick={onShowAll}>
          Show all
        </button>
      )}
    </section>
  );
}
