import type { ComponentProps, ReactNode } from "react";

interface ChipProps extends ComponentProps<"button"> {
  readonly isOn: boolean;
}

/** A filter that is on or off. */
export function Chip({ isOn, className = "", ...props }: ChipProps): ReactNode {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      className={`min-h-6 rounded-full border px-2 whitespace-nowrap max-sm:min-h-11 max-sm:px-3 ${isOn ? "border-accent text-ink" : "border-line text-quiet hover:text-ink"} ${className}`}
      {...props}
    />
  );
}
