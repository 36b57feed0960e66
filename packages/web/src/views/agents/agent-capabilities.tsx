import type { AgentView } from "@fairlead/api";
import { capabilities, type Capability } from "@fairlead/contract";
import type { ReactNode } from "react";

const all = Object.keys(capabilities) as Capability[];

/** What the agent can do and what not, with what each word means. */
export function AgentCapabilities({ view }: { readonly view: Pick<AgentView, "capabilities"> }): ReactNode {
  const missing = all.filter((one) => !view.capabilities.includes(one));
  return (
    <details>
      <summary className="cursor-pointer text-quiet hover:text-ink max-sm:min-h-11">
        supports {view.capabilities.length} of {all.length}
        {missing.length > 0 && ` · not: ${missing.join(", ")}`}
      </summary>
      <dl className="grid grid-cols-[max-content_1fr] gap-x-4 pt-2">
        {all.map((one) => {
          const isSupported = view.capabilities.includes(one);
          return (
            <div key={one} className="contents">
              <dt className={isSupported ? "" : "text-quiet"}>
                <span aria-hidden="true">{isSupported ? "✓ " : "– "}</span>
                {one}
                <span className="sr-only">{isSupported ? ", supported" : ", not supported"}</span>
              </dt>
              <dd className="text-quiet">{capabilities[one]}</dd>
            </div>
          );
        })}
      </dl>
    </details>
  );
}
