import type { ReactNode } from "react";
import { namesHost } from "./names-host.ts";

interface OuterLinkProps {
  readonly href: string;
  /** The words of the link, to say the host only if they do not. */
  readonly text: string;
  readonly children: ReactNode;
}

/** A link from an agent's text, with the host that it leads to. Any other address than http and https is only shown. */
export function OuterLink({ href, text, children }: OuterLinkProps): ReactNode {
  const url = URL.parse(href);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
    return (
      <span>
        {children} {href !== text && <span className="text-quiet">({href})</span>}
      </span>
    );
  }
  return (
    <>
      <a href={url.href} target="_blank" rel="noopener noreferrer" className="text-accent underline">
        {children}
      </a>
      {!namesHost(text, url) && <span className="text-quiet"> ({url.host})</span>}
    </>
  );
}
