import type { ReactNode } from "react";

interface CodeBlockProps {
  readonly text: string;
  readonly language: string;
}

/** Code in an agent's text. */
export function CodeBlock({ text, language }: CodeBlockProps): ReactNode {
  return (
    <figure className="min-w-0 rounded-md border border-line bg-raised">
      {language !== "" && (
        <figcaption className="truncate border-b border-line px-3 text-xs text-quiet">{language}</figcaption>
      )}
      {/* Code may be wider than the page, so it scrolls, and people without a pointer must reach it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} className="max-h-120 overflow-auto px-3 py-2 font-mono text-sm">
        {text}
      </pre>
    </figure>
  );
}
