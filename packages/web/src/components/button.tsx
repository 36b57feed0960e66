import type { ComponentProps, ReactNode } from "react";
import { KeyHint } from "./key-hint.tsx";

interface ButtonProps extends ComponentProps<"button"> {
  readonly kind?: "primary" | "plain" | "danger";
  /** The key that does the same. */
  readonly hint?: string;
}

const kinds = {
  primary: "border-accent bg-accent text-surface font-medium",
  plain: "border-line bg-raised text-ink hover:border-quiet",
  danger: "border-line bg-raised text-fails hover:border-fails",
} as const;

export function Button({ kind = "plain", hint, className = "", children, ...props }: ButtonProps): ReactNode {
  return (
    <button
      type="button"
      className={`inline-flex min-h-8 items-center justify-center gap-2 rounded-md border px-3 whitespace-nowrap disabled:opacity-50 max-sm:min-h-11 ${kinds[kind]} ${className}`}
      {...props}
    >
      {children}
      {hint !== undefined && <KeyHint keys={hint} />}
    </button>
  );
}
