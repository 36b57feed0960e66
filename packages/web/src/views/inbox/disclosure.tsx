import { useState, type ReactNode } from "react";

interface DisclosureProps {
  readonly label: string;
  /** Rendered, and so asked for, when the person opens it. */
  readonly children: () => ReactNode;
}

/** Something that is read on demand. */
export function Disclosure({ label, children }: DisclosureProps): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <section className="px-3.5 py-1">
      <button
        type="button"
        aria-expanded={isOpen}
        className="min-h-8 text-base text-quiet hover:text-ink max-sm:min-h-11"
        onClick={() => setIsOpen(!isOpen)}
      >
        {label} <span aria-hidden="true">{isOpen ? "▾" : "▸"}</span>
      </button>
      {isOpen && <div className="pb-2">{children()}</div>}
    </section>
  );
}
