import type { ReactNode } from "react";

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly children: ReactNode;
}

export const inputStyle =
  "min-h-8 w-full rounded-md border border-line bg-raised px-2 placeholder:text-quiet max-sm:min-h-11 max-sm:text-lg";

/** A labeled field of a form. */
export function Field({ label, hint, children }: FieldProps): ReactNode {
  return (
    // oxlint-disable-next-line jsx-a11y/label-has-associated-control -- the control is among the children
    <label className="flex flex-col gap-1">
      <span className="font-medium">{label}</span>
      {children}
      {hint !== undefined && <span className="text-sm text-quiet">{hint}</span>}
    </label>
  );
}
