import { useState, type ReactNode } from "react";

/** A command that a person can copy. */
export function CopyableCommand({ command }: { readonly command: string }): ReactNode {
  const [isCopied, setIsCopied] = useState(false);
  const copy = (): void => {
    // Without a secure context there is no clipboard. The text can still be selected.
    void navigator.clipboard?.writeText(command).then(() => setIsCopied(true));
  };
  return (
    <div className="flex min-h-9 items-center gap-2 rounded-md border border-line bg-raised pl-3 font-mono text-sm">
      <code className="flex-1 select-all">{command}</code>
      <button type="button" className="min-h-9 px-3 text-quiet hover:text-ink" onClick={copy}>
        {isCopied ? "copied" : "copy"}
      </button>
    </div>
  );
}
